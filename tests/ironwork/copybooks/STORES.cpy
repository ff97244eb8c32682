      * What storage holds, and what ASSIGN and ADDRESS say.
           05  ST-RESP           PIC S9(8) COMP.
           05  ST-FILLED         PIC X(8).
           05  ST-MOVED          PIC X(8).
           05  ST-SAME           PIC X.
           05  ST-EIB            PIC X.
           05  ST-NO-CWA         PIC X.
           05  ST-APPLID         PIC X(8).
           05  ST-SYSID          PIC X(4).
           05  ST-USERID         PIC X(8).
           05  ST-PROGRAM        PIC X(8).
           05  ST-ABCODE         PIC X(4).
           05  ST-TRNID          PIC X(4).
           05  ST-CALEN          PIC S9(4) COMP.
           05  ST-DEEDITED       PIC X(10).
