      *
      * 123 fields, as the performance report's typical message has
      *
           05 TEXT-01       PIC X(4).
           05 TEXT-02       PIC X(5).
           05 TEXT-03       PIC X(6).
           05 TEXT-04       PIC X(8).
           05 TEXT-05       PIC X(8).
           05 TEXT-06       PIC X(10).
           05 TEXT-07       PIC X(10).
           05 TEXT-08       PIC X(12).
           05 TEXT-09       PIC X(12).
           05 TEXT-10       PIC X(14).
           05 TEXT-11       PIC X(15).
           05 TEXT-12       PIC X(16).
           05 TEXT-13       PIC X(18).
           05 TEXT-14       PIC X(20).
           05 TEXT-15       PIC X(20).
           05 TEXT-16       PIC X(22).
           05 TEXT-17       PIC X(24).
           05 TEXT-18       PIC X(25).
           05 TEXT-19       PIC X(28).
           05 TEXT-20       PIC X(30).
           05 COUNT-01      PIC 9(3).
           05 COUNT-02      PIC 9(4).
           05 COUNT-03      PIC 9(5).
           05 COUNT-04      PIC 9(6).
           05 COUNT-05      PIC 9(7).
           05 COUNT-06      PIC 9(8).
           05 COUNT-07      PIC 9(9).
           05 COUNT-08      PIC 9(4).
           05 COUNT-09      PIC 9(6).
           05 COUNT-10      PIC 9(8).
           05 COUNT-11      PIC 9(9).
           05 COUNT-12      PIC 9(5).
           05 CHANGE-01     PIC S9(4).
           05 CHANGE-02     PIC S9(5).
           05 CHANGE-03     PIC S9(6).
           05 CHANGE-04     PIC S9(7).
           05 CHANGE-05     PIC S9(8).
           05 CHANGE-06     PIC S9(9).
           05 CHANGE-07     PIC S9(5).
           05 CHANGE-08     PIC S9(7).
           05 WORD-01       PIC S9(9) COMP.
           05 WORD-02       PIC S9(9) COMP.
           05 WORD-03       PIC S9(9) COMP.
           05 WORD-04       PIC S9(9) COMP.
           05 WORD-05       PIC S9(9) COMP.
           05 WORD-06       PIC S9(9) COMP.
           05 WORD-07       PIC S9(9) COMP.
           05 WORD-08       PIC S9(9) COMP.
           05 HALF-01       PIC S9(4) COMP.
           05 HALF-02       PIC S9(4) COMP.
           05 HALF-03       PIC S9(4) COMP.
           05 HALF-04       PIC S9(4) COMP.
           05 HALF-05       PIC S9(4) COMP.
           05 HALF-06       PIC S9(4) COMP.
           05 AMOUNT-01     PIC S9(9)V99 COMP-3.
           05 AMOUNT-02     PIC S9(9)V99 COMP-3.
           05 AMOUNT-03     PIC S9(9)V99 COMP-3.
           05 AMOUNT-04     PIC S9(9)V99 COMP-3.
           05 AMOUNT-05     PIC S9(9)V99 COMP-3.
           05 AMOUNT-06     PIC S9(9)V99 COMP-3.
           05 DETAIL        OCCURS 9.
              10 ITEM       PIC X(10).
              10 QUANTITY   PIC 9(4).
              10 STOCK      PIC S9(8) COMP.
              10 PRICE      PIC S9(7)V99 COMP-3.
              10 UNIT       PIC X(4).
              10 SHELF      PIC S9(4) COMP.
              10 SUPPLIER   PIC 9(5).
