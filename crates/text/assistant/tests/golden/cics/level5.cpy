      ******************************************************************
      * ORDER01, made by Gantry from cics/schema.json. Change the
      *   schema, not this text.
      * Rules of DFHJS2LS, MAPPING-LEVEL=5.0, CHAR-VARYING=YES; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  ORDER01.
      * order_id: text of 12 characters, pattern ^[A-Z]{2}[0-9]{10}$;
      *   required.
           03  orderXid                    PIC X(12).
      * placed_at is optional; placedXat-existence is 0 where it is
      *   missing.
           03  placedXat-existence         PIC S9(9) COMP-5 SYNC.
           03  placedXat.
      * How many characters of placedXat2 count.
             06  placedXat2-length         PIC S9999 COMP-5 SYNC.
      * placed_at: date-time as text; optional.
             06  placedXat2                PIC X(32).
      * status is optional; Xstatus-existence is 0 where it is missing.
           03  Xstatus-existence           PIC S9(9) COMP-5 SYNC.
           03  Xstatus.
      * How many characters of Xstatus2 count.
             06  Xstatus2-length           PIC S9999 COMP-5 SYNC.
      * status: text of 3 to 9 characters; optional.
      * Values: NEW, PAID, SHIPPED, CANCELLED.
      * Where the order is on its way.
             06  Xstatus2                  PIC X(9).
      * customer: object; required.
           03  customer.
      * How many characters of name count.
             06  name-length               PIC S9999 COMP-5 SYNC.
      * customer.name: text of at most 40 characters; required.
             06  name                      PIC X(40).
      * customer.address is optional; Xaddress-existence is 0 where it
      *   is missing.
             06  Xaddress-existence        PIC S9(9) COMP-5 SYNC.
      * customer.address: object; optional.
             06  Xaddress.
      * customer.address.street is optional; street-existence is 0
      *   where it is missing.
               09  street-existence        PIC S9(9) COMP-5 SYNC.
               09  street.
      * How many characters of street2 count.
                 12  street2-length        PIC S9999 COMP-5 SYNC.
      * customer.address.street: text of at most 60 characters;
      *   optional.
                 12  street2               PIC X(60).
      * customer.address.city is optional; city-existence is 0 where it
      *   is missing.
               09  city-existence          PIC S9(9) COMP-5 SYNC.
               09  city.
      * How many characters of city2 count.
                 12  city2-length          PIC S9999 COMP-5 SYNC.
      * customer.address.city: text of at most 30 characters; optional.
                 12  city2                 PIC X(30).
      * customer.address.country is optional; country-existence is 0
      *   where it is missing.
               09  country-existence       PIC S9(9) COMP-5 SYNC.
      * customer.address.country: text of 2 characters; optional.
               09  country                 PIC X(2).
      * ship_to is optional; shipXto-existence is 0 where it is
      *   missing.
           03  shipXto-existence           PIC S9(9) COMP-5 SYNC.
      * ship_to: object; optional.
           03  shipXto.
      * How many characters of name1 count.
             06  name1-length              PIC S9999 COMP-5 SYNC.
      * ship_to.name: text of at most 40 characters; required.
             06  name1                     PIC X(40).
      * ship_to.address is optional; Xaddress1-existence is 0 where it
      *   is missing.
             06  Xaddress1-existence       PIC S9(9) COMP-5 SYNC.
      * ship_to.address: object; optional.
             06  Xaddress1.
      * ship_to.address.street is optional; street1-existence is 0
      *   where it is missing.
               09  street1-existence       PIC S9(9) COMP-5 SYNC.
               09  street1.
      * How many characters of street3 count.
                 12  street3-length        PIC S9999 COMP-5 SYNC.
      * ship_to.address.street: text of at most 60 characters;
      *   optional.
                 12  street3               PIC X(60).
      * ship_to.address.city is optional; city1-existence is 0 where it
      *   is missing.
               09  city1-existence         PIC S9(9) COMP-5 SYNC.
               09  city1.
      * How many characters of city3 count.
                 12  city3-length          PIC S9999 COMP-5 SYNC.
      * ship_to.address.city: text of at most 30 characters; optional.
                 12  city3                 PIC X(30).
      * ship_to.address.country is optional; country1-existence is 0
      *   where it is missing.
               09  country1-existence      PIC S9(9) COMP-5 SYNC.
      * ship_to.address.country: text of 2 characters; optional.
               09  country1                PIC X(2).
      * ship_to.instructions is optional; instructions-existence is 0
      *   where it is missing.
             06  instructions-existence    PIC S9(9) COMP-5 SYNC.
             06  instructions.
      * How many characters of instructions2 count.
               09  instructions2-length    PIC S9999 COMP-5 SYNC.
      * ship_to.instructions: text of at most 200 characters; optional,
      *   may be null.
               09  instructions2           PIC X(200).
      * lines: the container that Xlines-cont names holds Xlines-num
      *   rows, 1 to 50, each laid out as ORDER01-lines. Read and write
      *   it in BIT mode.
           03  Xlines-num                  PIC S9(9) COMP-5 SYNC.
           03  Xlines-cont                 PIC X(16).
      * total: decimal number with 2 decimal places from -9999999.99 to
      *   9999999.99; required.
           03  total                       PIC S9(7)V9(2) COMP-3.
      * weights_g is optional; weightsXg-existence is 0 where it is
      *   missing.
           03  weightsXg-existence         PIC S9(9) COMP-5 SYNC.
      * weights_g[]: integer from -2147483648 to 2147483647; optional.
           03  weightsXg                   PIC S9(9) COMP-5 SYNC
               OCCURS 3 TIMES.
      * gift is optional; gift-existence is 0 where it is missing.
           03  gift-existence              PIC S9(9) COMP-5 SYNC.
      * gift: boolean: X'00' is false, X'01' is true; optional.
           03  gift                        PIC X DISPLAY.
      * loyalty_points is optional; loyaltyXpoints-existence is 0 where
      *   it is missing.
           03  loyaltyXpoints-existence    PIC S9(9) COMP-5 SYNC.
      * loyalty_points: integer from 0 to 9999999999; optional.
           03  loyaltyXpoints              PIC 9(10) DISPLAY.

      * The rows of container Xlines-cont: lines.
       01  ORDER01-lines.
      * lines[]: object; required.
           03  Xlines1.
      * How many characters of sku count.
             06  sku-length                PIC S9999 COMP-5 SYNC.
      * lines[].sku: text of at most 16 characters; required.
             06  sku                       PIC X(16).
      * lines[].quantity: integer from 1 to 9999; required.
             06  quantity                  PIC 9999 COMP-5 SYNC.
      * lines[].unit_price: decimal number with 2 decimal places from 0
      *   to 99999.99; required.
             06  unitXprice                PIC 9(5)V9(2) COMP-3.
      * How many rows lines[].tags has, 0 to 5.
             06  tags-num                  PIC S9(9) COMP-5 SYNC.
             06  tags                      OCCURS 5 TIMES.
      * How many characters of tags2 count.
               09  tags2-length            PIC S9999 COMP-5 SYNC.
      * lines[].tags: text of at most 10 characters; optional.
               09  tags2                   PIC X(10).
