       01  CRYPT-REQUEST.
           05  CARD-TEXT      PIC X(20).
