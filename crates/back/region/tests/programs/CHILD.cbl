       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHILD.
      * Answers in the channel that it gets, if it gets one.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-IN       PIC X(3) VALUE SPACES.
       01  WS-OUT      PIC X(8).
       01  WS-RESP     PIC S9(8) COMP.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('IN') INTO(WS-IN)
               RESP(WS-RESP) END-EXEC.
           IF WS-RESP NOT = 0 GOBACK END-IF.
           STRING WS-IN '-' EIBTRNID DELIMITED BY SIZE INTO WS-OUT.
           EXEC CICS PUT CONTAINER('OUT') FROM(WS-OUT) END-EXEC.
           EXEC CICS RETURN END-EXEC.
