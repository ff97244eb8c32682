      * Numbers in each form, and what is computed of them.
           05  AR-ONE            PIC S9(5)V99.
           05  AR-TWO            PIC S9(7)V9 COMP-3.
           05  AR-THREE          PIC S9(4) COMP.
           05  AR-SUM            PIC S9(9)V99 COMP-3.
           05  AR-PRODUCT        PIC S9(9)V9(3).
           05  AR-ROUNDED        PIC S9(7)V9.
           05  AR-QUOTIENT       PIC S9(5).
           05  AR-REMAINDER      PIC S9(5)V99.
           05  AR-ERRORS.
               10  AR-ERROR OCCURS 4 TIMES PIC X.
           05  AR-SMALL          PIC 9(2).
           05  AR-POWER          PIC S9(9) COMP.
           05  AR-CUT            PIC S9(3).
           05  AR-LEADING        PIC S9(5) SIGN LEADING.
           05  AR-SEPARATE       PIC S9(5) SIGN TRAILING SEPARATE.
           05  AR-EDITED         PIC -(6)9.99.
           05  AR-MONEY          PIC $$$,$$9.99CR.
           05  AR-STARS          PIC **,**9.99.
           05  AR-INSERTED       PIC 99/99B99.
           05  AR-BLANK          PIC Z(4) BLANK WHEN ZERO.
           05  AR-SIGN           PIC X(8).
