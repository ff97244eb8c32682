      * Periods that IBM's compiler assumes: no heading, PROGRAM-ID or entry
      * here has one, and no paragraph ends with one.
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
           PERFORM COUNTING THRU COUNTING-EXIT
           EXEC CICS RETURN END-EXEC
       COUNTING.
           ADD 1 TO
       TOTAL.
           IF TOTAL > 9
              GO TO COUNTING-EXIT
       COUNTING-EXIT.
           EXIT
       END PROGRAM PERIODS.
