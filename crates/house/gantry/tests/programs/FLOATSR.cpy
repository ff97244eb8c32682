       01  FLOATS.
           05  FL-SHORT            COMP-1.
           05  FL-LONG             COMP-2.
           05  FL-NATIVE           PIC S9(4) COMP-5.
