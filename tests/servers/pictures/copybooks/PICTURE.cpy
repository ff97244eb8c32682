      * Bytes with a label.
           05 LABEL          PIC X(16).
           05 IMAGE          PIC X(3072).
