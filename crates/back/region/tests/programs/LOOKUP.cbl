       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOOKUP.
      * Says how long the program is that its commarea names, and
      * which programs are behind that name.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-BYTES    PIC S9(8) COMP.
       01  WS-RESP     PIC S9(8) COMP.
       01  WS-AT       PIC S9(4) COMP VALUE 1.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-NAME    PIC X(8).
           05  CA-BYTES   PIC 9(8).
           05  CA-BEHIND  PIC X(8) OCCURS 3.
       PROCEDURE DIVISION.
           EXEC CICS INQUIRE PROGRAM(CA-NAME) LENGTH(WS-BYTES)
               RESP(WS-RESP) END-EXEC.
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE WS-BYTES TO CA-BYTES
           END-IF.
           EXEC CICS INQUIRE PROGRAM START AT(CA-NAME) END-EXEC.
           PERFORM UNTIL WS-RESP NOT = DFHRESP(NORMAL) OR WS-AT > 3
               EXEC CICS INQUIRE PROGRAM(CA-BEHIND(WS-AT)) NEXT
                   RESP(WS-RESP) END-EXEC
               ADD 1 TO WS-AT
           END-PERFORM.
           EXEC CICS INQUIRE PROGRAM END END-EXEC.
           EXEC CICS RETURN END-EXEC.
