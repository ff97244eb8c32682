      ******************************************************************
      * CUSTOMER, made by Gantry from customer/schema.json. Change the
      *   schema, not this text.
      * Rules of DFHJS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  CUSTOMER.
      * number: integer from 0 to 9999999999; required.
           03  Xnumber                     PIC 9(10) DISPLAY.
      * name: text of at most 60 characters; required.
           03  name                        PIC X(60).
      * date is optional; Xdate-num is 0 where it is missing.
           03  Xdate-num                   PIC S9(9) COMP-5 SYNC.
      * date: date as text; optional.
           03  Xdate                       PIC X(32).
      * since: date-time as text; required.
           03  since                       PIC X(32).
      * e-mail- is optional; e-mailX-num is 0 where it is missing.
           03  e-mailX-num                 PIC S9(9) COMP-5 SYNC.
      * e-mail-: text without a maximum length in the schema; assuming
      *   255 characters; optional.
           03  e-mailX                     PIC X(255).
      * creditLimitInTheCurrencyOfTheAccount is optional;
      *   creditLimitInTheCurrency-num is 0 where it is missing.
           03  creditLimitInTheCurrency-num PIC S9(9) COMP-5 SYNC.
      * creditLimitInTheCurrencyOfTheAccount: decimal number with 2
      *   decimal places from 0; optional.
           03  creditLimitInTheCurrency    PIC 9(16)V9(2) COMP-3.
      * score is optional; score-num is 0 where it is missing.
           03  score-num                   PIC S9(9) COMP-5 SYNC.
      * score: floating point of 8 bytes; optional.
           03  score                       COMP-2.
      * photo is optional; photo-num is 0 where it is missing.
           03  photo-num                   PIC S9(9) COMP-5 SYNC.
      * photo: at most 30000 octets, base64 in the text; optional.
           03  photo                       PIC X(30000).
      * children is optional; children-num is 0 where it is missing.
           03  children-num                PIC S9(9) COMP-5 SYNC.
      * children: integer from 0 to 99; optional.
           03  children                    PIC 99 DISPLAY.
      * accounts: the container that accounts-cont names holds
      *   accounts-num rows, 0 or more, each laid out as
      *   CUSTOMER-accounts. Read and write it in BIT mode.
           03  accounts-num                PIC S9(9) COMP-5 SYNC.
           03  accounts-cont               PIC X(16).
      * phones is optional; phones-num is 0 where it is missing.
           03  phones-num                  PIC S9(9) COMP-5 SYNC.
      * phones[]: text of at most 20 characters; optional.
           03  phones                      PIC X(20) OCCURS 2 TIMES.

      * The rows of container accounts-cont: accounts.
       01  CUSTOMER-accounts.
      * accounts[]: object; required.
           03  accounts1.
      * accounts[].iban: text of 15 to 34 characters; required.
             06  iban                      PIC X(34).
      * accounts[].balance: decimal number with 2 decimal places;
      *   required.
             06  balance                   PIC S9(16)V9(2) COMP-3.
      * accounts[].kind: integer; required.
      * Values: 1, 2, 30.
             06  kind                      PIC 9999 COMP-5 SYNC.
      * accounts[].Iban is optional; Iban1-num is 0 where it is
      *   missing.
             06  Iban1-num                 PIC S9(9) COMP-5 SYNC.
      * accounts[].Iban: text of at most 1 character; optional.
             06  Iban1                     PIC X(1).
      * No data: the next row starts at its boundary.
             06  FILLER                    PIC X(3).
