       IDENTIFICATION DIVISION.
       PROGRAM-ID. NOTES.
      * Reads the next note of started tasks; blanks if there is none.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP     PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA PIC X(50).
       PROCEDURE DIVISION.
           MOVE SPACES TO DFHCOMMAREA.
           EXEC CICS READQ TS QUEUE('NOTES') INTO(DFHCOMMAREA)
               RESP(WS-RESP) END-EXEC.
           EXEC CICS RETURN END-EXEC.
