      *
      * A field of each kind and tables, which come back as sent
      *
           05 PLAIN-TEXT     PIC X(24).
           05 LETTERS        PIC A(6).
           05 ZONED          PIC 9(4).
           05 ZONED-SIGNED   PIC S9(7).
           05 ZONED-LONG     PIC S9(18).
           05 ZONED-POINT    PIC S9(5)V99.
           05 SIGN-APART     PIC S9(5) SIGN LEADING SEPARATE.
           05 HALF           PIC S9(4) COMP.
           05 HALF-PLUS      PIC 9(4) COMP.
           05 FULL           PIC S9(9) COMP.
           05 DOUBLE-WORD    PIC S9(18) COMP.
           05 NATIVE         PIC 9(9) COMP-5.
           05 PACKED         PIC S9(7)V99 COMP-3.
           05 PACKED-LONG    PIC 9(13)V9(4) COMP-3.
           05 SINGLE         COMP-1.
           05 LONGER         COMP-2.
           05 OUTER.
              10 INNER       PIC X(8).
              10 DEEPER.
                 15 DEEPEST  PIC 9(3).
           05 PART           OCCURS 3 TIMES.
              10 LABEL       PIC X(4).
              10 PRICE       PIC S9(5)V99 COMP-3.
              10 CELL        PIC 9(2) OCCURS 2 TIMES.
           05 LINES-USED     PIC 9(2).
           05 ORDER-LINE     OCCURS 0 TO 10 TIMES
                             DEPENDING ON LINES-USED.
              10 ITEM        PIC X(8).
              10 QUANTITY    PIC 9(4) COMP-4.
