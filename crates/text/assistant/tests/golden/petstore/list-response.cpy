      ******************************************************************
      * LIST, made by Gantry from petstore/schema.json. Change the
      *   schema, not this text.
      * Rules of DFHJS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays OCCURS DEPENDING ON; optional fields without counters.
      ******************************************************************

       01  LIST.
      * How many rows animals has, 0 to 20.
           03  animals-num                 PIC S9(9) COMP-5 SYNC.
      * animals[]: array of objects; required.
           03  animals                     OCCURS 0 TO 20 TIMES
               DEPENDING ON animals-num.
      * animals[].id: integer from -9223372036854775808 to
      *   9223372036854775807; optional.
             06  Xid                       PIC S9(18) COMP-5 SYNC.
      * animals[].name: text of at most 30 characters; required.
             06  name                      PIC X(30).
      * animals[].species: text of 3 to 11 characters; required.
      * Values: cat, dog, guinea pig, owner's own.
             06  species                   PIC X(11).
                 88  species-cat           VALUE 'cat'.
                 88  species-dog           VALUE 'dog'.
                 88  species-guineaXpig    VALUE 'guinea pig'.
                 88  species-ownerXsXown   VALUE 'owner''s own'.
      * animals[].vaccinated: boolean: X'00' is false, X'01' is true;
      *   optional.
             06  vaccinated                PIC X DISPLAY.
                 88  vaccinated-true       VALUE X'01'.
                 88  vaccinated-false      VALUE X'00'.
      * animals[].weight: decimal number with 2 decimal places;
      *   optional.
             06  weight                    PIC S9(16)V9(2) COMP-3.
      * animals[].picture: base64 text of at most 400 characters;
      *   optional.
             06  Xpicture                  PIC X(400).
      * animals[].owner: object; optional, may be null.
             06  owner.
      * animals[].owner.name: text of at most 30 characters; optional.
               09  name1                   PIC X(30).
      * animals[].owner.visits: integer from 0 to 2147483647; optional.
               09  visits                  PIC 9(9) COMP-5 SYNC.
      * next: text of at most 64 characters; optional, may be null.
           03  Xnext                       PIC X(64).
