       IDENTIFICATION DIVISION.
       PROGRAM-ID. LINKB.
      *
      * The middle of the chain.
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
           EXEC CICS LINK PROGRAM('LINKC') COMMAREA(DFHCOMMAREA)
               LENGTH(EIBCALEN) END-EXEC
           EXEC CICS RETURN END-EXEC.
