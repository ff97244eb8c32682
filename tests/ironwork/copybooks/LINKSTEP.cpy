      * Notes who runs, who called it, and that its storage is fresh.
           ADD 1 TO LN-STEPS
           ADD 1 TO WS-RUNS
           EXEC CICS ASSIGN PROGRAM(LN-PROGRAM(LN-STEPS))
               INVOKINGPROG(LN-INVOKER(LN-STEPS)) END-EXEC
           MOVE EIBCALEN TO LN-CALEN(LN-STEPS)
           MOVE WS-RUNS TO LN-FRESH(LN-STEPS)
