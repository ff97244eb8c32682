           05 DATA-OUT  PIC X(8).
