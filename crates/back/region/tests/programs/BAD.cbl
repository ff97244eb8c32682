       IDENTIFICATION DIVISION.
       PROGRAM-ID. BAD.
      * Fails in the way that its commarea asks for.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-POINTER   USAGE POINTER.
       01  WS-NUMBER    PIC 9(4) COMP-5 VALUE 16.
       01  WS-ZERO      PIC 9(4) VALUE 0.
       01  WS-COUNT     PIC 9(9) COMP-5 VALUE 0.
       LINKAGE SECTION.
       01  DFHCOMMAREA  PIC X(8).
       01  LK-BYTES     PIC X(8).
       01  LK-LARGE     PIC X(16777216).
       PROCEDURE DIVISION.
           EVALUATE DFHCOMMAREA
               WHEN 'NULL'
                   SET ADDRESS OF LK-BYTES TO NULL
                   MOVE 'X' TO LK-BYTES
               WHEN 'STOP'
                   CALL 'cob_stop_run' USING BY VALUE WS-NUMBER
               WHEN 'STOPRUN'
                   MOVE 'STOPPED' TO DFHCOMMAREA
                   IF WS-ZERO = 0 STOP RUN ELSE CONTINUE END-IF
               WHEN 'LOOP'
                   PERFORM UNTIL WS-ZERO = 1
                       ADD 1 TO WS-COUNT
                       IF WS-COUNT > 1000 MOVE 0 TO WS-COUNT END-IF
                   END-PERFORM
               WHEN 'SLEEP'
                   EXEC CICS DELAY FOR SECONDS(600) END-EXEC
               WHEN 'MEMORY'
                   PERFORM UNTIL WS-ZERO = 1
                       EXEC CICS GETMAIN SET(ADDRESS OF LK-LARGE)
                           FLENGTH(16777216) INITIMG('*')
                       END-EXEC
                   END-PERFORM
               WHEN 'CALL'
                   CALL 'NOSUCHP' USING DFHCOMMAREA
               WHEN 'EXEC'
                   CALL 'SYSTEM' USING 'true' RETURNING WS-NUMBER
               WHEN 'OLD'
                   EXEC CICS CANCEL END-EXEC
               WHEN 'TERMINAL'
                   EXEC CICS SEND TEXT FROM(DFHCOMMAREA) END-EXEC
           END-EVALUATE
           MOVE 'DONE' TO DFHCOMMAREA
           EXEC CICS RETURN END-EXEC.
