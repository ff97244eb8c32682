      * Answers an order with the containers in which it came.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ORDECHO.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
