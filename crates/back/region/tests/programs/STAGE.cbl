       IDENTIFICATION DIVISION.
       PROGRAM-ID. STAGE.
      * A program of a task that runs several: writes what is in the
      * container NOTE to a recoverable queue, says which task it is,
      * and does what the container DO says. QUIET writes nothing.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-NOTE     PIC X(10).
       01  WS-DO       PIC X(8) VALUE SPACES.
       01  WS-RESP     PIC S9(8) COMP.
       01  WS-TASK     PIC 9(7).
       01  WS-TRN      PIC X(4).
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('NOTE') INTO(WS-NOTE) END-EXEC.
           EXEC CICS GET CONTAINER('DO') INTO(WS-DO)
               RESP(WS-RESP) END-EXEC.
           IF WS-DO NOT = 'QUIET'
               EXEC CICS WRITEQ TS QUEUE('RECOVER') FROM(WS-NOTE)
                   END-EXEC
           END-IF.
           MOVE EIBTASKN TO WS-TASK.
           EXEC CICS PUT CONTAINER('TASK') FROM(WS-TASK) CHAR END-EXEC.
           MOVE EIBTRNID TO WS-TRN.
           EXEC CICS PUT CONTAINER('TRN') FROM(WS-TRN) CHAR END-EXEC.
           IF WS-DO = 'ABEND'
               EXEC CICS ABEND ABCODE('BADD') END-EXEC
           END-IF.
           IF WS-DO = 'FAULT'
               EXEC CICS SOAPFAULT CREATE CLIENT
                   FAULTSTRING('No such item') FAULTSTRLEN(12)
                   END-EXEC
           END-IF.
           IF WS-DO = 'UNFAULT'
               EXEC CICS SOAPFAULT DELETE END-EXEC
           END-IF.
           EXEC CICS RETURN END-EXEC.
