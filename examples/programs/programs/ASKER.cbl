       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASKER.
      *
      * Asks the web service CABASIC. Request and response are in
      * DFHWS-DATA; RESP2 6 says that the answer is a fault, whose
      * body is in DFHWS-BODY.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-OPERATION      PIC X(255) VALUE 'CABASICOperation'.
       01  WS-RESP           PIC S9(8) COMP.
       01  WS-RESP2          PIC S9(8) COMP.
       01  WS-LENGTH         PIC S9(8) COMP.
       01  CABASIC-REQUEST.
           COPY CABASRQ.
       01  CABASIC-RESPONSE.
           COPY CABASRS2.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY ASKREC.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE 0 TO COUNT-IN AS-SENT AS-TASK
           MOVE SPACES TO AS-TRANSACTION AS-FAULT
           MOVE AS-COUNT TO COUNT-OUT
           EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('ASK')
               FROM(CABASIC-REQUEST)
           END-EXEC
           IF AS-URI = SPACES
               EXEC CICS INVOKE SERVICE('CABASIC') CHANNEL('ASK')
                   OPERATION(WS-OPERATION)
                   RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           ELSE
               EXEC CICS INVOKE SERVICE('CABASIC') CHANNEL('ASK')
                   OPERATION(WS-OPERATION) URI(AS-URI)
                   RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           END-IF
           MOVE WS-RESP TO AS-RESP
           MOVE WS-RESP2 TO AS-RESP2
           EVALUATE TRUE
               WHEN WS-RESP = DFHRESP(NORMAL)
                   PERFORM TAKE-ANSWER
               WHEN WS-RESP = DFHRESP(INVREQ) AND WS-RESP2 = 6
                   PERFORM TAKE-FAULT
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       TAKE-ANSWER.
           MOVE LENGTH OF CABASIC-RESPONSE TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-DATA') CHANNEL('ASK')
               INTO(CABASIC-RESPONSE) FLENGTH(WS-LENGTH)
           END-EXEC
           MOVE SEND-SIZE TO AS-SENT
           MOVE TASKID TO AS-TASK
           MOVE TRANID TO AS-TRANSACTION.
       TAKE-FAULT.
           MOVE LENGTH OF AS-FAULT TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-BODY') CHANNEL('ASK')
               INTO(AS-FAULT) FLENGTH(WS-LENGTH) RESP(WS-RESP)
           END-EXEC.
