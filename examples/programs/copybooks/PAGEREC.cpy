      * The task of PAGER, and how long the text has become.
           05  PG-FROM           PIC 9(5).
           05  PG-INTO           PIC 9(5).
           05  PG-TIMES          PIC 9(8).
           05  PG-ROOM           PIC 9(8).
           05  PG-LENGTH         PIC 9(8).
