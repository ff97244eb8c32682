       IDENTIFICATION DIVISION.
       PROGRAM-ID. WORKAREA.
      * Uses the transaction work area at two link levels.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH         PIC S9(4) COMP VALUE -1.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-LEVEL      PIC X.
           05  CA-LENGTH     PIC 9(5).
           05  CA-BEFORE     PIC X(4).
           05  CA-AFTER      PIC X(4).
       01  LK-TWA.
           05  FILLER        PIC X(96).
           05  LK-LAST       PIC X(4).
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN TWALENG(WS-LENGTH) END-EXEC.
           MOVE WS-LENGTH TO CA-LENGTH.
           IF WS-LENGTH < 100
               EXEC CICS RETURN END-EXEC
           END-IF.
           EXEC CICS ADDRESS TWA(ADDRESS OF LK-TWA) END-EXEC.
           IF CA-LEVEL = '2'
               MOVE 'MINE' TO LK-LAST
               EXEC CICS RETURN END-EXEC
           END-IF.
           IF LK-TWA = LOW-VALUES
               MOVE 'ZERO' TO CA-BEFORE
           END-IF.
           MOVE '2' TO CA-LEVEL.
           EXEC CICS LINK PROGRAM('WORKAREA') COMMAREA(DFHCOMMAREA)
               END-EXEC.
           MOVE LK-LAST TO CA-AFTER.
           EXEC CICS RETURN END-EXEC.
