       IDENTIFICATION DIVISION.
       PROGRAM-ID. STATUS.
      * Puts the line that it is given into the container of the
      * HTTP status, and answers with its request.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-STATUS.
           COPY STATUSR.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS GET CONTAINER('DFHWS-DATA') INTO(WS-STATUS)
           END-EXEC.
           IF SX-LINE NOT = SPACES
               EXEC CICS PUT CONTAINER('DFHHTTPSTATUS') CHAR
                   FROM(SX-LINE)
               END-EXEC
           END-IF.
           EXEC CICS PUT CONTAINER('DFHWS-DATA') FROM(WS-STATUS)
           END-EXEC.
           EXEC CICS RETURN END-EXEC.
