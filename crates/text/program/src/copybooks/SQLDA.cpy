      * The SQL descriptor area. Its addresses have the length of those of the program.
       01  SQLDA.
           05  SQLDAID    PIC X(8).
           05  SQLDABC    PIC S9(9) COMP-5.
           05  SQLN       PIC S9(4) COMP-5.
           05  SQLD       PIC S9(4) COMP-5.
           05  SQLVAR OCCURS 0 TO 750 TIMES DEPENDING ON SQLN.
               10  SQLTYPE    PIC S9(4) COMP-5.
               10  SQLLEN     PIC S9(4) COMP-5.
               10  FILLER REDEFINES SQLLEN.
                   15  SQLPRECISION  PIC X.
                   15  SQLSCALE      PIC X.
               10  SQLDATA    POINTER.
               10  SQLIND     POINTER.
               10  SQLNAME.
                   49  SQLNAMEL  PIC S9(4) COMP-5.
                   49  SQLNAMEC  PIC X(30).
