       IDENTIFICATION DIVISION.
       PROGRAM-ID. ABENDED.
      *
      * Ends abnormally.
      *
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS ABEND ABCODE('DOWN') END-EXEC
           EXEC CICS RETURN END-EXEC.
