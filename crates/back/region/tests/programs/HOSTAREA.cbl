       IDENTIFICATION DIVISION.
       PROGRAM-ID. HOSTAREA.
      * Puts elements into data areas and gets them from others.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY BAQHAREC.
           COPY BAQHCONC.
       01  BAQ-API-INFO.
           03 BAQ-API-INFO-EYE   PIC X(4) VALUE 'BAQA'.
           03 BAQ-API-INFO-LENGTH PIC 9(9) COMP-5 SYNC VALUE 1052.
           03 BAQ-API-INFO-VERSION PIC 9(9) COMP-5 SYNC VALUE 1.
           03 FILLER             PIC 9(9) COMP-5 SYNC VALUE 0.
           03 BAQ-API-NAME       PIC X(255) VALUE 'Orders_1.0'.
           03 BAQ-API-NAME-LEN   PIC 9(9) COMP-5 SYNC VALUE 10.
           03 BAQ-API-PATH       PIC X(255) VALUE '%2Forders'.
           03 BAQ-API-PATH-LEN   PIC 9(9) COMP-5 SYNC VALUE 9.
           03 BAQ-API-METHOD     PIC X(255) VALUE 'POST'.
           03 BAQ-API-METHOD-LEN PIC 9(9) COMP-5 SYNC VALUE 4.
       01  WS-REQUEST            PIC X(5) VALUE 'AREAS'.
       01  WS-AREA-NAME          PIC X(16) VALUE 'LINES'.
       01  WS-ELEMENT            USAGE POINTER.
       01  WS-WILD REDEFINES WS-ELEMENT PIC X(8).
       01  WS-LENGTH             PIC 9(9) COMP-5 VALUE 5.
       01  WS-LINE               PIC X(5).
       01  WS-RC                 PIC S9(9) COMP-5 VALUE 0.
       01  WS-AT                 PIC 9(4) COMP VALUE 1.
       01  WS-CODES.
           05  WS-COMPLETION     PIC 9(3).
           05  WS-REASON         PIC 9(3).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW            PIC X(10).
           05  CA-TEXT           PIC X(100).
       01  LK-RESPONSE           PIC X(40).
       01  LK-LINE               PIC X(5).
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE SPACES TO CA-TEXT.
           IF CA-HOW(3:7) NOT = 'NOINIT'
               CALL BAQ-INIT-NAME USING BAQ-ZCONNECT-AREA
                   RETURNING WS-RC
           END-IF.
           SET WS-ELEMENT TO ADDRESS OF WS-LINE.
           MOVE 'ONE' TO WS-LINE.
           EVALUATE TRUE
               WHEN CA-HOW(1:2) = 'P-' PERFORM PUT-FAULT
               WHEN CA-HOW(1:2) = 'G-' PERFORM GET-FAULT
               WHEN CA-HOW = 'EMPTY'
                   PERFORM CALL-API
                   PERFORM GET-ALL
               WHEN OTHER
                   PERFORM PUT-ALL
                   IF CA-HOW = 'EYE'
                       MOVE 'XXXX' TO BAQ-API-INFO-EYE
                       PERFORM CALL-API
                       MOVE 'BAQA' TO BAQ-API-INFO-EYE
                       MOVE 'ONE' TO WS-LINE
                       PERFORM PUT-ALL
                   END-IF
                   PERFORM CALL-API
                   IF CA-HOW = 'TWICE'
                       MOVE 1 TO WS-AT
                       MOVE SPACES TO CA-TEXT
                       PERFORM CALL-API
                   END-IF
                   PERFORM GET-ALL
           END-EVALUATE.
           EXEC CICS RETURN END-EXEC.
       PUT-ALL.
           PERFORM PUT-NEXT.
           MOVE 'TWO' TO WS-LINE.
           PERFORM PUT-NEXT.
           MOVE 'TAGS' TO WS-AREA-NAME.
           PERFORM PUT-NEXT.
           MOVE 'LINES' TO WS-AREA-NAME.
           MOVE 'THREE' TO WS-LINE.
           PERFORM PUT-NEXT.
       PUT-NEXT.
           CALL BAQ-PUTN-NAME USING BAQ-ZCONNECT-AREA WS-AREA-NAME
               WS-ELEMENT WS-LENGTH RETURNING WS-RC.
       GET-NEXT.
           CALL BAQ-GETN-NAME USING BAQ-ZCONNECT-AREA WS-AREA-NAME
               WS-ELEMENT WS-LENGTH RETURNING WS-RC.
       CALL-API.
           SET BAQ-REQ-BASE-ADDRESS TO ADDRESS OF WS-REQUEST.
           MOVE LENGTH OF WS-REQUEST TO BAQ-REQ-BASE-LENGTH.
           CALL BAQ-EXEC-NAME USING BAQ-ZCONNECT-AREA BAQ-API-INFO
               BAQ-REQUEST-AREA BAQ-RESPONSE-AREA RETURNING WS-RC.
           IF BAQ-SUCCESS AND BAQ-RESP-BASE-LENGTH > 0
               SET ADDRESS OF LK-RESPONSE TO BAQ-RESP-BASE-ADDRESS
               STRING LK-RESPONSE(1:BAQ-RESP-BASE-LENGTH)
                   DELIMITED BY SIZE INTO CA-TEXT POINTER WS-AT
           END-IF.
      * All elements up to the first failure, and its codes.
       GET-ALL.
           STRING '|' DELIMITED BY SIZE INTO CA-TEXT POINTER WS-AT.
           PERFORM GET-NEXT.
           PERFORM UNTIL NOT BAQ-SUCCESS
               SET ADDRESS OF LK-LINE TO WS-ELEMENT
               STRING LK-LINE DELIMITED BY SIZE
                   INTO CA-TEXT POINTER WS-AT
               PERFORM GET-NEXT
           END-PERFORM.
           PERFORM TELL-CODES.
           STRING '|' WS-CODES DELIMITED BY SIZE
               INTO CA-TEXT POINTER WS-AT.
           IF WS-ELEMENT NOT = NULL
               STRING ' NOT NULL' DELIMITED BY SIZE
                   INTO CA-TEXT POINTER WS-AT
           END-IF.
       TELL-CODES.
           MOVE BAQ-ZCON-COMPLETION-CODE TO WS-COMPLETION.
           MOVE BAQ-ZCON-REASON-CODE TO WS-REASON.
       PUT-FAULT.
           EVALUATE CA-HOW
               WHEN 'P-TERM'
                   CALL BAQ-TERM-NAME USING BAQ-ZCONNECT-AREA
                       RETURNING WS-RC
               WHEN 'P-NAME' MOVE SPACES TO WS-AREA-NAME
               WHEN 'P-ZERO' MOVE 0 TO WS-LENGTH
               WHEN 'P-HUGE' MOVE 999999999 TO WS-LENGTH
               WHEN 'P-OTHER'
                   PERFORM PUT-NEXT
                   MOVE 4 TO WS-LENGTH
               WHEN 'P-NULL' SET WS-ELEMENT TO NULL
               WHEN 'P-WILD' MOVE ALL X'41' TO WS-WILD
           END-EVALUATE.
           PERFORM PUT-NEXT.
           PERFORM TELL-FAULT.
       GET-FAULT.
           IF CA-HOW NOT = 'G-NOINIT'
               PERFORM PUT-ALL
               PERFORM CALL-API
           END-IF.
           EVALUATE CA-HOW
               WHEN 'G-NAME' MOVE 'NONE' TO WS-AREA-NAME
               WHEN 'G-LENGTH' MOVE 6 TO WS-LENGTH
               WHEN 'G-FREE'
                   CALL BAQ-FREE-NAME USING BAQ-ZCONNECT-AREA
                       RETURNING WS-RC
               WHEN 'G-BLANK' MOVE SPACES TO WS-AREA-NAME
           END-EVALUATE.
           PERFORM GET-NEXT.
           PERFORM TELL-FAULT.
           IF WS-ELEMENT NOT = NULL
               MOVE 'NOT NULL' TO CA-TEXT
           END-IF.
       TELL-FAULT.
           PERFORM TELL-CODES.
           MOVE WS-CODES TO CA-TEXT(1:6).
           IF BAQ-ZCON-RETURN-MESSAGE-LEN > 0
               MOVE BAQ-ZCON-RETURN-MESSAGE
                   (1:BAQ-ZCON-RETURN-MESSAGE-LEN) TO CA-TEXT(7:94)
           END-IF.
