       01  NOTE.
           05  NUMBER-OF   PIC 9(4).
           05  WORDS       PIC X(20).
