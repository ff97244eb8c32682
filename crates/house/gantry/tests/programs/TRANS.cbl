       IDENTIFICATION DIVISION.
       PROGRAM-ID. TRANS.
      * Tells the transaction that it runs under.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY TRANSR.
       PROCEDURE DIVISION.
           MOVE EIBTRNID TO TRANSACTION-OF.
           EXEC CICS RETURN END-EXEC.
