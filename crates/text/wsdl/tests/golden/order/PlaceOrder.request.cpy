      ******************************************************************
      * ORDER01, made by Gantry from a schema. Change the schema, not
      *   this text.
      * Rules of DFHWS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  ORDER01.
      * @channel is optional; attr-channel-exist is X'00' where it is
      *   missing, else X'01'.
           03  attr-channel-exist          PIC X DISPLAY.
      * @channel: text without a maximum length in the schema; assuming
      *   255 characters; optional.
      * Default: web.
           03  attr-channel-value          PIC X(255).
      * customer-id: integer from -9223372036854775808 to
      *   9223372036854775807; required.
      * The number of the customer.
           03  customer-id                 PIC S9(18) COMP-5 SYNC.
      * title is optional; Xtitle-num is 0 where it is missing.
           03  Xtitle-num                  PIC S9(9) COMP-5 SYNC.
      * title: text of at most 20 characters; optional, may be null.
           03  Xtitle                      PIC X(20).
      * line: the container that Xline-cont names holds Xline-num rows,
      *   1 or more, each laid out as ORDER01-line. Read and write it
      *   in BIT mode.
           03  Xline-num                   PIC S9(9) COMP-5 SYNC.
           03  Xline-cont                  PIC X(16).
      * PlaceOrder: PlaceOrder-enum tells which one is there; the
      *   container that PlaceOrder-cont names holds it. Read and write
      *   it in BIT mode.
           03  PlaceOrder-enum             PIC X DISPLAY.
               88  empty                   VALUE X'00'.
               88  pickup                  VALUE X'01'.
               88  street                  VALUE X'02'.
           03  PlaceOrder-cont             PIC X(16).
      * note[]: text without a maximum length in the schema; assuming
      *   255 characters; required.
           03  note                        PIC X(255) OCCURS 3 TIMES.
      * PlaceOrder-xml-cont: text of at most 33554432 characters,
      *   format XML, in the container that this field names; required.
           03  PlaceOrder-xml-cont         PIC X(16).
      * PlaceOrder-xmlns-cont: text of at most 33554432 characters,
      *   format XML, in the container that this field names; required.
           03  PlaceOrder-xmlns-cont       PIC X(16).

      * The rows of container Xline-cont: line.
       01  ORDER01-line.
      * line[]: object; required.
           03  Xline1.
      * line[].@number is optional; attr-number-exist is X'00' where it
      *   is missing, else X'01'.
             06  attr-number-exist         PIC X DISPLAY.
      * line[].@number: integer from -2147483648 to 2147483647;
      *   optional.
             06  attr-number-value         PIC S9(9) COMP-5 SYNC.
      * line[].sku: text of 8 characters; required.
             06  sku                       PIC X(8).
      * line[].quantity: integer from 0 to 65535; required.
             06  quantity                  PIC 9999 COMP-5 SYNC.
      * line[].price: object; required.
             06  price.
      * line[].price.@currency: text of 3 characters; required.
      * Values: EUR, USD.
               09  attr-currency-value     PIC X(3).
      * line[].price.price: decimal number with 2 decimal places from
      *   -9999999.99 to 9999999.99; required.
               09  price1                  PIC S9(7)V9(2) COMP-3.
      * No data: the next row starts at its boundary.
             06  FILLER                    PIC X(2).

      * The value of container PlaceOrder-cont: pickup.
       01  ORDER01-pickup.
      * pickup: date as text; required.
           03  pickup1                     PIC X(32).

      * The value of container PlaceOrder-cont: street.
       01  ORDER01-street.
      * street: object; required.
           03  street1.
      * street.street: text without a maximum length in the schema;
      *   assuming 255 characters; required.
             06  street2                   PIC X(255).
      * street.express: boolean: X'00' is false, X'01' is true;
      *   required.
             06  express                   PIC X DISPLAY.
