           05  CX-METHOD    PIC X(8).
           05  CX-LENGTH    PIC 9(3).
           05  CX-URI       PIC X(80).
           05  CX-QUERY     PIC X(40).
           05  CX-HEADERS   PIC X(80).
           05  CX-CALLER    PIC X(20).
           05  CX-USERID    PIC X(8).
