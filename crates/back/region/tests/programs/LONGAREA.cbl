       IDENTIFICATION DIVISION.
       PROGRAM-ID. LONGAREA.
      * Its own DFHCOMMAREA is longer than any that it is given: counts
      * the zeros behind the given bytes, and writes over them.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ZEROS-BEHIND            PIC 9(5) VALUE 0.
       01  AT-BYTE                 PIC 9(5).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  ANSWER              PIC 9(5).
           05  BEHIND              PIC X OCCURS 32758.
       PROCEDURE DIVISION.
           COMPUTE AT-BYTE = EIBCALEN - 4.
           PERFORM VARYING AT-BYTE FROM AT-BYTE BY 1
                   UNTIL AT-BYTE > 32758
             IF BEHIND(AT-BYTE) = LOW-VALUE
               ADD 1 TO ZEROS-BEHIND
             END-IF
             MOVE 'Z' TO BEHIND(AT-BYTE)
           END-PERFORM.
           MOVE ZEROS-BEHIND TO ANSWER.
           EXEC CICS RETURN END-EXEC.
