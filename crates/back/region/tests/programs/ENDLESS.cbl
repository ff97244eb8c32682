       IDENTIFICATION DIVISION.
       PROGRAM-ID. ENDLESS.
      * Does nothing, for as long as it may.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA PIC X(40).
       PROCEDURE DIVISION.
       AGAIN.
           GO TO AGAIN.
