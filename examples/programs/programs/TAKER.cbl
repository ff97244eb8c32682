       IDENTIFICATION DIVISION.
       PROGRAM-ID. TAKER.
      *
      * Takes what MOVER hands over, and ends abnormally unless all
      * of it is there: its length stands in its first 8 digits.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH        PIC S9(8) COMP.
       01  WS-ITEM-LENGTH   PIC S9(4) COMP.
       01  WS-ITEM          PIC S9(4) COMP.
       01  WS-ITEMS         PIC S9(4) COMP.
       01  WS-WANTED        PIC 9(8).
       01  WS-BUFFER        PIC X(32000).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-BYTES     PIC 9(8).
           05  CA-QUEUE     REDEFINES CA-BYTES PIC X(8).
       01  LK-DATA.
           05  LK-BYTES     PIC 9(8).
           05  LK-REST      PIC X(1048568).
       PROCEDURE DIVISION.
       MAIN-LINE.
           EVALUATE TRUE
               WHEN EIBCALEN = 0
                   PERFORM FROM-CHANNEL
               WHEN CA-BYTES IS NUMERIC
                   MOVE CA-BYTES TO WS-WANTED
                   MOVE EIBCALEN TO WS-LENGTH
               WHEN OTHER
                   PERFORM FROM-QUEUE
           END-EVALUATE.
           IF WS-LENGTH NOT = WS-WANTED
               EXEC CICS ABEND ABCODE('TKLN') NODUMP END-EXEC
           END-IF.
           EXEC CICS RETURN END-EXEC.
       FROM-CHANNEL.
           EXEC CICS GET CONTAINER('DATA') NODATA
               FLENGTH(WS-LENGTH)
           END-EXEC.
           EXEC CICS GETMAIN SET(ADDRESS OF LK-DATA)
               FLENGTH(WS-LENGTH)
           END-EXEC.
           EXEC CICS GET CONTAINER('DATA') INTO(LK-DATA)
               FLENGTH(WS-LENGTH)
           END-EXEC.
           MOVE LK-BYTES TO WS-WANTED.
           EXEC CICS FREEMAIN DATA(LK-DATA) END-EXEC.
       FROM-QUEUE.
           MOVE 0 TO WS-LENGTH.
           MOVE 1 TO WS-ITEMS.
           PERFORM VARYING WS-ITEM FROM 1 BY 1
                   UNTIL WS-ITEM > WS-ITEMS
               MOVE LENGTH OF WS-BUFFER TO WS-ITEM-LENGTH
               EXEC CICS READQ TS QUEUE(CA-QUEUE) ITEM(WS-ITEM)
                   INTO(WS-BUFFER) LENGTH(WS-ITEM-LENGTH)
                   NUMITEMS(WS-ITEMS)
               END-EXEC
               IF WS-ITEM = 1
                   MOVE WS-BUFFER(1:8) TO WS-WANTED
               END-IF
               ADD WS-ITEM-LENGTH TO WS-LENGTH
           END-PERFORM.
