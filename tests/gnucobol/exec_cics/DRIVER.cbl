      * Runs a translated program as a worker does: with an EXEC
      * interface block and a commarea.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. DRIVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  EIB       PIC X(85) VALUE LOW-VALUES.
       01  COMMAREA  PIC X(20) VALUE 'COMMAREA'.
       PROCEDURE DIVISION.
           CALL 'test_begin' USING EIB.
           CALL 'CALLS' USING EIB COMMAREA.
           DISPLAY 'BACK ' RETURN-CODE.
           STOP RUN.
