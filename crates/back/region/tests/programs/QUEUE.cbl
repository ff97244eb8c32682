       IDENTIFICATION DIVISION.
       PROGRAM-ID. QUEUE.
      * Writes its text to a queue, or reads an item of it.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ITEM     PIC S9(4) COMP.
       01  WS-RESP     PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW    PIC X.
           05  CA-ITEM   PIC 9(5).
           05  CA-RESP   PIC 9(3).
           05  CA-TEXT   PIC X(12).
       PROCEDURE DIVISION.
           MOVE CA-ITEM TO WS-ITEM.
           EVALUATE CA-HOW
               WHEN 'W'
                   EXEC CICS WRITEQ TS QUEUE('TESTQ') FROM(CA-TEXT)
                       ITEM(WS-ITEM) RESP(WS-RESP)
                   END-EXEC
               WHEN 'R'
                   EXEC CICS READQ TS QUEUE('TESTQ') INTO(CA-TEXT)
                       ITEM(WS-ITEM) RESP(WS-RESP)
                   END-EXEC
           END-EVALUATE.
           MOVE WS-ITEM TO CA-ITEM.
           MOVE WS-RESP TO CA-RESP.
           EXEC CICS RETURN END-EXEC.
