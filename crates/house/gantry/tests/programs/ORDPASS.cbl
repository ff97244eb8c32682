      * Passes an order on to another web service, with all of its
      * containers.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ORDPASS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-CHANNEL PIC X(16).
       01  WS-RESP    PIC S9(8) COMP.
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN CHANNEL(WS-CHANNEL) END-EXEC
           EXEC CICS INVOKE SERVICE('ORDERQ') CHANNEL(WS-CHANNEL)
               OPERATION('Order') RESP(WS-RESP) END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
               EXEC CICS ABEND ABCODE('NOSV') END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
