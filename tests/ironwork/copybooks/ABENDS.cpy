      * What an abend leads to.
           05  AB-CASE           PIC 9(2).
           05  AB-WAY            PIC X(20).
           05  AB-CODE           PIC X(4).
           05  AB-LAST           PIC 9(2).
           05  AB-RESP           PIC S9(8) COMP.
           05  AB-RESP2          PIC S9(8) COMP.
