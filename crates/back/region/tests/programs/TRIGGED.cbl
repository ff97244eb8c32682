       IDENTIFICATION DIVISION.
       PROGRAM-ID. TRIGGED.
      * Is started by a transient data queue: notes what it is, and
      * reads the queue as the first record says: KEEP leaves it after
      * one record, STOP abends after one, all others are read to the
      * end of the queue.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP     PIC S9(8) COMP.
       01  WS-LEN      PIC S9(4) COMP.
       01  WS-TEXT     PIC X(8).
       01  WS-NOTE.
           05  WS-TRAN   PIC X(4).
           05  WS-CODE   PIC X(2).
           05  WS-USER   PIC X(8).
           05  WS-QUEUE  PIC X(4).
           05  WS-FIRST  PIC X(8).
           05  WS-COUNT  PIC 9(3) VALUE 0.
       PROCEDURE DIVISION.
           MOVE EIBTRNID TO WS-TRAN.
           EXEC CICS ASSIGN STARTCODE(WS-CODE) USERID(WS-USER)
               QNAME(WS-QUEUE) END-EXEC.
           MOVE 0 TO WS-RESP.
           PERFORM UNTIL WS-RESP NOT = 0
               MOVE 8 TO WS-LEN
               MOVE SPACES TO WS-TEXT
               EXEC CICS READQ TD QUEUE(WS-QUEUE) INTO(WS-TEXT)
                   LENGTH(WS-LEN) RESP(WS-RESP) END-EXEC
               IF WS-RESP = 0
                   ADD 1 TO WS-COUNT
                   IF WS-COUNT = 1
                       MOVE WS-TEXT TO WS-FIRST
                   END-IF
                   IF WS-FIRST = 'KEEP' OR WS-FIRST = 'STOP'
                       MOVE 99 TO WS-RESP
                   END-IF
               END-IF
           END-PERFORM.
           EXEC CICS WRITEQ TS QUEUE('NOTES') FROM(WS-NOTE) END-EXEC.
           IF WS-FIRST = 'STOP'
               EXEC CICS ABEND ABCODE('STOP') END-EXEC
           END-IF.
           EXEC CICS RETURN END-EXEC.
