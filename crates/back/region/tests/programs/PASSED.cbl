       IDENTIFICATION DIVISION.
       PROGRAM-ID. PASSED.
      * Passes control to itself, and tells of its EIB then.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-STEP       PIC X.
           05  CA-TIME       PIC 9(7).
           05  CA-TIME-THEN  PIC 9(7).
           05  CA-RESOURCE   PIC X(8).
           05  CA-FUNCTION   PIC X(3).
       PROCEDURE DIVISION.
           IF CA-STEP = '1'
               MOVE '2' TO CA-STEP
               MOVE EIBTIME TO CA-TIME
               EXEC CICS DELAY FOR SECONDS(1) END-EXEC
               EXEC CICS XCTL PROGRAM('PASSED') COMMAREA(DFHCOMMAREA)
                   END-EXEC
           END-IF.
           MOVE EIBTIME TO CA-TIME-THEN.
           MOVE EIBRSRCE TO CA-RESOURCE.
           IF EIBFN = X'0E04'
               MOVE 'YES' TO CA-FUNCTION
           END-IF.
           EXEC CICS RETURN END-EXEC.
