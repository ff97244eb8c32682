      * The task of MOVER, and how often it has done it.
           05  MV-METHOD         PIC X(8).
           05  MV-BYTES          PIC 9(8).
           05  MV-TIMES          PIC 9(8).
           05  MV-DONE           PIC 9(8).
