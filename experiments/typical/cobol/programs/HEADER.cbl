       IDENTIFICATION DIVISION.
       PROGRAM-ID. HEADER.
      *
      * A header program. It takes the block of the request, and gives
      * the answer one of its own.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-FUNCTION       PIC X(16).
       01  WS-HEADER         PIC X(500).
       01  WS-LENGTH         PIC S9(8) COMP.
       01  WS-DONE.
           05  FILLER        PIC X(7) VALUE '<h:Done'.
           05  FILLER        PIC X(41) VALUE
               ' xmlns:h="http://www.TYPICAL.Header.com">'.
           05  FILLER        PIC X(12) VALUE 'yes</h:Done>'.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS GET CONTAINER('DFHFUNCTION')
               INTO(WS-FUNCTION)
           END-EXEC
           IF WS-FUNCTION = 'RECEIVE-REQUEST'
               MOVE LENGTH OF WS-HEADER TO WS-LENGTH
               EXEC CICS GET CONTAINER('DFHHEADER')
                   INTO(WS-HEADER) FLENGTH(WS-LENGTH)
               END-EXEC
               EXEC CICS DELETE CONTAINER('DFHHEADER') END-EXEC
           ELSE
               EXEC CICS PUT CONTAINER('DFHHEADER') FROM(WS-DONE)
                   CHAR
               END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
