       IDENTIFICATION DIVISION.
       PROGRAM-ID. DATESUB.
      *
      * Calls a service; no command of CICS, and no name of it.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TEXT.
           05  WS-TEXT-LENGTH    PIC S9(4) BINARY VALUE 30.
           05  WS-TEXT-BYTES     PIC X(30).
       01  WS-PICTURE.
           05  WS-PICTURE-LENGTH PIC S9(4) COMP-5.
           05  WS-PICTURE-BYTES  PIC X(34).
       01  WS-SECONDS            COMP-2.
       01  WS-DAYS               PIC S9(9) BINARY.
       LINKAGE SECTION.
       01  LK-SERVICE            PIC X(8).
       01  LK-TEXT               PIC X(30).
       01  LK-PICTURE            PIC X(34).
       01  LK-DAYS               PIC S9(9) COMP-5.
       01  LK-RESULT             PIC X(80).
       01  LK-FC                 PIC X(12).
       PROCEDURE DIVISION USING LK-SERVICE LK-TEXT LK-PICTURE LK-DAYS
               LK-RESULT LK-FC.
       MAIN-LINE.
           MOVE LK-TEXT TO WS-TEXT-BYTES
           MOVE LK-PICTURE TO WS-PICTURE-BYTES
           MOVE LENGTH OF LK-PICTURE TO WS-PICTURE-LENGTH
           MOVE LK-DAYS TO WS-DAYS
           EVALUATE LK-SERVICE
               WHEN 'CEEDAYS'
                   CALL 'CEEDAYS' USING WS-TEXT WS-PICTURE WS-DAYS LK-FC
               WHEN 'CEEDATE'
                   CALL 'CEEDATE' USING WS-DAYS WS-PICTURE LK-RESULT
                       LK-FC
               WHEN 'CEEDYWK'
                   CALL 'CEEDYWK' USING LK-DAYS WS-DAYS LK-FC
               WHEN 'CEESECS'
                   CALL 'CEESECS' USING WS-TEXT WS-PICTURE WS-SECONDS
                       LK-FC
                   IF LK-FC = LOW-VALUES
                       CALL 'CEEDATM' USING WS-SECONDS WS-PICTURE
                           LK-RESULT LK-FC
                   END-IF
           END-EVALUATE
           MOVE WS-DAYS TO LK-DAYS
           GOBACK.
