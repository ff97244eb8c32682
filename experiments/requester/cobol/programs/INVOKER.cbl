       IDENTIFICATION DIVISION.
       PROGRAM-ID. INVOKER.
      *
      * Sends its record to a SOAP server, and gives back what that
      * answers.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH         PIC S9(8) COMP.
       01  WS-OPERATION      PIC X(255) VALUE 'TYPICALOperation'.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY TYPICAL REPLACING ==DETAIL== BY ==ROWS==
                                  ==UNIT== BY ==PACK==.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('TYPICAL')
               FROM(DFHCOMMAREA)
           END-EXEC
           EXEC CICS INVOKE SERVICE('TYPICAL') CHANNEL('TYPICAL')
               OPERATION(WS-OPERATION)
           END-EXEC
           MOVE LENGTH OF DFHCOMMAREA TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-DATA') CHANNEL('TYPICAL')
               INTO(DFHCOMMAREA) FLENGTH(WS-LENGTH)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
