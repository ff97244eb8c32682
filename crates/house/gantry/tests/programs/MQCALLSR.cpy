           05  MC-ACT          PIC X(8).
           05  MC-QUEUE        PIC X(48).
           05  MC-TEXT         PIC X(40).
           05  MC-COMPLETION   PIC 9(4).
           05  MC-REASON       PIC 9(5).
