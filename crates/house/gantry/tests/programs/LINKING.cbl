       IDENTIFICATION DIVISION.
       PROGRAM-ID. LINKING.
      * Links to PRICER, and answers with what LINK said and with the
      * user of its task.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP      PIC S9(8) COMP.
       01  WS-RESP2     PIC S9(8) COMP.
       01  WS-SAID.
           05  WS-R     PIC 9(3).
           05  FILLER   PIC X VALUE SPACE.
           05  WS-R2    PIC 9(3).
       01  WS-USER      PIC X(8).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY STATUSR.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS LINK PROGRAM('PRICER') RESP(WS-RESP)
               RESP2(WS-RESP2)
           END-EXEC.
           MOVE WS-RESP TO WS-R MOVE WS-RESP2 TO WS-R2.
           MOVE WS-SAID TO SX-LINE.
           EXEC CICS ASSIGN USERID(WS-USER) END-EXEC.
           MOVE WS-USER TO SX-TEXT.
           EXEC CICS RETURN END-EXEC.
