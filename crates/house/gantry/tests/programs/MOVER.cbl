       IDENTIFICATION DIVISION.
       PROGRAM-ID. MOVER.
      * Writes its item to a queue of its own region and has the
      * other one do the same, in one unit of work.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP         PIC S9(8) COMP.
       01  WS-RESP2        PIC S9(8) COMP.
       01  WS-TAKEN        PIC X(50).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY MOVEREC.
       PROCEDURE DIVISION.
           MOVE 0 TO WS-RESP WS-RESP2.
           MOVE DFHCOMMAREA TO WS-TAKEN.
           EVALUATE MV-HOW
               WHEN 'BOTH'
                   EXEC CICS WRITEQ TS QNAME('RECOUT          ')
                       FROM(MV-ID) END-EXEC
                   EXEC CICS LINK PROGRAM('TAKER') SYSID('FARR')
                       COMMAREA(WS-TAKEN) END-EXEC
               WHEN 'LINK'
               WHEN 'SLOW'
               WHEN 'PAUSE'
                   EXEC CICS LINK PROGRAM('TAKER') SYSID('FARR')
                       COMMAREA(WS-TAKEN)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'QUEUE'
                   EXEC CICS WRITEQ TS QNAME('FARQUEUE        ')
                       FROM(MV-ID) SYSID('FARR')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'START'
                   EXEC CICS START TRANSID('FTAK') FROM(MV-ID)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           END-EVALUATE.
           MOVE WS-TAKEN TO DFHCOMMAREA.
           MOVE WS-RESP TO MV-RESP.
           MOVE WS-RESP2 TO MV-RESP2.
           EXEC CICS RETURN END-EXEC.
