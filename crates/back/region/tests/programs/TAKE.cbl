       IDENTIFICATION DIVISION.
       PROGRAM-ID. TAKE.
      * What another region's FAR links to: writes the item to a queue
      * here, and says what it sees.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP     PIC S9(8) COMP.
       01  WS-RESP2    PIC S9(8) COMP.
       01  WS-LENGTH   PIC S9(8) COMP.
       01  WS-TEXT     PIC X(20).
       01  WS-SEEN.
           05  SEEN-SYSID  PIC X(4).
           05  SEEN-TRAN   PIC X(4).
           05  SEEN-USER   PIC X(8).
           05  SEEN-LENGTH PIC 9(5).
           05  SEEN-RESP   PIC 9(5).
           05  SEEN-RESP2  PIC 9(5).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-ID       PIC X(20).
           05  CA-WHAT     PIC X(8).
           05  CA-ANSWER   PIC X(40).
       PROCEDURE DIVISION.
       MAIN-LINE.
           IF EIBCALEN = 0
               PERFORM BY-CHANNEL
               EXEC CICS RETURN END-EXEC
           END-IF.
           IF CA-ID NOT = SPACES
               EXEC CICS WRITEQ TS QNAME('RECIN           ')
                   FROM(CA-ID)
               END-EXEC
           END-IF.
           MOVE 0 TO WS-RESP WS-RESP2.
           EVALUATE CA-WHAT
               WHEN 'ABEND'
                   EXEC CICS ABEND ABCODE('FARA') END-EXEC
               WHEN 'ASP3'
               WHEN 'ASP7'
               WHEN 'APCT'
                   EXEC CICS ABEND ABCODE(CA-WHAT(1:4)) END-EXEC
               WHEN 'SYNC'
                   EXEC CICS SYNCPOINT
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'SYNC-AB'
                   EXEC CICS SYNCPOINT END-EXEC
               WHEN 'WAIT'
                   EXEC CICS DELAY FOR SECONDS(20) END-EXEC
           END-EVALUATE.
           EXEC CICS ASSIGN SYSID(SEEN-SYSID) USERID(SEEN-USER)
           END-EXEC.
           MOVE EIBTRNID TO SEEN-TRAN.
           MOVE EIBCALEN TO SEEN-LENGTH.
           MOVE WS-RESP TO SEEN-RESP.
           MOVE WS-RESP2 TO SEEN-RESP2.
           MOVE WS-SEEN TO CA-ANSWER.
           EXEC CICS RETURN END-EXEC.
       BY-CHANNEL.
           MOVE 20 TO WS-LENGTH.
           EXEC CICS GET CONTAINER('TEXT') INTO(WS-TEXT)
               FLENGTH(WS-LENGTH) END-EXEC.
           EXEC CICS PUT CONTAINER('RAW') FROM(WS-TEXT) END-EXEC.
           EXEC CICS PUT CONTAINER('BACK') FROM(WS-TEXT) CHAR
           END-EXEC.
           EXEC CICS DELETE CONTAINER('GONE') END-EXEC.
