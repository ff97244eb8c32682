       IDENTIFICATION DIVISION.
       PROGRAM-ID. ALONE.
      *
      * Puts its record in a container, and gets it back. It calls
      * nobody.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH         PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY TYPICAL REPLACING ==DETAIL== BY ==ROWS==
                                  ==UNIT== BY ==PACK==.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('TYPICAL')
               FROM(DFHCOMMAREA)
           END-EXEC
           MOVE LENGTH OF DFHCOMMAREA TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-DATA') CHANNEL('TYPICAL')
               INTO(DFHCOMMAREA) FLENGTH(WS-LENGTH)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
