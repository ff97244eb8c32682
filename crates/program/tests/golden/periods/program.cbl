      * Periods that IBM's compiler assumes: no heading, PROGRAM-ID or entry
      * here has one, up to the PROCEDURE DIVISION.
       IDENTIFICATION DIVISION
       PROGRAM-ID. PERIODS
       ENVIRONMENT DIVISION
       CONFIGURATION SECTION
       DATA DIVISION
       WORKING-STORAGE SECTION
       01  COUNTS
           05  SHELF OCCURS
               12 TIMES    PIC 9(4) VALUE
               7
           05  FILLER      PIC X
               88 SMALL    VALUES 1
               2 THRU 5
           05              PIC X(3)
       77  TOTAL           PIC S9(4) VALUE
              8 COMP
       LINKAGE SECTION
       01  DFHCOMMAREA     PIC X(4)
       PROCEDURE DIVISION.
       MAIN-PARA.
           ADD 1 TO TOTAL.
           EXEC CICS RETURN END-EXEC.
       END PROGRAM PERIODS.
