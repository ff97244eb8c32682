       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLABLE.
      * Calls a service of Language Environment, as CA-SERVICE says.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TEXT.
           05  WS-TEXT-LENGTH     PIC S9(4) BINARY.
           05  WS-TEXT-CHARACTERS PIC X(30).
       01  WS-PICTURE.
           05  WS-PICTURE-LENGTH  PIC S9(4) COMP-5.
           05  WS-PICTURE-TEXT    PIC X(30).
       01  WS-DAYS                PIC S9(9) BINARY.
       01  WS-NATIVE              PIC S9(9) COMP-5.
       01  WS-SECONDS             COMP-2.
       01  WS-LATER               COMP-2.
       01  WS-NUMBERS.
           05  WS-NUMBER          PIC S9(9) BINARY OCCURS 7 TIMES.
       01  WS-STORAGE             USAGE POINTER.
       01  FC.
           03  FC-TOKEN.
           COPY CEEIGZCT.
               04  FC-SEVERITY    PIC S9(4) BINARY.
               04  FC-MESSAGE     PIC S9(4) BINARY.
               04  FC-CONTROL     PIC X.
               04  FC-FACILITY    PIC XXX.
           03  FC-INFORMATION     PIC S9(9) BINARY.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-SERVICE         PIC X(8).
           05  CA-TEXT            PIC X(30).
           05  CA-PICTURE         PIC X(30).
           05  CA-DAYS            PIC S9(9) SIGN LEADING SEPARATE.
           05  CA-RESULT          PIC X(80).
           05  CA-MESSAGE         PIC 9(4).
           05  CA-CODE            PIC X(4).
       01  LK-STORAGE             PIC X(40).
       PROCEDURE DIVISION.
           EXEC CICS HANDLE ABEND LABEL(ABENDED) END-EXEC
           MOVE 30 TO WS-TEXT-LENGTH WS-PICTURE-LENGTH
           MOVE CA-TEXT TO WS-TEXT-CHARACTERS
           MOVE CA-PICTURE TO WS-PICTURE-TEXT
           MOVE CA-DAYS TO WS-DAYS WS-NATIVE
           MOVE SPACES TO CA-RESULT
           MOVE ALL X'FF' TO FC
           EVALUATE CA-SERVICE
               WHEN 'CEEDAYS'
                   CALL 'CEEDAYS' USING WS-TEXT WS-PICTURE WS-NATIVE FC
                   MOVE WS-NATIVE TO CA-DAYS
               WHEN 'CEECBLDY'
                   CALL 'CEECBLDY' USING WS-TEXT WS-PICTURE WS-DAYS FC
                   MOVE WS-DAYS TO CA-DAYS
               WHEN 'CEEDATE'
                   CALL 'CEEDATE' USING WS-DAYS WS-PICTURE CA-RESULT FC
               WHEN 'CEEDYWK'
                   CALL 'CEEDYWK' USING WS-NATIVE WS-DAYS FC
                   MOVE WS-DAYS TO CA-DAYS
               WHEN 'CEESECS'
                   CALL 'CEESECS' USING WS-TEXT WS-PICTURE WS-SECONDS FC
                   IF CEE000 OF FC-TOKEN
                       CALL 'CEEDATM' USING WS-SECONDS WS-PICTURE
                           CA-RESULT FC
                   END-IF
               WHEN 'CEEISEC'
                   PERFORM PARTS
               WHEN 'CEELOCT'
                   CALL 'CEELOCT' USING WS-DAYS WS-SECONDS CA-RESULT FC
                   CALL 'CEEGMT' USING WS-NATIVE WS-LATER FC
                   IF WS-LATER < WS-SECONDS OR WS-NATIVE < WS-DAYS
                       MOVE 'BACKWARDS' TO CA-RESULT
                   END-IF
                   MOVE WS-DAYS TO CA-DAYS
               WHEN 'CEESCEN'
                   CALL 'CEESCEN' USING WS-DAYS FC
                   CALL 'CEEQCEN' USING WS-NATIVE OMITTED
                   MOVE WS-NATIVE TO CA-DAYS
               WHEN 'CEEGMTO'
                   CALL 'CEEGMTO' USING WS-DAYS WS-NATIVE WS-SECONDS FC
                   IF WS-SECONDS = 0 AND WS-NATIVE = 0
                       MOVE WS-DAYS TO CA-DAYS
                   END-IF
               WHEN 'CEEGTST'
                   PERFORM STORAGE-PIECE
               WHEN 'CEEMOUT'
                   CALL 'CEEMOUT' USING WS-TEXT WS-DAYS FC
               WHEN 'CEE3DMP'
                   CALL 'CEE3DMP' USING CA-TEXT CA-PICTURE FC
               WHEN 'CEE3ABD'
                   CALL 'CEE3ABD' USING WS-DAYS WS-NATIVE
                   MOVE 'NOT REACHED' TO CA-RESULT
               WHEN 'OMITTED'
                   CALL 'CEEDAYS' USING WS-TEXT WS-PICTURE WS-DAYS
                       OMITTED
                   MOVE WS-DAYS TO CA-DAYS
           END-EVALUATE
           MOVE FC-MESSAGE TO CA-MESSAGE
           EVALUATE TRUE
               WHEN CEE000 OF FC-TOKEN MOVE 'GOOD' TO CA-CODE
               WHEN CEE2EC OF FC-TOKEN MOVE '2EC' TO CA-CODE
               WHEN OTHER MOVE SPACES TO CA-CODE
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       PARTS.
           MOVE 1988 TO WS-NUMBER(1)
           MOVE WS-DAYS TO WS-NUMBER(2)
           MOVE 16 TO WS-NUMBER(3)
           IF CA-TEXT(1:2) IS NUMERIC
               COMPUTE WS-NUMBER(3) = FUNCTION NUMVAL(CA-TEXT(1:2))
           END-IF
           MOVE 19 TO WS-NUMBER(4)
           MOVE 0 TO WS-NUMBER(5)
           MOVE 1 TO WS-NUMBER(6)
           MOVE 78 TO WS-NUMBER(7)
           CALL 'CEEISEC' USING WS-NUMBER(1) WS-NUMBER(2) WS-NUMBER(3)
               WS-NUMBER(4) WS-NUMBER(5) WS-NUMBER(6) WS-NUMBER(7)
               WS-SECONDS FC
           IF CEE000 OF FC-TOKEN
               MOVE ALL X'FF' TO WS-NUMBERS
               CALL 'CEESECI' USING WS-SECONDS WS-NUMBER(1)
                   WS-NUMBER(2) WS-NUMBER(3) WS-NUMBER(4) WS-NUMBER(5)
                   WS-NUMBER(6) WS-NUMBER(7) FC
               COMPUTE CA-DAYS = WS-NUMBER(1) * 10000 + WS-NUMBER(2)
                   * 100 + WS-NUMBER(4) + WS-NUMBER(7)
           END-IF.
       STORAGE-PIECE.
           MOVE 0 TO WS-NATIVE
           CALL 'CEEGTST' USING WS-NATIVE WS-DAYS WS-STORAGE FC
           IF CEE000 OF FC-TOKEN
               SET ADDRESS OF LK-STORAGE TO WS-STORAGE
               MOVE ALL '*' TO LK-STORAGE
               MOVE LK-STORAGE TO CA-RESULT
               CALL 'CEEFRST' USING WS-STORAGE FC
               CALL 'CEEFRST' USING WS-STORAGE FC
           END-IF.
       ABENDED.
           EXEC CICS ASSIGN ABCODE(CA-CODE) END-EXEC
           EXEC CICS RETURN END-EXEC.
