           05 FI-KEY              PIC X(6).
           05 FI-STEPS            PIC 9(2).
           05 FI-STEP OCCURS 30 TIMES.
              10 FI-WHAT          PIC X(12).
              10 FI-RESP          PIC 9(4).
              10 FI-RESP2         PIC 9(4).
              10 FI-LENGTH        PIC S9(4).
              10 FI-RIDFLD        PIC X(6).
              10 FI-DATA          PIC X(20).
