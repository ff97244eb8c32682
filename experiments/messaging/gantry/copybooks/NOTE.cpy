      * 40 bytes of the caller, and blocks that callers leave out.
       01  NOTE.
           05  KEY-OF         PIC X(40).
           05  BLOCK          PIC X(48) OCCURS 20 TIMES
               VALUE 'ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUV'.
