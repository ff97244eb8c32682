           05 DATA-IN   PIC X(8).
