      ******************************************************************
      * PARCELS, made by Gantry from parcels/schema.json. Change the
      *   schema, not this text.
      * Rules of DFHJS2LS, MAPPING-LEVEL=5.0, CHAR-VARYING=YES; varying
      *   arrays inline or in data areas; optional fields with
      *   counters.
      ******************************************************************

       01  PARCELS.
      * responseCode200: the data area that responseCode200-dataarea
      *   names holds responseCode200-num rows, 0 or more, each laid
      *   out as PARCELS-responseCode200. Use BAQGETN or BAQPUTN.
           03  responseCode200-num         PIC S9(9) COMP-5 SYNC.
           03  responseCode200-dataarea    PIC X(16).
      * responseCode404 is optional; responseCode404-existence is 0
      *   where it is missing. Else the data area that
      *   responseCode404-dataarea names holds it, laid out as
      *   PARCELS-responseCode404. Use BAQGETN or BAQPUTN.
           03  responseCode404-existence   PIC S9(9) COMP-5 SYNC.
           03  responseCode404-dataarea    PIC X(16).

      * The rows of data area responseCode200-dataarea:
      *   responseCode200.
       01  PARCELS-responseCode200.
      * responseCode200[]: object; required.
           03  responseCode2001.
      * responseCode200[].code: text of 6 characters; required.
             06  Xcode                     PIC X(6).
      * responseCode200[].stops: the data area that stops-dataarea
      *   names holds stops-num rows, 0 to 30, each laid out as
      *   PARCELS-stops. Use BAQGETN or BAQPUTN.
             06  stops-num                 PIC S9(9) COMP-5 SYNC.
             06  stops-dataarea            PIC X(16).
      * responseCode200[].notes: the data area that notes-dataarea
      *   names holds notes-num rows, 0 or more, each laid out as
      *   PARCELS-notes. Use BAQGETN or BAQPUTN.
             06  notes-num                 PIC S9(9) COMP-5 SYNC.
             06  notes-dataarea            PIC X(16).

      * The rows of data area stops-dataarea: responseCode200[].stops.
       01  PARCELS-stops.
      * responseCode200[].stops[]: object; required.
           03  stops1.
      * How many characters of place count.
             06  place-length              PIC S9999 COMP-5 SYNC.
      * responseCode200[].stops[].place: text of at most 40 characters;
      *   required.
             06  place                     PIC X(40).
      * responseCode200[].stops[].kilos is optional; kilos-existence is
      *   0 where it is missing.
             06  kilos-existence           PIC S9(9) COMP-5 SYNC.
      * responseCode200[].stops[].kilos: decimal number with 2 decimal
      *   places; optional.
             06  kilos                     PIC S9(16)V9(2) COMP-3.
      * No data: the next row starts at its boundary.
             06  FILLER                    PIC X(2).

      * The rows of data area notes-dataarea: responseCode200[].notes.
       01  PARCELS-notes.
      * How many characters of notes1 count.
           03  notes1-length               PIC S9999 COMP-5 SYNC.
      * responseCode200[].notes[]: text of at most 20 characters;
      *   required.
           03  notes1                      PIC X(20).

      * The value of data area responseCode404-dataarea:
      *   responseCode404.
       01  PARCELS-responseCode404.
      * responseCode404: object; required.
           03  responseCode4041.
      * How many characters of Xmessage count.
             06  Xmessage-length           PIC S9999 COMP-5 SYNC.
      * responseCode404.message: text without a maximum length in the
      *   schema; assuming 255 characters; required.
             06  Xmessage                  PIC X(255).
      * responseCode404.trace is optional; Xtrace-existence is 0 where
      *   it is missing.
             06  Xtrace-existence          PIC S9(9) COMP-5 SYNC.
             06  Xtrace.
      * How many characters of Xtrace2 count.
               09  Xtrace2-length          PIC S9999 COMP-5 SYNC.
      * responseCode404.trace: text of at most 40000 characters;
      *   optional.
               09  Xtrace2                 PIC X(32767).
      * No data: the next row starts at its boundary.
             06  FILLER                    PIC X(3).
