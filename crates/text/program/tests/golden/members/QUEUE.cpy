       01  :Q:-QUEUE PIC X(8) VALUE 'ERRORS'.
       01  :Q:-LINE  PIC X(80).
       01  :Q:-RESP  PIC S9(8) COMP.
