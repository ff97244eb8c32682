      *
      * Response from application CABASIC
      * as many rows as ROW-COUNT says
      *
           05 RECV-SIZE     PIC 9(8) COMP-4.
           05 SEND-SIZE     PIC 9(8) COMP-4.
           05 TASKID        PIC 9(8) COMP-4.
           05 TRANID        PIC X(4).
           05 ROW-COUNT     PIC 9(4) COMP-4.
           05 RS-SPARE      PIC X(14).
           05 USER-DATA     PIC X(32) OCCURS 0 TO 127 TIMES
                            DEPENDING ON ROW-COUNT.
