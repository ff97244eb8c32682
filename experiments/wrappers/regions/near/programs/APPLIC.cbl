       IDENTIFICATION DIVISION.
       PROGRAM-ID. APPLIC.
      *
      * The application: it works for a while and sends the record back,
      * in its commarea or in a container.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD.
           COPY APPREC.
       01  WS-LENGTH         PIC S9(8) COMP.
       01  WS-COUNT          PIC S9(9) COMP-5.
       01  WS-SUM            PIC S9(9) COMP-5.
       LINKAGE SECTION.
       01  DFHCOMMAREA       PIC X(1008).
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE 0 TO WS-SUM
           PERFORM VARYING WS-COUNT FROM 1 BY 1
                   UNTIL WS-COUNT > {{loops}}
               ADD 1 TO WS-SUM
           END-PERFORM
           IF EIBCALEN = 0
               MOVE LENGTH OF WS-RECORD TO WS-LENGTH
               EXEC CICS GET CONTAINER('RECORD')
                   INTO(WS-RECORD) FLENGTH(WS-LENGTH)
               END-EXEC
               EXEC CICS PUT CONTAINER('RECORD')
                   FROM(WS-RECORD) FLENGTH(WS-LENGTH)
               END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
