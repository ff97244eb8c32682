       IDENTIFICATION DIVISION.
       PROGRAM-ID. STARTED.
      * Is started, and notes in a queue what it was started with.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP     PIC S9(8) COMP.
       01  WS-LEN      PIC S9(4) COMP VALUE 3.
       01  WS-NOTE.
           05  WS-TRAN   PIC X(4).
           05  WS-CODE   PIC X(2).
           05  WS-USER   PIC X(8).
           05  WS-R1     PIC 9(3).
           05  WS-R2     PIC 9(3).
           05  WS-R3     PIC 9(3).
           05  WS-DATA   PIC X(8).
           05  WS-RTRAN  PIC X(4).
           05  WS-RTERM  PIC X(4).
           05  WS-QUEUE  PIC X(8).
           05  WS-LEN2   PIC 9(3).
       PROCEDURE DIVISION.
           MOVE EIBTRNID TO WS-TRAN.
           EXEC CICS ASSIGN STARTCODE(WS-CODE) USERID(WS-USER) END-EXEC.
           EXEC CICS RETRIEVE INTO(WS-DATA) RTRANSID(WS-RTRAN)
               RTERMID(WS-RTERM) QUEUE(WS-QUEUE)
               RESP(WS-RESP) END-EXEC.
           MOVE WS-RESP TO WS-R1.
           EXEC CICS RETRIEVE INTO(WS-DATA) LENGTH(WS-LEN)
               RESP(WS-RESP) END-EXEC.
           MOVE WS-RESP TO WS-R2.
           MOVE WS-LEN TO WS-LEN2.
           EXEC CICS GET CONTAINER('C1') INTO(WS-DATA)
               RESP(WS-RESP) END-EXEC.
           MOVE WS-RESP TO WS-R3.
           EXEC CICS WRITEQ TS QUEUE('NOTES') FROM(WS-NOTE) END-EXEC.
           EXEC CICS RETURN END-EXEC.
