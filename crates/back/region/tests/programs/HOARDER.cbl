       IDENTIFICATION DIVISION.
       PROGRAM-ID. HOARDER.
      * Links to HOARD, and waits for a second before it if it is told.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA  PIC X(8).
       PROCEDURE DIVISION.
           IF DFHCOMMAREA = 'WAIT'
               EXEC CICS DELAY FOR MILLISECS(300) END-EXEC
           ELSE
               EXEC CICS LINK PROGRAM('HOARD')
                   COMMAREA(DFHCOMMAREA)
               END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
