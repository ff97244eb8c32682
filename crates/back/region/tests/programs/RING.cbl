       IDENTIFICATION DIVISION.
       PROGRAM-ID. RING.
      * Links to itself by way of RINGB, each time with storage of
      * its own: after the way back the depth is as it was.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-DEPTH    PIC 9(2) VALUE 0.
       01  WS-LEVEL    PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-DEPTH  PIC 9(2).
           05  CA-MOST   PIC 9(2).
           05  CA-TRACE  PIC X(40).
           05  CA-AT     PIC 9(2).
       PROCEDURE DIVISION.
           IF WS-DEPTH NOT = 0
               MOVE 'STORAGE IS NOT FRESH' TO CA-TRACE
               EXEC CICS ABEND ABCODE('OLD1') END-EXEC
           END-IF.
           ADD 1 TO CA-DEPTH.
           MOVE CA-DEPTH TO WS-DEPTH.
           IF CA-DEPTH < CA-MOST
               EXEC CICS LINK PROGRAM('RINGB') COMMAREA(DFHCOMMAREA)
               END-EXEC
           END-IF.
           EXEC CICS ASSIGN LINKLEVEL(WS-LEVEL) END-EXEC.
           ADD 2 TO CA-AT.
           MOVE WS-DEPTH TO CA-TRACE(CA-AT:2).
           EXEC CICS RETURN END-EXEC.
