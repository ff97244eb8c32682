      * Each program of a chain adds a step.
           05  LN-CASE           PIC 9(2).
           05  LN-STEPS          PIC 9(2).
           05  LN-STEP OCCURS 8 TIMES.
               10  LN-PROGRAM    PIC X(8).
               10  LN-INVOKER    PIC X(8).
               10  LN-CALEN      PIC S9(4) COMP.
               10  LN-FRESH      PIC 9(2).
           05  LN-RESP           PIC S9(8) COMP.
           05  LN-RESP2          PIC S9(8) COMP.
           05  LN-TAIL           PIC X(4).
