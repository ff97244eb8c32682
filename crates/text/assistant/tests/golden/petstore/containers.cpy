      ******************************************************************
      * LIST, made by Gantry from petstore/schema.json. Change the
      *   schema, not this text.
      * Rules of DFHJS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays in containers; optional fields with counters.
      ******************************************************************

       01  LIST.
      * animals: the container that animals-cont names holds
      *   animals-num rows, 0 to 20, each laid out as LIST-animals.
      *   Read and write it in BIT mode.
           03  animals-num                 PIC S9(9) COMP-5 SYNC.
           03  animals-cont                PIC X(16).
      * next is optional; Xnext-num is 0 where it is missing.
           03  Xnext-num                   PIC S9(9) COMP-5 SYNC.
      * next: text of at most 64 characters; optional, may be null.
           03  Xnext                       PIC X(64).

      * The rows of container animals-cont: animals.
       01  LIST-animals.
      * animals[]: object; required.
           03  animals1.
      * animals[].id is optional; Xid-num is 0 where it is missing.
             06  Xid-num                   PIC S9(9) COMP-5 SYNC.
      * animals[].id: integer from -9223372036854775808 to
      *   9223372036854775807; optional.
             06  Xid                       PIC S9(18) COMP-5 SYNC.
      * animals[].name: text of at most 30 characters; required.
             06  name                      PIC X(30).
      * animals[].species: text of 3 to 11 characters; required.
      * Values: cat, dog, guinea pig, owner's own.
             06  species                   PIC X(11).
      * animals[].vaccinated is optional; vaccinated-num is 0 where it
      *   is missing.
             06  vaccinated-num            PIC S9(9) COMP-5 SYNC.
      * animals[].vaccinated: boolean: X'00' is false, X'01' is true;
      *   optional.
             06  vaccinated                PIC X DISPLAY.
      * animals[].weight is optional; weight-num is 0 where it is
      *   missing.
             06  weight-num                PIC S9(9) COMP-5 SYNC.
      * animals[].weight: floating point of 4 bytes; optional.
             06  weight                    COMP-1.
      * animals[].picture is optional; Xpicture-num is 0 where it is
      *   missing.
             06  Xpicture-num              PIC S9(9) COMP-5 SYNC.
      * animals[].picture: at most 300 octets, base64 in the text;
      *   optional.
             06  Xpicture                  PIC X(300).
      * animals[].owner is optional; owner-num is 0 where it is
      *   missing.
             06  owner-num                 PIC S9(9) COMP-5 SYNC.
      * animals[].owner: object; optional, may be null.
             06  owner.
      * animals[].owner.name is optional; name1-num is 0 where it is
      *   missing.
               09  name1-num               PIC S9(9) COMP-5 SYNC.
      * animals[].owner.name: text of at most 30 characters; optional.
               09  name1                   PIC X(30).
      * animals[].owner.visits is optional; visits-num is 0 where it is
      *   missing.
               09  visits-num              PIC S9(9) COMP-5 SYNC.
      * animals[].owner.visits: integer from 0 to 2147483647; optional.
               09  visits                  PIC 9(9) COMP-5 SYNC.
