       IDENTIFICATION DIVISION.
       PROGRAM-ID. LINKER.
      * Links to CALLEE as often as its commarea says, with 1K in a
      * commarea or in a container.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-COUNT     PIC S9(9) COMP-5.
       01  WS-DATA      PIC X(1024).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW    PIC X.
           05  CA-COUNT  PIC 9(7).
           05  FILLER    PIC X(1016).
       PROCEDURE DIVISION.
           EXEC CICS PUT CONTAINER('DATA') CHANNEL('BENCH')
               FROM(WS-DATA)
           END-EXEC.
           IF CA-HOW = 'C'
               PERFORM VARYING WS-COUNT FROM 1 BY 1
                       UNTIL WS-COUNT > CA-COUNT
                   EXEC CICS LINK PROGRAM('CALLEE')
                       COMMAREA(WS-DATA)
                   END-EXEC
               END-PERFORM
           ELSE
               PERFORM VARYING WS-COUNT FROM 1 BY 1
                       UNTIL WS-COUNT > CA-COUNT
                   EXEC CICS LINK PROGRAM('CALLEE')
                       CHANNEL('BENCH')
                   END-EXEC
               END-PERFORM
           END-IF.
           EXEC CICS RETURN END-EXEC.
