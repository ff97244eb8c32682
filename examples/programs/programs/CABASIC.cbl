       IDENTIFICATION DIVISION.
       PROGRAM-ID. CABASIC.
      *
      * Answers with as many blocks of 32 bytes as the request asks
      * for: one with sizes, the others with letters.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LETTERS.
           05  FILLER        PIC X(26) VALUE
               'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.
           05  FILLER        PIC X(26) VALUE
               'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.
           05  FILLER        PIC X(26) VALUE
               'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.
       01  WS-ROW            PIC S9(4) COMP-5.
       01  WS-ROWS           PIC S9(4) COMP-5.
       01  WS-FIRST          PIC S9(4) COMP-5.
       01  WS-LENGTH         PIC S9(8) COMP.
       01  CABASIC-REQUEST.
           COPY CABASRQ.
       01  CABASIC-RESPONSE.
           COPY CABASRS2.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE LENGTH OF CABASIC-REQUEST TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-DATA')
               INTO(CABASIC-REQUEST) FLENGTH(WS-LENGTH)
           END-EXEC
           MOVE WS-LENGTH TO RECV-SIZE
           IF COUNT-OUT < 1 OR COUNT-OUT > 32
               EXEC CICS ABEND ABCODE('CBCT') END-EXEC
           END-IF
           COMPUTE SEND-SIZE = COUNT-OUT * 32
           MOVE EIBTASKN TO TASKID
           MOVE EIBTRNID TO TRANID
           MOVE SPACES TO RS-SPARE
           MOVE COUNT-OUT TO WS-ROWS
           MOVE 1 TO WS-FIRST
           PERFORM VARYING WS-ROW FROM 1 BY 1 UNTIL WS-ROW >= WS-ROWS
               MOVE WS-LETTERS(WS-FIRST:32) TO USER-DATA(WS-ROW)
               ADD 1 TO WS-FIRST
               IF WS-FIRST > 26
                   MOVE 1 TO WS-FIRST
               END-IF
           END-PERFORM
           MOVE SEND-SIZE TO WS-LENGTH
           EXEC CICS PUT CONTAINER('DFHWS-DATA')
               FROM(CABASIC-RESPONSE) FLENGTH(WS-LENGTH)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
