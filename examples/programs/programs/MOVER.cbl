       IDENTIFICATION DIVISION.
       PROGRAM-ID. MOVER.
      *
      * Hands data to TAKER as often as it is asked to: in a commarea,
      * in a container of a channel, or in items of a TS queue.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-QUEUE.
           05  FILLER       PIC X VALUE 'M'.
           05  WS-TASK      PIC 9(7).
       01  WS-COUNT         PIC S9(8) COMP.
       01  WS-LENGTH        PIC S9(8) COMP.
       01  WS-AT            PIC S9(8) COMP.
       01  WS-PART          PIC S9(4) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY MOVEREC.
       01  LK-DATA.
           05  LK-BYTES     PIC 9(8).
           05  LK-REST      PIC X(1048568).
       01  LK-ALL           PIC X(1048576).
       PROCEDURE DIVISION.
       MAIN-LINE.
           IF MV-BYTES < 8 OR MV-BYTES > 1048576
               EXEC CICS ABEND ABCODE('MVLN') NODUMP END-EXEC
           END-IF.
           MOVE MV-BYTES TO WS-LENGTH.
           EXEC CICS GETMAIN SET(ADDRESS OF LK-DATA)
               FLENGTH(WS-LENGTH) INITIMG('.')
           END-EXEC.
           SET ADDRESS OF LK-ALL TO ADDRESS OF LK-DATA.
           MOVE MV-BYTES TO LK-BYTES.
           MOVE EIBTASKN TO WS-TASK.
           MOVE 0 TO MV-DONE.
           PERFORM VARYING WS-COUNT FROM 1 BY 1
                   UNTIL WS-COUNT > MV-TIMES
               EVALUATE MV-METHOD
                   WHEN 'COMMAREA' PERFORM BY-COMMAREA
                   WHEN 'CHANNEL'  PERFORM BY-CHANNEL
                   WHEN 'QUEUE'    PERFORM BY-QUEUE
                   WHEN OTHER
                       EXEC CICS ABEND ABCODE('MVHW') NODUMP
                       END-EXEC
               END-EVALUATE
               ADD 1 TO MV-DONE
           END-PERFORM.
           EXEC CICS RETURN END-EXEC.
       BY-COMMAREA.
           IF MV-BYTES > 32763
               EXEC CICS ABEND ABCODE('MVLN') NODUMP END-EXEC
           END-IF.
           MOVE MV-BYTES TO WS-PART.
           EXEC CICS LINK PROGRAM('TAKER') COMMAREA(LK-ALL)
               LENGTH(WS-PART)
           END-EXEC.
       BY-CHANNEL.
           EXEC CICS PUT CONTAINER('DATA') CHANNEL('MOVER')
               FROM(LK-ALL) FLENGTH(WS-LENGTH)
           END-EXEC.
           EXEC CICS LINK PROGRAM('TAKER') CHANNEL('MOVER') END-EXEC.
      * Data that is too long for one item goes into several. TAKER gets
      * the queue's name in a commarea.
       BY-QUEUE.
           PERFORM VARYING WS-AT FROM 1 BY 32000
                   UNTIL WS-AT > WS-LENGTH
               COMPUTE WS-PART =
                   FUNCTION MIN(32000, WS-LENGTH - WS-AT + 1)
               EXEC CICS WRITEQ TS QUEUE(WS-QUEUE) MAIN
                   FROM(LK-ALL(WS-AT:WS-PART)) LENGTH(WS-PART)
               END-EXEC
           END-PERFORM.
           EXEC CICS LINK PROGRAM('TAKER') COMMAREA(WS-QUEUE)
               LENGTH(LENGTH OF WS-QUEUE)
           END-EXEC.
           EXEC CICS DELETEQ TS QUEUE(WS-QUEUE) END-EXEC.
