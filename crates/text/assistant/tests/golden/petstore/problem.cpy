      ******************************************************************
      * PROBLEM, made by Gantry from petstore/schema.json. Change the
      *   schema, not this text.
      * Rules of DFHJS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays OCCURS DEPENDING ON; optional fields without counters.
      ******************************************************************

       01  PROBLEM.
      * code: integer; required.
           03  Xcode                       PIC S9(18) COMP-5 SYNC.
      * message: text without a maximum length in the schema; assuming
      *   255 characters; optional.
           03  Xmessage                    PIC X(255).
