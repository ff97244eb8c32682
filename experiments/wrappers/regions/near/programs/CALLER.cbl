       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLER.
      *
      * Links to the application by the way that the record names.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH         PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY APPREC.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EVALUATE WAY
               WHEN 'LINK'
                   EXEC CICS LINK PROGRAM('APPLIC')
                       COMMAREA(DFHCOMMAREA)
                   END-EXEC
               WHEN 'REGION'
                   EXEC CICS LINK PROGRAM('APPLIC') SYSID('FARR')
                       COMMAREA(DFHCOMMAREA)
                   END-EXEC
               WHEN 'CHANNEL'
                   MOVE LENGTH OF DFHCOMMAREA TO WS-LENGTH
                   EXEC CICS PUT CONTAINER('RECORD') CHANNEL('APP')
                       FROM(DFHCOMMAREA) FLENGTH(WS-LENGTH)
                   END-EXEC
                   EXEC CICS LINK PROGRAM('APPLIC') CHANNEL('APP')
                   END-EXEC
                   EXEC CICS GET CONTAINER('RECORD') CHANNEL('APP')
                       INTO(DFHCOMMAREA) FLENGTH(WS-LENGTH)
                   END-EXEC
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
