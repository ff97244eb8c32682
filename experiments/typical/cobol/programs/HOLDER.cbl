       IDENTIFICATION DIVISION.
       PROGRAM-ID. HOLDER.
      *
      * Takes the record from a container, and puts it back.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD.
           COPY TYPICAL REPLACING ==DETAIL== BY ==ROWS==
                                  ==UNIT== BY ==PACK==.
       01  WS-LENGTH         PIC S9(8) COMP.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE LENGTH OF WS-RECORD TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-DATA')
               INTO(WS-RECORD) FLENGTH(WS-LENGTH)
           END-EXEC
           EXEC CICS PUT CONTAINER('DFHWS-DATA')
               FROM(WS-RECORD) FLENGTH(WS-LENGTH)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
