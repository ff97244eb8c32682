       IDENTIFICATION DIVISION.
       PROGRAM-ID. LINKX.
      *
      * Transfers control to the end of the chain.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RUNS           PIC 9(2) VALUE 0.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY LINKS.
       PROCEDURE DIVISION.
       MAIN-LINE.
           COPY LINKSTEP.
           EXEC CICS XCTL PROGRAM('LINKC') COMMAREA(DFHCOMMAREA)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
