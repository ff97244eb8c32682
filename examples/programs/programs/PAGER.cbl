       IDENTIFICATION DIVISION.
       PROGRAM-ID. PAGER.
      *
      * Converts the text in its container as often as it is asked
      * to: by PUT CONTAINER in one code page, and GET in another.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ORDER.
           COPY PAGEREC.
       01  WS-IN-LENGTH     PIC S9(8) COMP.
       01  WS-ROOM          PIC S9(8) COMP.
       01  WS-OUT-LENGTH    PIC S9(8) COMP VALUE 0.
       01  WS-FROM          PIC S9(8) COMP.
       01  WS-INTO          PIC S9(8) COMP.
       01  WS-COUNT         PIC S9(8) COMP.
       LINKAGE SECTION.
       01  LK-IN            PIC X(4194304).
       01  LK-OUT           PIC X(4194304).
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS GET CONTAINER('ORDER') INTO(WS-ORDER) END-EXEC.
           EXEC CICS GET CONTAINER('TEXT') SET(ADDRESS OF LK-IN)
               FLENGTH(WS-IN-LENGTH)
           END-EXEC.
           MOVE PG-ROOM TO WS-ROOM.
           EXEC CICS GETMAIN SET(ADDRESS OF LK-OUT)
               FLENGTH(WS-ROOM)
           END-EXEC.
           MOVE PG-FROM TO WS-FROM.
           MOVE PG-INTO TO WS-INTO.
           PERFORM VARYING WS-COUNT FROM 1 BY 1
                   UNTIL WS-COUNT > PG-TIMES
               EXEC CICS PUT CONTAINER('T') CHANNEL('PAGER')
                   FROM(LK-IN) FLENGTH(WS-IN-LENGTH)
                   FROMCCSID(WS-FROM)
               END-EXEC
               MOVE WS-ROOM TO WS-OUT-LENGTH
               EXEC CICS GET CONTAINER('T') CHANNEL('PAGER')
                   INTO(LK-OUT) FLENGTH(WS-OUT-LENGTH)
                   INTOCCSID(WS-INTO)
               END-EXEC
           END-PERFORM.
           EXEC CICS DELETE CONTAINER('TEXT') END-EXEC.
           MOVE WS-OUT-LENGTH TO PG-LENGTH.
           EXEC CICS PUT CONTAINER('ORDER') FROM(WS-ORDER) END-EXEC.
           EXEC CICS RETURN END-EXEC.
