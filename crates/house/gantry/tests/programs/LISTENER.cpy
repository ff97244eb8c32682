           05  LI-ACT          PIC X(8).
           05  LI-TEXT         PIC X(32).
