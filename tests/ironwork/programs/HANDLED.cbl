       IDENTIFICATION DIVISION.
       PROGRAM-ID. HANDLED.
      *
      * Fails with a condition that its caller has a label for.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-DATA           PIC X(4).
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS READQ TS QUEUE('HNNONE') INTO(WS-DATA)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
