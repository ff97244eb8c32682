      * What was found.
           05 NAME           PIC X(16).
           05 PRICE          PIC S9(7)V99 COMP-3.
           05 STOCK          PIC S9(18) COMP.
           05 LINES-USED     PIC 9(2).
           05 LINE-TEXT      PIC X(12) OCCURS 0 TO 5 TIMES
                             DEPENDING ON LINES-USED.
