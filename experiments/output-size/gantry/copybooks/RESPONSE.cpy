           05 DATA-OUT  PIC X({{size}}).
