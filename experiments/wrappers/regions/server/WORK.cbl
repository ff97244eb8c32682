       IDENTIFICATION DIVISION.
       PROGRAM-ID. WORK.
      *
      * The application as a TCP server has it: it works for a while.
      * The record is sent back as it is. The counters are the
      * caller's, so that the C compiler cannot leave out the loop.
      *
       DATA DIVISION.
       LINKAGE SECTION.
       01  LS-RECORD         PIC X(1008).
       01  LS-COUNT          PIC S9(9) COMP-5.
       01  LS-SUM            PIC S9(9) COMP-5.
       PROCEDURE DIVISION USING LS-RECORD LS-COUNT LS-SUM.
       MAIN-LINE.
           MOVE 0 TO LS-SUM
           PERFORM VARYING LS-COUNT FROM 1 BY 1
                   UNTIL LS-COUNT > {{loops}}
               ADD 1 TO LS-SUM
           END-PERFORM
           GOBACK.
