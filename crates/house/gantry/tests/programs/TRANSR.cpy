           05  TRANSACTION-OF  PIC X(4).
