       IDENTIFICATION DIVISION.
       PROGRAM-ID. ECHO.
      * Answers with the length of its commarea, and a counter that
      * is 1 in fresh storage.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-COUNT    PIC 9(4) VALUE 0.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-TEXT   PIC X(8).
           05  CA-LENGTH PIC 9(5).
           05  CA-COUNT  PIC 9(4).
           05  CA-TRAN   PIC X(4).
           05  CA-USER   PIC X(8).
       PROCEDURE DIVISION.
           ADD 1 TO WS-COUNT.
           MOVE EIBCALEN TO CA-LENGTH.
           MOVE WS-COUNT TO CA-COUNT.
           MOVE EIBTRNID TO CA-TRAN.
           EXEC CICS ASSIGN USERID(CA-USER) END-EXEC.
           MOVE 'ANSWERED' TO CA-TEXT.
           EXEC CICS RETURN END-EXEC.
           MOVE 'NOT HERE' TO CA-TEXT.
