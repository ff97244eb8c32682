      ******************************************************************
      * ADDREQ, made by Gantry from petstore/schema.json. Change the
      *   schema, not this text.
      * Rules of DFHJS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays OCCURS DEPENDING ON; optional fields without counters.
      ******************************************************************

       01  ADDREQ.
      * name: text of at most 30 characters; required.
           03  name                        PIC X(30).
      * species: text of 3 to 11 characters; required.
      * Values: cat, dog, guinea pig, owner's own.
           03  species                     PIC X(11).
               88  species-cat             VALUE 'cat'.
               88  species-dog             VALUE 'dog'.
               88  species-guineaXpig      VALUE 'guinea pig'.
               88  species-ownerXsXown     VALUE 'owner''s own'.
      * vaccinated: boolean: X'00' is false, X'01' is true; optional.
           03  vaccinated                  PIC X DISPLAY.
               88  vaccinated-true         VALUE X'01'.
               88  vaccinated-false        VALUE X'00'.
      * weight: decimal number with 2 decimal places; optional.
           03  weight                      PIC S9(16)V9(2) COMP-3.
      * picture: base64 text of at most 400 characters; optional.
           03  Xpicture                    PIC X(400).
      * secret: text of at most 8 characters; optional.
           03  secret                      PIC X(8).
      * owner: object; optional, may be null.
           03  owner.
      * owner.name: text of at most 30 characters; optional.
             06  name1                     PIC X(30).
      * owner.visits: integer from 0 to 2147483647; optional.
             06  visits                    PIC 9(9) COMP-5 SYNC.
