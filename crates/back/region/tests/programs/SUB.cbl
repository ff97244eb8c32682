       IDENTIFICATION DIVISION.
       PROGRAM-ID. SUB.
      * Called by CALLER: returns from the level of both.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-COUNT    PIC 9(4) VALUE 0.
       LINKAGE SECTION.
       01  LK-HOW      PIC X.
       01  LK-COUNT    PIC 9(4).
       PROCEDURE DIVISION USING LK-HOW LK-COUNT.
           ADD 1 TO WS-COUNT.
           MOVE WS-COUNT TO LK-COUNT.
           IF LK-HOW = 'R'
               EXEC CICS RETURN END-EXEC
           END-IF.
           IF LK-HOW = 'A'
               EXEC CICS ABEND ABCODE('SUBA') END-EXEC
           END-IF.
           IF LK-HOW = 'S'
               STOP RUN.
           GOBACK.
