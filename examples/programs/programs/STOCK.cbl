       IDENTIFICATION DIVISION.
       PROGRAM-ID. STOCK.
      *
      * Takes items out of the stock, and writes that to the journal.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-CHANNEL       PIC X(16).
       01  WS-LINE.
           05  FILLER       PIC X(6) VALUE 'TAKEN '.
           05  WS-QUANTITY  PIC ZZZZ9.
           05  FILLER       PIC X VALUE SPACE.
           05  WS-ITEM      PIC X(10).
           05  FILLER       PIC X(6) VALUE ' TASK '.
           05  WS-TASK      PIC 9(7).
       01  WS-STOCK.
           COPY STOCKREC.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS ASSIGN CHANNEL(WS-CHANNEL) END-EXEC
           EXEC CICS GET CONTAINER('MOVEMENT') INTO(WS-STOCK) END-EXEC
           COMPUTE ST-LEFT = 100 - ST-QUANTITY
           IF ST-LEFT < 0
               MOVE 'TOO FEW' TO ST-STATUS
           ELSE
               MOVE 'TAKEN' TO ST-STATUS
           END-IF
           MOVE ST-QUANTITY TO WS-QUANTITY
           MOVE ST-ITEM TO WS-ITEM
           MOVE EIBTASKN TO WS-TASK
           EXEC CICS WRITEQ TS QUEUE('JOURNAL') FROM(WS-LINE)
               MAIN
           END-EXEC
           EXEC CICS PUT CONTAINER('MOVEMENT') CHANNEL(WS-CHANNEL)
               FROM(WS-STOCK)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
