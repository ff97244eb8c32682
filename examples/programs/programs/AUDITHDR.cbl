       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUDITHDR.
      *
      * A header program. Each request goes to the journal AUDIT, with
      * its header block or without; the answer gets a header block
      * that says how many there are. A block must name a user: else
      * the request gets a SOAP fault, and its service is not called.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-FUNCTION       PIC X(16).
       01  WS-HEADER         PIC X(2000) VALUE SPACES.
       01  WS-LENGTH         PIC S9(8) COMP.
       01  WS-USERS          PIC S9(4) COMP-5 VALUE 0.
       01  WS-NUMBER         PIC S9(4) COMP.
       01  WS-ITEMS          PIC 9(5).
       01  WS-LINE.
           05  FILLER        PIC X(5) VALUE 'TASK '.
           05  WS-TASK       PIC 9(7).
           05  FILLER        PIC X(1) VALUE SPACE.
           05  WS-TEXT       PIC X(60).
       01  WS-RECEIPT.
           05  FILLER        PIC X(12) VALUE '<aud:Receipt'.
           05  FILLER        PIC X(42) VALUE
               ' xmlns:aud="http://www.example.com/audit">'.
           05  WS-COUNT      PIC 9(5).
           05  FILLER        PIC X(14) VALUE '</aud:Receipt>'.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS GET CONTAINER('DFHFUNCTION')
               INTO(WS-FUNCTION)
           END-EXEC
           EVALUATE WS-FUNCTION
               WHEN 'RECEIVE-REQUEST'
                   PERFORM TAKE-REQUEST
               WHEN 'SEND-RESPONSE'
                   PERFORM ADD-RECEIPT
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       TAKE-REQUEST.
           MOVE LENGTH OF WS-HEADER TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHHEADER')
               INTO(WS-HEADER) FLENGTH(WS-LENGTH)
           END-EXEC
           IF WS-LENGTH > 0
               INSPECT WS-HEADER TALLYING WS-USERS FOR ALL 'User>'
               IF WS-USERS = 0
                   EXEC CICS SOAPFAULT CREATE CLIENT
                       FAULTSTRING('The audit block names no user')
                       FAULTSTRLEN(29)
                   END-EXEC
               END-IF
           END-IF
           MOVE EIBTASKN TO WS-TASK
           MOVE WS-HEADER TO WS-TEXT
           EXEC CICS WRITEQ TS QUEUE('AUDIT') FROM(WS-LINE)
               NUMITEMS(WS-NUMBER)
           END-EXEC
           MOVE WS-NUMBER TO WS-ITEMS
           EXEC CICS PUT CONTAINER('ITEMS') FROM(WS-ITEMS)
           END-EXEC.
       ADD-RECEIPT.
           EXEC CICS GET CONTAINER('ITEMS') INTO(WS-ITEMS)
           END-EXEC
           MOVE WS-ITEMS TO WS-COUNT
           EXEC CICS PUT CONTAINER('DFHHEADER') FROM(WS-RECEIPT)
               CHAR
           END-EXEC.
