       IDENTIFICATION DIVISION.
       PROGRAM-ID. XMLTAILS.
      * Where XML PARSE statements end, and whose phrases are whose.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  DOC             PIC X(100) VALUE '<a/>'.
       01  N               PIC 9(4).
       01  R               PIC X(10).
       PROCEDURE DIVISION.
       MAIN SECTION.
       A.
           XML PARSE DOC PROCESSING PROCEDURE P OF HANDLERS THRU Q OF
               HANDLERS.
           XML PARSE DOC (1:4) ENCODING 1208 PROCESSING PROCEDURE
               IS HANDLERS END-XML
           IF N = 1
               XML PARSE DOC PROCESSING PROCEDURE HANDLERS
                   ON EXCEPTION
                       IF N = 2 MOVE 1 TO N ELSE MOVE 2 TO N END-IF
                       CALL 'X' ON EXCEPTION MOVE 3 TO N
                           NOT ON EXCEPTION MOVE 4 TO N END-CALL
                       EVALUATE N WHEN 1 CONTINUE WHEN OTHER
                           PERFORM UNTIL N > 5 ADD 1 TO N END-PERFORM
                       END-EVALUATE
                       PERFORM P THRU Q
                       COMPUTE N = N / 0 ON SIZE ERROR MOVE 0 TO N
                           NOT ON SIZE ERROR MOVE 6 TO N END-COMPUTE
                   NOT ON EXCEPTION
                       XML PARSE DOC PROCESSING PROCEDURE HANDLERS
                           EXCEPTION MOVE 7 TO N
                       END-XML
                       MOVE 8 TO N
           ELSE
               XML PARSE DOC PROCESSING PROCEDURE HANDLERS
                   NOT EXCEPTION MOVE 9 TO N
           END-IF
           EVALUATE N
             WHEN 1
               XML PARSE DOC PROCESSING PROCEDURE HANDLERS
                   EXCEPTION MOVE 10 TO N
             WHEN 2
               XML PARSE DOC PROCESSING PROCEDURE HANDLERS
             WHEN OTHER
               XML PARSE DOC PROCESSING PROCEDURE HANDLERS
               MOVE 11 TO N
           END-EVALUATE
           XML PARSE DOC PROCESSING PROCEDURE HANDLERS
               EXCEPTION
                   EXEC CICS ABEND ABCODE('XMLX') END-EXEC
               NOT EXCEPTION
                   EXEC CICS DELETEQ TS QUEUE('Q') NOHANDLE END-EXEC
           END-XML
           EXEC CICS RETURN END-EXEC.
       HANDLERS SECTION.
       P.
           MOVE XML-TEXT TO R.
           MOVE LENGTH OF XML-NTEXT TO N.
           MOVE FUNCTION LENGTH (XML-NTEXT) TO N.
           MOVE XML-NTEXT (N:) TO R.
           MOVE XML-NTEXT (N + 1:2) TO R.
           MOVE XML-NAMESPACE (1:N) TO R.
           IF XML-NAMESPACE-PREFIX = SPACES AND XML-EVENT NOT = 'X'
               MOVE 'XML-TEXT' TO R.
       Q.
           EXIT.
