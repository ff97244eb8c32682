      ******************************************************************
      * PEOPLE01, made by Gantry from a schema. Change the schema, not
      *   this text.
      * Rules of DFHWS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  PEOPLE01.
      * person: object; required.
           03  person.
      * person.name: text without a maximum length in the schema;
      *   assuming 255 characters; required.
             06  name                      PIC X(255).
      * person.born is optional; born-num is 0 where it is missing.
             06  born-num                  PIC S9(9) COMP-5 SYNC.
      * person.born: date as text; optional.
             06  born                      PIC X(32).
