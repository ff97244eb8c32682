      *
      * Request to application CABASIC
      *
           05 COUNT-IN      PIC 9(8) COMP-4.
           05 COUNT-OUT     PIC 9(8) COMP-4.
