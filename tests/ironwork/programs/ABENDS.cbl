       IDENTIFICATION DIVISION.
       PROGRAM-ID. ABENDS.
      *
      * ABEND, HANDLE ABEND in its forms, and conditions that nobody
      * handles.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LAST           PIC S9(4) COMP VALUE 0.
       01  WS-AREA           PIC X(8) VALUE 'NOTHERE'.
       01  WS-LENGTH         PIC S9(4) COMP VALUE 4.
       01  WS-RECORD         PIC X(20) VALUE '900001 A LAST BOOK'.
       01  WS-KEY            PIC X(6) VALUE '900001'.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY ABENDS.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE SPACES TO AB-WAY AB-CODE
           EVALUATE AB-CASE
               WHEN 1
                   EXEC CICS ABEND ABCODE('ABC1') END-EXEC
               WHEN 2
                   EXEC CICS HANDLE ABEND LABEL(ON-ABEND) END-EXEC
                   EXEC CICS ABEND ABCODE('ABC2') NODUMP END-EXEC
               WHEN 3
                   EXEC CICS HANDLE ABEND LABEL(ON-ABEND) END-EXEC
                   EXEC CICS LINK PROGRAM('ABENDED') END-EXEC
               WHEN 4
                   EXEC CICS HANDLE ABEND LABEL(ON-ABEND) END-EXEC
                   EXEC CICS HANDLE ABEND CANCEL END-EXEC
                   EXEC CICS ABEND ABCODE('ABC4') END-EXEC
               WHEN 5
                   EXEC CICS HANDLE ABEND LABEL(ON-ABEND) END-EXEC
                   EXEC CICS ABEND ABCODE('ABC5') CANCEL END-EXEC
               WHEN 6
                   EXEC CICS HANDLE ABEND LABEL(ON-AGAIN) END-EXEC
                   EXEC CICS ABEND ABCODE('ABC6') END-EXEC
               WHEN 7
                   EXEC CICS HANDLE ABEND LABEL(ON-ABEND) END-EXEC
                   EXEC CICS READQ TS QUEUE('ABNONE') INTO(WS-AREA)
                   END-EXEC
               WHEN 8
                   EXEC CICS LINK PROGRAM(WS-AREA) END-EXEC
               WHEN 9
                   EXEC CICS LINK PROGRAM(WS-AREA)
                       RESP(AB-RESP) RESP2(AB-RESP2) END-EXEC
               WHEN 10
                   EXEC CICS LINK PROGRAM('ABENDED')
                       RESP(AB-RESP) RESP2(AB-RESP2) END-EXEC
               WHEN 11
                   EXEC CICS WRITEQ TS QUEUE('ABQ') FROM(WS-AREA)
                       LENGTH(0) RESP(AB-RESP) RESP2(AB-RESP2)
                   END-EXEC
               WHEN 12
                   EXEC CICS WRITEQ TS QUEUE('ABQ') FROM(WS-AREA)
                       LENGTH(8) END-EXEC
                   EXEC CICS READQ TS QUEUE('ABQ') INTO(WS-AREA)
                       LENGTH(WS-LENGTH) END-EXEC
               WHEN 13
                   EXEC CICS XCTL PROGRAM(WS-AREA) END-EXEC
               WHEN 14
                   EXEC CICS ABEND END-EXEC
               WHEN 15
                   EXEC CICS HANDLE ABEND PROGRAM('ABENDX') END-EXEC
                   EXEC CICS ABEND ABCODE('AB15') END-EXEC
               WHEN 16
                   PERFORM WRITE-ONE
                   EXEC CICS STARTBR FILE('BOOKS') RIDFLD(WS-KEY)
                   END-EXEC
                   PERFORM READ-ON 2 TIMES
               WHEN 17
                   PERFORM WRITE-ONE 2 TIMES
               WHEN 18
                   EXEC CICS HANDLE ABEND LABEL(ON-ABEND) END-EXEC
                   EXEC CICS WRITEQ TS QUEUE('ABQ') FROM(WS-AREA)
                       LENGTH(8) END-EXEC
                   EXEC CICS READQ TS QUEUE('ABQ') INTO(WS-RECORD)
                       ITEM(99) END-EXEC
           END-EVALUATE
           MOVE 'END' TO AB-WAY
           EXEC CICS RETURN END-EXEC.
      * What is written before an abend is backed out.
       WRITE-ONE.
           EXEC CICS WRITE FILE('BOOKS') FROM(WS-RECORD)
               RIDFLD(WS-KEY) LENGTH(20) END-EXEC.
       READ-ON.
           EXEC CICS READNEXT FILE('BOOKS') INTO(WS-RECORD)
               RIDFLD(WS-KEY) END-EXEC.
       ON-ABEND.
           ADD 1 TO WS-LAST
           MOVE 'H' TO AB-WAY(WS-LAST:1)
           MOVE WS-LAST TO AB-LAST
           EXEC CICS ASSIGN ABCODE(AB-CODE) END-EXEC
           EXEC CICS RETURN END-EXEC.
      * An exit that abends is not reached again, unless it is set.
       ON-AGAIN.
           ADD 1 TO WS-LAST
           MOVE 'H' TO AB-WAY(WS-LAST:1)
           MOVE WS-LAST TO AB-LAST
           IF WS-LAST < 3
               EXEC CICS HANDLE ABEND RESET END-EXEC
               EXEC CICS ABEND ABCODE('AB6R') END-EXEC
           END-IF
           EXEC CICS ASSIGN ABCODE(AB-CODE) END-EXEC
           EXEC CICS RETURN END-EXEC.
