       IDENTIFICATION DIVISION.
       PROGRAM-ID. ORDER.
      *
      * Takes an order: PRICER prices it, by commarea; what STOCK
      * wrote of it to the journal, a TS queue, is read back.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-QUEUE         PIC X(8) VALUE 'JOURNAL'.
       01  WS-ITEMS         PIC S9(4) COMP.
       01  WS-LENGTH        PIC S9(4) COMP.
       01  WS-RESP          PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY ORDERREC.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS HANDLE CONDITION PGMIDERR(NO-PRICER) END-EXEC
           EXEC CICS ASSIGN USERID(OR-CUSTOMER) END-EXEC
           EXEC CICS LINK PROGRAM('PRICER')
               COMMAREA(DFHCOMMAREA)
           END-EXEC
           MOVE LENGTH OF OR-JOURNAL-LINE TO WS-LENGTH
           EXEC CICS READQ TS QUEUE(WS-QUEUE) NEXT
               INTO(OR-JOURNAL-LINE) LENGTH(WS-LENGTH)
               NUMITEMS(WS-ITEMS) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE WS-ITEMS TO OR-JOURNAL-ITEMS
           ELSE
               MOVE 'NO JOURNAL' TO OR-JOURNAL-LINE
           END-IF
           EXEC CICS RETURN END-EXEC.
       NO-PRICER.
           MOVE 'NO PRICER' TO OR-STATUS
           EXEC CICS RETURN END-EXEC.
