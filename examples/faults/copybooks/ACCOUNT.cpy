       01  ACCOUNT.
           05  ACCOUNT-NUMBER      PIC 9(8).
           05  HOLDER              PIC X(20).
           05  BALANCE             PIC S9(7)V99 COMP-3.
