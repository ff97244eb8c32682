      * Doubles what it gets, in a commarea or in the container NUMBERS.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FLOATS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY FLOATSR.
       LINKAGE SECTION.
       01  DFHCOMMAREA             PIC X(14).
       PROCEDURE DIVISION.
           IF EIBCALEN > 0
               MOVE DFHCOMMAREA TO FLOATS
           ELSE
               EXEC CICS GET CONTAINER('NUMBERS') INTO(FLOATS) END-EXEC
           END-IF
           ADD FL-SHORT TO FL-SHORT
           ADD FL-LONG TO FL-LONG
           ADD FL-NATIVE TO FL-NATIVE
           IF EIBCALEN > 0
               MOVE FLOATS TO DFHCOMMAREA
           ELSE
               EXEC CICS PUT CONTAINER('NUMBERS') FROM(FLOATS) END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
