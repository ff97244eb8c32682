      * What commands on containers answer, one after the other.
           05  CH-TEXT           PIC X(8).
           05  CH-STEPS          PIC 9(2).
           05  CH-STEP OCCURS 18 TIMES.
               10  CH-WHAT       PIC X(12).
               10  CH-RESP       PIC S9(8) COMP.
               10  CH-RESP2      PIC S9(8) COMP.
               10  CH-LENGTH     PIC S9(8) COMP.
               10  CH-DATA       PIC X(12).
