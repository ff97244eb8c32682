      * An order, as ORDER gets it and as PRICER prices it.
           05  OR-ITEM           PIC X(10).
           05  OR-QUANTITY       PIC 9(5).
           05  OR-CUSTOMER       PIC X(8).
           05  OR-AMOUNT         PIC S9(9)V99 COMP-3.
           05  OR-STOCK-LEFT     PIC S9(7) COMP-3.
           05  OR-STATUS         PIC X(10).
           05  OR-JOURNAL-ITEMS  PIC 9(5).
           05  OR-JOURNAL-LINE   PIC X(40).
