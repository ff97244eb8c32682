      ******************************************************************
      * SHAPE01, made by Gantry from a schema. Change the schema, not
      *   this text.
      * Rules of DFHWS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  SHAPE01.
      * left: integer from -2147483648 to 2147483647; required.
           03  Xleft                       PIC S9(9) COMP-5 SYNC.
      * right: integer from -2147483648 to 2147483647; required.
           03  Xright                      PIC S9(9) COMP-5 SYNC.
      * both is optional; both-num is 0 where it is missing.
           03  both-num                    PIC S9(9) COMP-5 SYNC.
      * both: integer from -2147483648 to 2147483647; optional.
           03  both                        PIC S9(9) COMP-5 SYNC.
      * or-none is optional; or-none-num is 0 where it is missing.
           03  or-none-num                 PIC S9(9) COMP-5 SYNC.
      * or-none: integer from -2147483648 to 2147483647; optional.
           03  or-none                     PIC S9(9) COMP-5 SYNC.
      * tag: the container that tag-cont names holds tag-num rows, 1 or
      *   more, each laid out as SHAPE01-tag. Read and write it in BIT
      *   mode.
           03  tag-num                     PIC S9(9) COMP-5 SYNC.
           03  tag-cont                    PIC X(16).
      * Groups: the container that Groups-cont names holds Groups-num
      *   rows, 0 to 3, each laid out as SHAPE01-Groups. Read and write
      *   it in BIT mode.
           03  Groups-num                  PIC S9(9) COMP-5 SYNC.
           03  Groups-cont                 PIC X(16).
      * Groups: the container that Groups1-cont names holds Groups1-num
      *   rows, 1 to 5, each laid out as SHAPE01-Groups1. Read and
      *   write it in BIT mode.
           03  Groups1-num                 PIC S9(9) COMP-5 SYNC.
           03  Groups1-cont                PIC X(16).

      * The rows of container tag-cont: tag.
       01  SHAPE01-tag.
      * tag[]: text without a maximum length in the schema; assuming
      *   255 characters; required.
           03  tag1                        PIC X(255).

      * The rows of container Groups-cont: Groups.
       01  SHAPE01-Groups.
      * Groups[]: object; required.
           03  Groups2.
      * Groups[].left: integer from -2147483648 to 2147483647;
      *   required.
             06  Xleft1                    PIC S9(9) COMP-5 SYNC.
      * Groups[].right: integer from -2147483648 to 2147483647;
      *   required.
             06  Xright1                   PIC S9(9) COMP-5 SYNC.

      * The rows of container Groups1-cont: Groups.
       01  SHAPE01-Groups1.
      * Groups: Groups3-enum tells which one is there; the container
      *   that Groups3-cont names holds it. Read and write it in BIT
      *   mode.
           03  Groups3-enum                PIC X DISPLAY.
               88  empty                   VALUE X'00'.
               88  Xplus                   VALUE X'01'.
               88  Xminus                  VALUE X'02'.
           03  Groups3-cont                PIC X(16).

      * The value of container Groups3-cont: plus.
       01  SHAPE01-plus.
      * plus: integer from -2147483648 to 2147483647; required.
           03  Xplus1                      PIC S9(9) COMP-5 SYNC.

      * The value of container Groups3-cont: minus.
       01  SHAPE01-minus.
      * minus: integer from -2147483648 to 2147483647; required.
           03  Xminus1                     PIC S9(9) COMP-5 SYNC.
