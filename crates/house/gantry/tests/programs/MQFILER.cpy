           05  MF-ACT          PIC X(8).
           05  MF-KEY          PIC X(12).
           05  MF-RESP         PIC 9(4).
           05  MF-REASON       PIC 9(5).
