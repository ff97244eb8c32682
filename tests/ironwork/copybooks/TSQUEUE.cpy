      * What commands on a TS queue answer, one after the other.
           05  TS-QUEUE          PIC X(8).
           05  TS-STEPS          PIC 9(2).
           05  TS-STEP OCCURS 14 TIMES.
               10  TS-WHAT       PIC X(10).
               10  TS-RESP       PIC S9(4) COMP.
               10  TS-RESP2      PIC S9(4) COMP.
               10  TS-ITEM       PIC S9(4) COMP.
               10  TS-LENGTH     PIC S9(4) COMP.
               10  TS-DATA       PIC X(12).
