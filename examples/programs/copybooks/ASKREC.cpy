      * A question to CABASIC, and what came of it.
           05  AS-COUNT          PIC 9(4).
           05  AS-URI            PIC X(255).
           05  AS-RESP           PIC 9(3).
           05  AS-RESP2          PIC 9(3).
           05  AS-SENT           PIC 9(5).
           05  AS-TASK           PIC 9(8).
           05  AS-TRANSACTION    PIC X(4).
           05  AS-FAULT          PIC X(600).
