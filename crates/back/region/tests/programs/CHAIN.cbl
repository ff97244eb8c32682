       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHAIN.
      * What another region's FAR links to: writes the item to a queue
      * here, unless it says ONLY, and takes it on to a third region.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP     PIC S9(8) COMP.
       01  WS-RESP2    PIC S9(8) COMP.
       01  WS-SYSID    PIC X(4).
       01  WS-TAKEN    PIC X(68).
       01  WS-SEEN.
           05  SEEN-RESP   PIC 9(5).
           05  SEEN-RESP2  PIC 9(5).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-ID       PIC X(20).
           05  CA-WHAT     PIC X(8).
           05  CA-ANSWER   PIC X(40).
       PROCEDURE DIVISION.
           IF CA-WHAT(5:4) NOT = 'ONLY'
               EXEC CICS WRITEQ TS QNAME('RECIN           ')
                   FROM(CA-ID) END-EXEC
           END-IF.
           MOVE CA-ID TO WS-TAKEN.
           MOVE CA-WHAT(1:4) TO WS-SYSID.
           IF CA-WHAT(5:4) = 'SYNC'
               EXEC CICS LINK PROGRAM('TAKE') SYSID(WS-SYSID)
                   COMMAREA(WS-TAKEN) SYNCONRETURN
                   RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           ELSE
               EXEC CICS LINK PROGRAM('TAKE') SYSID(WS-SYSID)
                   COMMAREA(WS-TAKEN)
                   RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           END-IF.
           MOVE WS-RESP TO SEEN-RESP.
           MOVE WS-RESP2 TO SEEN-RESP2.
           MOVE WS-SEEN TO CA-ANSWER.
           EXEC CICS RETURN END-EXEC.
