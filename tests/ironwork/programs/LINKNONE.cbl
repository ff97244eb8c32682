       IDENTIFICATION DIVISION.
       PROGRAM-ID. LINKNONE.
      *
      * Ends normally without a commarea, abnormally with one.
      *
       PROCEDURE DIVISION.
       MAIN-LINE.
           IF EIBCALEN NOT = 0
               EXEC CICS ABEND ABCODE('CALN') END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
