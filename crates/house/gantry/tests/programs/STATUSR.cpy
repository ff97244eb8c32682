           05  SX-LINE      PIC X(40).
           05  SX-CODE      PIC S9(4).
           05  SX-TEXT      PIC X(10).
