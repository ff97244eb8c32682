       IDENTIFICATION DIVISION.
       PROGRAM-ID. PARCEL.
      * Takes several containers, of which one may be missing, and
      * answers with others of other shapes.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP      PIC S9(8) COMP.
       01  WS-LENGTH    PIC S9(8) COMP.
       01  WS-NOTE      PIC X(40).
       01  WS-ADDRESS.
           05  AD-NAME      PIC X(10).
           05  AD-ZIP       PIC 9(5).
       01  WS-ITEM.
           05  IT-WEIGHT    PIC S9(5) COMP-3.
           05  IT-COUNT     PIC S9(4) COMP.
       01  WS-PRICE.
           05  PR-AMOUNT    PIC S9(7)V99 COMP-3.
       01  WS-LABEL.
           05  LB-NAME      PIC X(10).
           05  LB-LINE      PIC X(12).
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS GET CONTAINER('ADDRESS') INTO(WS-ADDRESS)
           END-EXEC.
           EXEC CICS GET CONTAINER('ITEM') INTO(WS-ITEM) END-EXEC.
           MOVE SPACES TO WS-NOTE.
           MOVE LENGTH OF WS-NOTE TO WS-LENGTH.
           EXEC CICS GET CONTAINER('NOTE') INTO(WS-NOTE)
               FLENGTH(WS-LENGTH) RESP(WS-RESP)
           END-EXEC.
           IF WS-RESP = DFHRESP(NORMAL)
               EXEC CICS PUT CONTAINER('REMARK') CHAR
                   FROM(WS-NOTE) FLENGTH(WS-LENGTH)
               END-EXEC
           END-IF.
           COMPUTE PR-AMOUNT = IT-WEIGHT * IT-COUNT / 100.
           MOVE AD-NAME TO LB-NAME.
           MOVE AD-ZIP TO LB-LINE.
           EXEC CICS PUT CONTAINER('PRICE') FROM(WS-PRICE) END-EXEC.
           IF AD-ZIP NOT = 0
               EXEC CICS PUT CONTAINER('LABEL') CHAR FROM(WS-LABEL)
               END-EXEC
           END-IF.
           EXEC CICS RETURN END-EXEC.
