           05  MS-ACT              PIC X(8).
           05  MS-NAME             PIC X(20).
           05  MS-NAME-LENGTH      PIC S9(9) BINARY.
           05  MS-TOPIC            PIC X(40).
           05  MS-TOPIC-LENGTH     PIC S9(9) BINARY.
           05  MS-TEXT             PIC X(20).
           05  MS-DATA             PIC X(10).
           05  MS-COMPLETION       PIC 9(4).
           05  MS-REASON           PIC 9(4).
