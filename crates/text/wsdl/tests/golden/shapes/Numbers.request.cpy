      ******************************************************************
      * SHAPE01, made by Gantry from a schema. Change the schema, not
      *   this text.
      * Rules of DFHWS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  SHAPE01.
      * boolean: boolean: X'00' is false, X'01' is true; required.
           03  Xboolean                    PIC X DISPLAY.
      * byte: integer from -128 to 127; required.
           03  byte                        PIC S9999 COMP-5 SYNC.
      * unsignedByte: integer from 0 to 255; required.
           03  unsignedByte                PIC 9999 COMP-5 SYNC.
      * short: integer from -32768 to 32767; required.
           03  short                       PIC S9999 COMP-5 SYNC.
      * unsignedShort: integer from 0 to 65535; required.
           03  unsignedShort               PIC 9999 COMP-5 SYNC.
      * int: integer from -2147483648 to 2147483647; required.
           03  int                         PIC S9(9) COMP-5 SYNC.
      * unsignedInt: integer from 0 to 4294967295; required.
           03  unsignedInt                 PIC 9(9) COMP-5 SYNC.
      * long: integer from -9223372036854775808 to 9223372036854775807;
      *   required.
           03  long                        PIC S9(18) COMP-5 SYNC.
      * unsignedLong: integer from 0 to 18446744073709551615; required.
           03  unsignedLong                PIC 9(18) COMP-5 SYNC.
      * integer: integer; required.
           03  integer                     PIC S9(18) COMP-5 SYNC.
      * positiveInteger: integer from 1; required.
           03  positiveInteger             PIC 9(18) COMP-5 SYNC.
      * negativeInteger: integer up to -1; required.
           03  negativeInteger             PIC S9(18) COMP-5 SYNC.
      * decimal: decimal number with 3 decimal places; required.
           03  decimal                     PIC S9(15)V9(3) COMP-3.
      * float: floating point of 4 bytes; required.
           03  float                       COMP-1.
      * double: floating point of 8 bytes; required.
           03  double                      COMP-2.
      * dateTime: date-time as text; required.
           03  dateTime                    PIC X(32).
      * date: date as text; required.
           03  Xdate                       PIC X(32).
      * time: time as text; required.
           03  Xtime                       PIC X(32).
      * duration: duration as text; required.
           03  duration                    PIC X(32).
      * gYear: text of at most 32 characters; required.
           03  gYear                       PIC X(32).
      * hexBinary: at most 33554432 octets, hexadecimal in the text, in
      *   the container that this field names; required.
           03  hexBinary                   PIC X(16).
      * base64Binary: at most 33554432 octets, base64 in the text, in
      *   the container that this field names; required.
           03  base64Binary                PIC X(16).
      * anyURI: text without a maximum length in the schema; assuming
      *   255 characters; required.
           03  anyURI                      PIC X(255).
      * QName: text without a maximum length in the schema; assuming
      *   255 characters; required.
           03  QName                       PIC X(255).
      * NMTOKENS: text without a maximum length in the schema; assuming
      *   255 characters; required.
           03  NMTOKENS                    PIC X(255).
      * oct: at most 100 octets, base64 in the text; required.
           03  oct                         PIC X(100).
      * code: text of 2 to 5 characters, pattern [A-Z]+; required.
           03  Xcode                       PIC X(5).
      * percent: integer from -2147483648 to 2147483647; required.
           03  percent                     PIC S9(9) COMP-5 SYNC.
      * wide: decimal number with 4 decimal places from
      *   -99999999999999.9999 to 99999999999999.9999; required.
           03  wide                        PIC S9(14)V9(4) COMP-3.
      * list: text without a maximum length in the schema; assuming 255
      *   characters; required.
           03  list                        PIC X(255).
      * union: text without a maximum length in the schema; assuming
      *   255 characters; required.
           03  union                       PIC X(255).
      * grade: decimal number with 2 decimal places; required.
      * Values: 1.25, 10.
           03  grade                       PIC 9(2)V9(2) COMP-3.
