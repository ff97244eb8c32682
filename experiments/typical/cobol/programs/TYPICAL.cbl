       IDENTIFICATION DIVISION.
       PROGRAM-ID. TYPICAL.
      *
      * Takes the record, and sends it back. Two of its names are words
      * of COBOL.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD.
           COPY TYPICAL REPLACING ==DETAIL== BY ==ROWS==
                                  ==UNIT== BY ==PACK==.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY TYPICAL REPLACING ==DETAIL== BY ==ROWS==
                                  ==UNIT== BY ==PACK==.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE DFHCOMMAREA TO WS-RECORD
           INITIALIZE DFHCOMMAREA
           MOVE WS-RECORD TO DFHCOMMAREA
           EXEC CICS RETURN END-EXEC.
