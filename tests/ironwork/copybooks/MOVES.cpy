      * Text, and what is moved, cut and put together of it.
           05  MV-TEXT           PIC X(20).
           05  MV-COUNT          PIC 9(2).
           05  MV-RIGHT          PIC X(12) JUSTIFIED RIGHT.
           05  MV-SHORT          PIC X(5).
           05  MV-UPPER          PIC X(20).
           05  MV-REVERSED       PIC X(20).
           05  MV-JOINED         PIC X(24).
           05  MV-POINTER        PIC 9(2).
           05  MV-PARTS OCCURS 3 TIMES PIC X(8).
           05  MV-TALLY          PIC 9(2).
           05  MV-REPLACED       PIC X(20).
           05  MV-MIDDLE         PIC X(6).
           05  MV-NUMBER         PIC S9(7)V99.
           05  MV-VALID          PIC S9(4).
           05  MV-DEEDITED       PIC S9(6)V99 COMP-3.
           05  MV-INITIAL.
               10  MV-I-TEXT     PIC X(3).
               10  MV-I-NUMBER   PIC 9(3).
               10  MV-I-PACKED   PIC S9(3) COMP-3.
           05  MV-ROWS-LENGTH    PIC 9(3).
           05  MV-ROWS           PIC X(17).
