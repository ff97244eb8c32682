       IDENTIFICATION DIVISION.
       PROGRAM-ID. DUMPED.
      * Gives some commands, and fails in the way that it is asked for.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ITEM           PIC X(12) VALUE 'ITEM OF MINE'.
       01  WS-NUMBER         PIC S9(4) COMP VALUE 1.
       01  WS-TIME           PIC S9(15) COMP-3.
       01  WS-SMALL          PIC X(8).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW        PIC X(8).
           05  CA-TEXT       PIC X(32).
       01  LK-BYTES          PIC X(8).
       PROCEDURE DIVISION.
           IF EIBCALEN = 0
               EXEC CICS PUT CONTAINER('ANSWER') FROM(WS-ITEM)
                   CHAR END-EXEC
               EXEC CICS ABEND ABCODE('CHAN') END-EXEC
           END-IF.
           PERFORM 40 TIMES
               EXEC CICS ASKTIME ABSTIME(WS-TIME) END-EXEC
           END-PERFORM.
           EXEC CICS WRITEQ TS QUEUE('DUMPQ') FROM(WS-ITEM)
               ITEM(WS-NUMBER) END-EXEC.
           MOVE 'AS IT WAS AT THE ABEND' TO CA-TEXT.
           EVALUATE CA-HOW
               WHEN 'ABCODE'
                   EXEC CICS ABEND ABCODE('MINE') END-EXEC
               WHEN 'NODUMP'
                   EXEC CICS ABEND ABCODE('MINE') NODUMP END-EXEC
               WHEN 'NOCODE'
                   EXEC CICS ABEND END-EXEC
               WHEN 'COND'
                   EXEC CICS READQ TS QUEUE('NOSUCHQ') INTO(WS-SMALL)
                       END-EXEC
               WHEN 'LINK'
                   MOVE 'ABCODE' TO CA-HOW
                   EXEC CICS LINK PROGRAM('DUMPED')
                       COMMAREA(DFHCOMMAREA) END-EXEC
               WHEN 'HANDLED'
                   EXEC CICS HANDLE ABEND LABEL(HANDLED) END-EXEC
                   MOVE 'ABCODE' TO CA-HOW
                   EXEC CICS LINK PROGRAM('DUMPED')
                       COMMAREA(DFHCOMMAREA) END-EXEC
               WHEN 'NULL'
                   SET ADDRESS OF LK-BYTES TO NULL
                   MOVE 'X' TO LK-BYTES
               WHEN 'CALL'
                   CALL 'NOSUCHP' USING DFHCOMMAREA
               WHEN 'LOOP'
                   PERFORM UNTIL WS-NUMBER = 0
                       MOVE 1 TO WS-NUMBER
                   END-PERFORM
           END-EVALUATE.
       HANDLED.
           EXEC CICS RETURN END-EXEC.
