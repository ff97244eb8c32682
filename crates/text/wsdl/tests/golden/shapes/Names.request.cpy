      ******************************************************************
      * SHAPE01, made by Gantry from a schema. Change the schema, not
      *   this text.
      * Rules of DFHWS2LS, MAPPING-LEVEL=4.3, CHAR-VARYING=NO; varying
      *   arrays inline or in containers; optional fields with
      *   counters.
      ******************************************************************

       01  SHAPE01.
      * DISPLAY: integer from -2147483648 to 2147483647; required.
           03  XDISPLAY                    PIC S9(9) COMP-5 SYNC.
      * monthly_total: integer from -2147483648 to 2147483647;
      *   required.
           03  monthlyXtotal               PIC S9(9) COMP-5 SYNC.
      * AVeryLongNameOfAnElementThatIsCut: integer from -2147483648 to
      *   2147483647; required.
           03  AVeryLongNameOfAnElementThat PIC S9(9) COMP-5 SYNC.
      * AVeryLongNameOfAnElementThatIsCut2: the container that
      *   AVeryLongNameOfAnElemen-cont names holds
      *   AVeryLongNameOfAnElemen-num rows, 0 to 9, each laid out as
      *   SHAPE01-AVeryLongNameOfAnEle. Read and write it in BIT mode.
           03  AVeryLongNameOfAnElemen-num PIC S9(9) COMP-5 SYNC.
           03  AVeryLongNameOfAnElemen-cont PIC X(16).
      * gr\u{F6}\u{DF}e: integer from -2147483648 to 2147483647;
      *   required.
           03  grXXe                       PIC S9(9) COMP-5 SYNC.

      * The rows of container AVeryLongNameOfAnElemen-cont:
      *   AVeryLongNameOfAnElementThatIsCut2.
       01  SHAPE01-AVeryLongNameOfAnEle.
      * AVeryLongNameOfAnElementThatIsCut2[]: integer from -2147483648
      *   to 2147483647; required.
           03  AVeryLongNameOfAnElementTha1 PIC S9(9) COMP-5 SYNC.
