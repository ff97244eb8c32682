      ******************************************************************
      * FILES01, made by Gantry from a schema. Change the schema, not
      *   this text.
      * Rules of DFHWS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  FILES01.
      * key: text of at most 4 characters; required.
           03  Xkey                        PIC X(4).
      * part: object; required.
           03  part.
      * part.own: integer from -2147483648 to 2147483647; required.
             06  own                       PIC S9(9) COMP-5 SYNC.
      * part.plain: integer from -2147483648 to 2147483647; required.
             06  plain                     PIC S9(9) COMP-5 SYNC.
