      ******************************************************************
      * SHAPE01, made by Gantry from a schema. Change the schema, not
      *   this text.
      * Rules of DFHWS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  SHAPE01.
      * anything: object; required.
           03  anything.
      * anything.anything-xml-cont: text of at most 33554432
      *   characters, format XML, in the container that this field
      *   names; required.
             06  anything-xml-cont         PIC X(16).
      * anything.anything-xmlns-cont: text of at most 33554432
      *   characters, format XML, in the container that this field
      *   names; required.
             06  anything-xmlns-cont       PIC X(16).
      * letter is optional; letter-num is 0 where it is missing.
           03  letter-num                  PIC S9(9) COMP-5 SYNC.
      * letter: object; optional.
           03  letter.
      * letter.letter-xml-cont: text of at most 33554432 characters,
      *   format XML, in the container that this field names; required.
             06  letter-xml-cont           PIC X(16).
      * letter.letter-xmlns-cont: text of at most 33554432 characters,
      *   format XML, in the container that this field names; required.
             06  letter-xmlns-cont         PIC X(16).
      * empty: text of at most 1 character, format empty element;
      *   required.
           03  empty                       PIC X(1).
