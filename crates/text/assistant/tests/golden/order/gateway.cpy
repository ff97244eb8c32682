      ******************************************************************
      * XORDER, made by Gantry from order/schema.json. Change the
      *   schema, not this text.
      * Rules of DFHJS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays OCCURS DEPENDING ON; optional fields without counters.
      ******************************************************************

       01  XORDER.
      * order_id: text of 12 characters, pattern ^[A-Z]{2}[0-9]{10}$;
      *   required.
           03  order-id                    PIC X(12).
      * placed_at: date-time as text; optional.
           03  placed-at                   PIC X(32).
      * status: text of 3 to 9 characters; optional.
      * Values: NEW, PAID, SHIPPED, CANCELLED.
      * Where the order is on its way.
           03  Xstatus                     PIC X(9).
               88  Xstatus-NEW             VALUE 'NEW'.
               88  Xstatus-PAID            VALUE 'PAID'.
               88  Xstatus-SHIPPED         VALUE 'SHIPPED'.
               88  Xstatus-CANCELLED       VALUE 'CANCELLED'.
      * customer: object; required.
           03  customer.
      * customer.name: text of at most 40 characters; required.
             06  name                      PIC X(40).
      * customer.address: object; optional.
             06  Xaddress.
      * customer.address.street: text of at most 60 characters;
      *   optional.
               09  street                  PIC X(60).
      * customer.address.city: text of at most 30 characters; optional.
               09  city                    PIC X(30).
      * customer.address.country: text of 2 characters; optional.
               09  country                 PIC X(2).
      * ship_to: object; optional.
           03  ship-to.
      * ship_to.name: text of at most 40 characters; required.
             06  name1                     PIC X(40).
      * ship_to.address: object; optional.
             06  Xaddress1.
      * ship_to.address.street: text of at most 60 characters;
      *   optional.
               09  street1                 PIC X(60).
      * ship_to.address.city: text of at most 30 characters; optional.
               09  city1                   PIC X(30).
      * ship_to.address.country: text of 2 characters; optional.
               09  country1                PIC X(2).
      * ship_to.instructions: text of at most 200 characters; optional,
      *   may be null.
             06  instructions              PIC X(200).
      * How many rows lines has, 1 to 50.
           03  Xlines-num                  PIC S9(9) COMP-5 SYNC.
      * lines[]: array of objects; required.
           03  Xlines                      OCCURS 1 TO 50 TIMES
               DEPENDING ON Xlines-num.
      * lines[].sku: text of at most 16 characters; required.
             06  sku                       PIC X(16).
      * lines[].quantity: integer from 1 to 9999; required.
             06  quantity                  PIC 9999 COMP-5 SYNC.
      * lines[].unit_price: decimal number with 2 decimal places from 0
      *   to 99999.99; required.
             06  unit-price                PIC 9(5)V9(2) COMP-3.
      * How many rows lines[].tags has, 0 to 5.
             06  tags-num                  PIC S9(9) COMP-5 SYNC.
      * lines[].tags[]: text of at most 10 characters; optional.
             06  tags                      PIC X(10) OCCURS 0 TO 5 TIMES
                 DEPENDING ON tags-num.
      * total: decimal number with 2 decimal places from -9999999.99 to
      *   9999999.99; required.
           03  total                       PIC S9(7)V9(2) COMP-3.
      * weights_g[]: integer from -2147483648 to 2147483647; optional.
           03  weights-g                   PIC S9(9) COMP-5 SYNC
               OCCURS 3 TIMES.
      * gift: boolean: X'00' is false, X'01' is true; optional.
           03  gift                        PIC X DISPLAY.
               88  gift-true               VALUE X'01'.
               88  gift-false              VALUE X'00'.
      * loyalty_points: integer from 0 to 9999999999; optional.
           03  loyalty-points              PIC 9(10) DISPLAY.
