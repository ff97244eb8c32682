      ******************************************************************
      * SHAPE01, made by Gantry from a schema. Change the schema, not
      *   this text.
      * Rules of DFHWS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  SHAPE01.
      * extended: object; required.
           03  extended.
      * extended.@version is optional; attr-version-exist is X'00'
      *   where it is missing, else X'01'.
             06  attr-version-exist        PIC X DISPLAY.
      * extended.@version: integer from -32768 to 32767; optional.
             06  attr-version-value        PIC S9999 COMP-5 SYNC.
      * extended.@color: text without a maximum length in the schema;
      *   assuming 255 characters; required.
             06  attr-color-value          PIC X(255).
      * extended.@weight is optional; attr-weight-exist is X'00' where
      *   it is missing, else X'01'.
             06  attr-weight-exist         PIC X DISPLAY.
      * extended.@weight: decimal number with 3 decimal places;
      *   optional.
             06  attr-weight-value         PIC S9(15)V9(3) COMP-3.
      * extended.id: integer from -2147483648 to 2147483647; required.
             06  Xid                       PIC S9(9) COMP-5 SYNC.
      * extended.more: text without a maximum length in the schema;
      *   assuming 255 characters; required.
             06  more                      PIC X(255).
      * restricted: object; required.
           03  restricted.
      * restricted.id: integer from -32768 to 32767; required.
             06  Xid1                      PIC S9999 COMP-5 SYNC.
      * figure is optional; figure-num is 0 where it is missing.
           03  figure-num                  PIC S9(9) COMP-5 SYNC.
      * figure: object; optional.
           03  figure.
      * figure.figure: figure1-enum tells which one is there; the
      *   container that figure1-cont names holds it. Read and write it
      *   in BIT mode.
             06  figure1-enum              PIC X DISPLAY.
                 88  empty                 VALUE X'00'.
                 88  Circle                VALUE X'01'.
                 88  Square                VALUE X'02'.
             06  figure1-cont              PIC X(16).
      * payment: the container that payment-cont names holds
      *   payment-num rows, 1 to 2, each laid out as SHAPE01-payment.
      *   Read and write it in BIT mode.
           03  payment-num                 PIC S9(9) COMP-5 SYNC.
           03  payment-cont                PIC X(16).

      * The value of container figure1-cont: figure.Circle.
       01  SHAPE01-Circle.
      * figure.Circle: object; required.
           03  Circle1.
      * figure.Circle.name: text without a maximum length in the
      *   schema; assuming 255 characters; required.
             06  name                      PIC X(255).
      * figure.Circle.radius: floating point of 4 bytes; required.
             06  radius                    COMP-1.

      * The value of container figure1-cont: figure.Square.
       01  SHAPE01-Square.
      * figure.Square: object; required.
           03  Square1.
      * figure.Square.name: text without a maximum length in the
      *   schema; assuming 255 characters; required.
             06  name1                     PIC X(255).
      * figure.Square.side: floating point of 8 bytes; required.
             06  side                      COMP-2.

      * The rows of container payment-cont: payment.
       01  SHAPE01-payment.
      * payment: payment1-enum tells which one is there; the container
      *   that payment1-cont names holds it. Read and write it in BIT
      *   mode.
           03  payment1-enum               PIC X DISPLAY.
               88  empty1                  VALUE X'00'.
               88  card                    VALUE X'01'.
               88  invoice                 VALUE X'02'.
           03  payment1-cont               PIC X(16).

      * The value of container payment1-cont: card.
       01  SHAPE01-card.
      * card: text of 16 characters; required.
           03  card1                       PIC X(16).

      * The value of container payment1-cont: invoice.
       01  SHAPE01-invoice.
      * invoice: integer from -2147483648 to 2147483647; required.
           03  invoice1                    PIC S9(9) COMP-5 SYNC.
