      *
      * A way to the program, and a text
      *
           05 WAY           PIC X(8).
           05 TEXT-IN       PIC X(1000).
