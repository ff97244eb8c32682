      * The way that a program took through its labels.
           05  HN-CASE           PIC 9(2).
           05  HN-WAY            PIC X(40).
           05  HN-LAST           PIC 9(2).
           05  HN-RESP           PIC S9(8) COMP.
           05  HN-RESOURCE       PIC X(8).
