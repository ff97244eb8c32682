           05  MV-HOW      PIC X(8).
           05  MV-ID       PIC X(20).
           05  MV-SYSID    PIC X(4).
           05  MV-USER     PIC X(8).
           05  MV-RESP     PIC 9(5).
           05  MV-RESP2    PIC 9(5).
