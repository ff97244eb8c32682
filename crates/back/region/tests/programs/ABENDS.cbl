       IDENTIFICATION DIVISION.
       PROGRAM-ID. ABENDS.
      * Ends with an abend, whoever begins it.
       PROCEDURE DIVISION.
           EXEC CICS ABEND ABCODE('OOPS') NODUMP END-EXEC.
