       IDENTIFICATION DIVISION.
       PROGRAM-ID. DATES.
      *
      * Services of Language Environment for dates and times, called
      * through a subprogram that knows nothing of CICS; and STOP RUN.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  FC.
           05  FC-TOKEN.
               88  FC-GOOD       VALUE X'0000000000000000'.
               88  FC-BAD-DATE   VALUE X'000309CC59C3C5C5'.
               88  FC-BAD-MONTH  VALUE X'000309D559C3C5C5'.
               10  FC-SEVERITY   PIC S9(4) BINARY.
               10  FC-MESSAGE    PIC S9(4) BINARY.
               10  FILLER        PIC X(4).
           05  FILLER            PIC S9(9) BINARY.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY DATES.
       PROCEDURE DIVISION.
       MAIN-LINE.
           IF DA-SERVICE = 'STOPRUN'
               MOVE 'STOPPED' TO DA-RESULT
               STOP RUN
           END-IF
           CALL 'DATESUB' USING DA-SERVICE DA-TEXT DA-PICTURE DA-DAYS
               DA-RESULT FC
           MOVE FC-SEVERITY TO DA-SEVERITY
           MOVE FC-MESSAGE TO DA-MESSAGE
           EVALUATE TRUE
               WHEN FC-GOOD      MOVE 'GOOD' TO DA-KNOWN
               WHEN FC-BAD-DATE  MOVE 'DATE' TO DA-KNOWN
               WHEN FC-BAD-MONTH MOVE 'MNTH' TO DA-KNOWN
               WHEN OTHER        MOVE '????' TO DA-KNOWN
           END-EVALUATE
           MOVE 60000 TO DA-ROOM
           EXEC CICS RETURN END-EXEC.
