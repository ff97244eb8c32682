      * The EXEC interface block after each of some commands.
           05  CO-STEPS          PIC 9(2).
           05  CO-STEP OCCURS 9 TIMES.
               10  CO-WHAT       PIC X(10).
               10  CO-FN         PIC S9(8) COMP.
               10  CO-RCODE      PIC S9(8) COMP.
               10  CO-RSRCE      PIC X(8).
               10  CO-RESP       PIC S9(8) COMP.
               10  CO-RESP2      PIC S9(8) COMP.
