       01  ORDER-RECORD.
           05  ORDER-ID            PIC 9(6).
           05  CUSTOMER            PIC X(20).
           05  LINE-COUNT          PIC 9(2).
           05  ORDER-LINE OCCURS 3 TIMES.
               10  ITEM            PIC X(8).
               10  PRICE           PIC S9(5)V99 COMP-3.
