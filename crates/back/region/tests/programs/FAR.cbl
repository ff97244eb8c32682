       IDENTIFICATION DIVISION.
       PROGRAM-ID. FAR.
      * Writes its item to a queue of its own and has another region
      * do the same, by LINK or with a command on a queue there.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP     PIC S9(8) COMP.
       01  WS-RESP2    PIC S9(8) COMP.
       01  WS-LENGTH   PIC S9(8) COMP.
       01  WS-HALF     PIC S9(4) COMP.
       01  WS-FAR.
           05  FAR-ID      PIC X(20).
           05  FAR-WHAT    PIC X(8).
           05  FAR-ANSWER  PIC X(40).
       01  WS-TOO.
           05  TOO-ID      PIC X(20).
           05  TOO-REST    PIC X(48).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW      PIC X(8).
           05  CA-SYSID    PIC X(4).
           05  CA-PROGRAM  PIC X(8).
           05  CA-ID       PIC X(20).
           05  CA-WHAT     PIC X(8).
           05  CA-THEN     PIC X(8).
           05  CA-RESP     PIC 9(5).
           05  CA-RESP2    PIC 9(5).
           05  CA-THEN-RESP PIC 9(5).
           05  CA-OUT      PIC X(40).
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE 0 TO WS-RESP WS-RESP2.
           MOVE CA-ID TO FAR-ID.
           MOVE CA-WHAT TO FAR-WHAT.
           MOVE SPACES TO FAR-ANSWER.
           IF CA-ID NOT = SPACES
               EXEC CICS WRITEQ TS QNAME('RECOUT          ')
                   FROM(CA-ID)
               END-EXEC
           END-IF.
           EVALUATE CA-HOW
               WHEN 'JOIN'
                   EXEC CICS LINK PROGRAM(CA-PROGRAM) SYSID(CA-SYSID)
                       COMMAREA(WS-FAR)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'FIRST'
                   PERFORM TAKE-IT-THERE
                   EXEC CICS LINK PROGRAM(CA-PROGRAM) SYSID(CA-SYSID)
                       COMMAREA(WS-FAR)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'AFTER'
                   EXEC CICS LINK PROGRAM(CA-PROGRAM) SYSID(CA-SYSID)
                       COMMAREA(WS-FAR)
                   END-EXEC
                   PERFORM TAKE-IT-THERE
               WHEN 'MUST'
                   EXEC CICS LINK PROGRAM(CA-PROGRAM) SYSID(CA-SYSID)
                       COMMAREA(WS-FAR)
                   END-EXEC
               WHEN 'SYNC'
                   EXEC CICS LINK PROGRAM(CA-PROGRAM) SYSID(CA-SYSID)
                       COMMAREA(WS-FAR) SYNCONRETURN TRANSID('FARX')
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'BOTH'
                   EXEC CICS LINK PROGRAM(CA-PROGRAM) SYSID(CA-SYSID)
                       COMMAREA(WS-FAR)
                   END-EXEC
                   EXEC CICS LINK PROGRAM(CA-PROGRAM) SYSID(CA-SYSID)
                       COMMAREA(WS-FAR) SYNCONRETURN
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'PART'
                   EXEC CICS LINK PROGRAM(CA-PROGRAM) SYSID(CA-SYSID)
                       COMMAREA(WS-FAR) DATALENGTH(20)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'DEFINED'
                   EXEC CICS LINK PROGRAM(CA-PROGRAM)
                       COMMAREA(WS-FAR)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'CHANNEL'
                   PERFORM BY-CHANNEL
               WHEN 'QUEUE'
                   EXEC CICS WRITEQ TS QNAME('RECIN           ')
                       FROM(CA-ID) SYSID(CA-SYSID) ITEM(WS-HALF)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
                   MOVE WS-HALF TO CA-THEN-RESP
               WHEN 'READ'
                   EXEC CICS READQ TS QNAME('RECIN           ')
                       INTO(FAR-ANSWER) SYSID(CA-SYSID) ITEM(1)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
           END-EVALUATE.
           IF CA-HOW NOT = 'CHANNEL'
               MOVE FAR-ANSWER TO CA-OUT
           END-IF.
           MOVE WS-RESP TO CA-RESP.
           MOVE WS-RESP2 TO CA-RESP2.
           EVALUATE CA-THEN
               WHEN 'ABEND'
                   EXEC CICS ABEND ABCODE('NEAR') END-EXEC
               WHEN 'SYNC'
                   EXEC CICS SYNCPOINT RESP(WS-RESP) END-EXEC
                   MOVE WS-RESP TO CA-THEN-RESP
               WHEN 'BACK'
                   EXEC CICS SYNCPOINT ROLLBACK END-EXEC
               WHEN 'WAIT'
                   EXEC CICS DELAY FOR SECONDS(20) END-EXEC
           END-EVALUATE.
           EXEC CICS RETURN END-EXEC.
      * The region that CA-THEN names takes the item, too.
       TAKE-IT-THERE.
           MOVE CA-ID TO TOO-ID.
           MOVE SPACES TO TOO-REST.
           EXEC CICS LINK PROGRAM('TAKE') SYSID(CA-THEN(1:4))
               COMMAREA(WS-TOO)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC.
       BY-CHANNEL.
           EXEC CICS PUT CONTAINER('TEXT') CHANNEL('CHANNEL')
               FROM(CA-ID) CHAR END-EXEC.
           EXEC CICS PUT CONTAINER('SAME') CHANNEL('CHANNEL')
               FROM(CA-ID) END-EXEC.
           EXEC CICS PUT CONTAINER('GONE') CHANNEL('CHANNEL')
               FROM(CA-ID) END-EXEC.
           EXEC CICS LINK PROGRAM(CA-PROGRAM) SYSID(CA-SYSID)
               CHANNEL('CHANNEL')
               RESP(WS-RESP) RESP2(WS-RESP2)
           END-EXEC.
           IF WS-RESP = 0
               MOVE 20 TO WS-LENGTH
               EXEC CICS GET CONTAINER('BACK') CHANNEL('CHANNEL')
                   INTO(CA-OUT) FLENGTH(WS-LENGTH) END-EXEC
               MOVE 20 TO WS-LENGTH
               EXEC CICS GET CONTAINER('RAW') CHANNEL('CHANNEL')
                   INTO(CA-OUT(21:20)) FLENGTH(WS-LENGTH) END-EXEC
               EXEC CICS GET CONTAINER('GONE') CHANNEL('CHANNEL')
                   NODATA FLENGTH(WS-LENGTH) RESP(WS-RESP) END-EXEC
               MOVE WS-RESP TO CA-THEN-RESP
               MOVE 20 TO WS-LENGTH
               EXEC CICS GET CONTAINER('SAME') CHANNEL('CHANNEL')
                   INTO(CA-ID) FLENGTH(WS-LENGTH) RESP(WS-RESP)
               END-EXEC
           END-IF.
