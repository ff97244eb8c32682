       IDENTIFICATION DIVISION.
       PROGRAM-ID. FARTASK.
      * Is started: writes an item here, and has TAKE write one in
      * REGB, in one unit of work.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TAKEN.
           05  TAKEN-ID      PIC X(20) VALUE 'STARTED'.
           05  FILLER        PIC X(48) VALUE SPACES.
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TS QNAME('RECOUT          ')
               FROM(TAKEN-ID) END-EXEC.
           EXEC CICS LINK PROGRAM('TAKE') SYSID('REGB')
               COMMAREA(WS-TAKEN) END-EXEC.
           EXEC CICS RETURN END-EXEC.
