      ******************************************************************
      * PEOPLE01, made by Gantry from a schema. Change the schema, not
      *   this text.
      * Rules of DFHWS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  PEOPLE01.
      * number: integer from -2147483648 to 2147483647; required.
           03  Xnumber                     PIC S9(9) COMP-5 SYNC.
      * deep: boolean: X'00' is false, X'01' is true; required.
           03  deep                        PIC X DISPLAY.
