           05 DATA-IN   PIC X.
