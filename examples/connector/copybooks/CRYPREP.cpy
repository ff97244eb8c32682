       01  CRYPT-REPLY.
           05  SERVER-NAME    PIC X(8).
           05  REQUEST-COUNT  PIC 9(8) COMP.
           05  CARD-TEXT      PIC X(20).
