      ******************************************************************
      * ORDER01, made by Gantry from a schema. Change the schema, not
      *   this text.
      * Rules of DFHWS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  ORDER01.
      * order: integer from -2147483648 to 2147483647; required.
           03  Xorder                      PIC S9(9) COMP-5 SYNC.
      * total: object; required.
           03  total.
      * total.@currency: text of 3 characters; required.
      * Values: EUR, USD.
             06  attr-currency-value       PIC X(3).
      * total.total: decimal number with 2 decimal places from
      *   -9999999.99 to 9999999.99; required.
             06  total1                    PIC S9(7)V9(2) COMP-3.
