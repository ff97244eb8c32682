           05  MT-ACT              PIC X(8).
           05  MT-OBJECT           PIC X(48).
           05  MT-STRING           PIC X(60).
           05  MT-LENGTH           PIC S9(9) BINARY.
           05  MT-TEXT             PIC X(20).
           05  MT-COMPLETION       PIC 9(4).
           05  MT-REASON           PIC 9(4).
