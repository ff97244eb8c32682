           05  MH-ACT              PIC X(8).
           05  MH-NAME             PIC X(30).
           05  MH-NAME-LENGTH      PIC S9(9) BINARY.
           05  MH-TEXT             PIC X(20).
           05  MH-TEXT-LENGTH      PIC S9(9) BINARY.
           05  MH-NUMBER           PIC S9(9) BINARY.
           05  MH-KIND             PIC S9(9) BINARY.
           05  MH-NAMES            PIC X(60).
           05  MH-COMPLETION       PIC 9(4).
           05  MH-REASON           PIC 9(4).
