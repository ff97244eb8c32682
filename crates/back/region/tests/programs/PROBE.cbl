       IDENTIFICATION DIVISION.
       PROGRAM-ID. PROBE.
      * Tries what a worker may not do, by the C library, and tells
      * what came of it; and what it finds in its storage.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESULT   PIC S9(9) COMP-5.
       01  WS-TWO      PIC S9(9) COMP-5 VALUE 2.
       01  WS-ONE      PIC S9(9) COMP-5 VALUE 1.
       01  WS-ZERO     PIC S9(9) COMP-5 VALUE 0.
       01  WS-FLAGS    PIC S9(9) COMP-5 VALUE 577.
       01  WS-MODE     PIC S9(9) COMP-5 VALUE 438.
       01  WS-NAME     PIC X(16).
      * A name in a literal would be a program's, in capitals.
       01  WS-FUNCTION PIC X(8).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW     PIC X(8).
           05  CA-RESULT  PIC S9(9) SIGN LEADING SEPARATE.
           05  CA-NAME    PIC X(64).
       PROCEDURE DIVISION.
           INSPECT CA-NAME REPLACING ALL '!' BY LOW-VALUE.
           EVALUATE CA-HOW
               WHEN 'SOCKET'
                   MOVE 'socket' TO WS-FUNCTION
                   CALL WS-FUNCTION USING BY VALUE WS-TWO WS-ONE WS-ZERO
                       RETURNING WS-RESULT
               WHEN 'OPEN'
                   MOVE 'open' TO WS-FUNCTION
                   CALL WS-FUNCTION USING BY REFERENCE CA-NAME
                       BY VALUE WS-ZERO RETURNING WS-RESULT
               WHEN 'CREATE'
                   MOVE 'open' TO WS-FUNCTION
                   CALL WS-FUNCTION USING BY REFERENCE CA-NAME
                       BY VALUE WS-FLAGS WS-MODE RETURNING WS-RESULT
               WHEN 'EXEC'
                   MOVE 'system' TO WS-FUNCTION
                   CALL WS-FUNCTION USING BY REFERENCE CA-NAME
                       RETURNING WS-RESULT
               WHEN 'KILL'
                   MOVE 'getppid' TO WS-FUNCTION
                   CALL WS-FUNCTION RETURNING WS-RESULT
                   MOVE 'kill' TO WS-FUNCTION
                   CALL WS-FUNCTION USING BY VALUE WS-RESULT WS-ZERO
                       RETURNING WS-RESULT
               WHEN 'INPUT'
                   MOVE SPACES TO CA-NAME
                   ACCEPT CA-NAME FROM SYSIN
                   MOVE 1 TO WS-RESULT
               WHEN 'FORK'
                   MOVE 'fork' TO WS-FUNCTION
                   CALL WS-FUNCTION RETURNING WS-RESULT
           END-EVALUATE
           MOVE WS-RESULT TO CA-RESULT
           EXEC CICS RETURN END-EXEC.
