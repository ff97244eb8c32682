      *
      * An order, which comes back as it was sent
      *
           05 ORDER-ID      PIC 9(6).
           05 CUSTOMER      PIC X(20).
           05 AMOUNT        PIC S9(7)V99 COMP-3.
           05 LINES-USED    PIC 9(2).
           05 ORDER-LINE    OCCURS 0 TO 10 TIMES
                            DEPENDING ON LINES-USED.
              10 ITEM       PIC X(8).
              10 QUANTITY   PIC 9(4) COMP-4.
