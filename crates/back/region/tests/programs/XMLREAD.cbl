       IDENTIFICATION DIVISION.
       PROGRAM-ID. XMLREAD.
      * Reads XML in the ways that programs do, and shows its events.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-SHOWN.
           05  WS-OUT      PIC X(2000).
       01  WS-AT           PIC S9(4) COMP VALUE 1.
       01  WS-NUMBER       PIC 9(7).
       01  WS-LENGTH       PIC 9(5).
       01  WS-CODE         PIC -(9)9.
       01  WS-CCSID        PIC S9(8) COMP.
       01  WS-RESP         PIC S9(8) COMP.
       01  WS-QUEUE        PIC X(8) VALUE 'XMLREAD'.
       01  WS-ITEM         PIC X(20).
       01  WS-PART         PIC S9(4) COMP VALUE 0.
       01  WS-PARTS.
           05  PIC X(12) VALUE '<a>one part '.
           05  PIC X(12) VALUE 'and<b/>two<c'.
           05  PIC X(12) VALUE ' d="1"/></a>'.
       01  REDEFINES WS-PARTS.
           05  WS-PIECE    PIC X(12) OCCURS 3.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW      PIC X(8).
           05  CA-LENGTH   PIC 9(4).
           05  CA-AREA     PIC X(2000).
       PROCEDURE DIVISION.
       MAIN-PARAGRAPH.
           MOVE SPACES TO WS-OUT.
           EVALUATE CA-HOW
             WHEN 'EVENTS'
               XML PARSE CA-AREA(1:CA-LENGTH)
                   PROCESSING PROCEDURE IS SHOW-EVENT
                   ON EXCEPTION
                       MOVE XML-CODE TO WS-CODE
                       PERFORM SHOW-CODE
                   NOT ON EXCEPTION
                       CALL 'NOBODY' ON EXCEPTION
                           STRING 'OK' DELIMITED BY SIZE INTO WS-OUT
                               WITH POINTER WS-AT
                       END-CALL
               END-XML
             WHEN 'SPACES'
               XML PARSE CA-AREA PROCESSING PROCEDURE SHOW-NAMES
                   THROUGH SHOW-NAMES-END
             WHEN 'VALUES'
               XML PARSE CA-AREA PROCESSING PROCEDURE TAKE-VALUES
                   NOT EXCEPTION
                       IF WS-NUMBER > 40
                           STRING 'GREAT ' DELIMITED BY SIZE INTO WS-OUT
                               WITH POINTER WS-AT
                       ELSE
                           STRING 'SMALL ' DELIMITED BY SIZE INTO WS-OUT
                               WITH POINTER WS-AT
                       END-IF
                       PERFORM SHOW-NUMBER
             WHEN 'STOP'
               XML PARSE CA-AREA PROCESSING PROCEDURE STOP-SOON
                   EXCEPTION
                       MOVE XML-CODE TO WS-CODE
                       PERFORM SHOW-CODE
               END-XML
             WHEN 'PARTS'
               MOVE 1 TO WS-PART
               XML PARSE WS-PIECE(WS-PART)
                   PROCESSING PROCEDURE GIVE-PARTS
             WHEN 'UTF-8'
               MOVE 1208 TO WS-CCSID
               XML PARSE CA-AREA(1:CA-LENGTH) WITH ENCODING WS-CCSID
                   RETURNING NATIONAL
                   PROCESSING PROCEDURE SHOW-NATIONAL
               END-XML
             WHEN 'PREFIXES'
               XML PARSE CA-AREA PROCESSING PROCEDURE GO-ON
                 ON EXCEPTION STRING 'NO' DELIMITED BY SIZE INTO WS-OUT
                 NOT ON EXCEPTION CALL 'INSIDE'
               END-XML
             WHEN 'BADCODE'
               XML PARSE CA-AREA PROCESSING PROCEDURE BREAK-RULES
           END-EVALUATE.
           MOVE WS-OUT TO CA-AREA.
           EXEC CICS RETURN END-EXEC.
       SHOW-EVENT.
           STRING XML-EVENT DELIMITED BY SPACE '{' XML-TEXT '}'
               DELIMITED BY SIZE INTO WS-OUT WITH POINTER WS-AT.
           IF XML-INFORMATION NOT = 0
               MOVE XML-INFORMATION TO WS-CODE
               PERFORM SHOW-CODE
           END-IF.
       SHOW-CODE.
           STRING WS-CODE(8:3) ';' DELIMITED BY SIZE INTO WS-OUT
               WITH POINTER WS-AT.
           IF WS-CODE(1:7) NOT = SPACES
               STRING WS-CODE ';' DELIMITED BY SIZE INTO WS-OUT
                   WITH POINTER WS-AT
           END-IF.
       SHOW-NAMES.
           IF XML-EVENT = 'CONTENT-CHARACTERS'
               GO TO SHOW-NAMES-END
           END-IF.
           STRING XML-TEXT '|' XML-NAMESPACE-PREFIX '|' XML-NAMESPACE
               ';' DELIMITED BY SIZE INTO WS-OUT WITH POINTER WS-AT.
       SHOW-NAMES-END.
           EXIT.
       TAKE-VALUES.
           EVALUATE TRUE
             WHEN XML-EVENT NOT = 'CONTENT-CHARACTERS'
               CONTINUE
             WHEN XML-TEXT IS NUMERIC
               MOVE XML-TEXT TO WS-NUMBER
             WHEN XML-TEXT = 'queue'
               EXEC CICS WRITEQ TS QUEUE(WS-QUEUE) FROM(XML-TEXT)
                   LENGTH(LENGTH OF XML-TEXT) MAIN RESP(WS-RESP)
                   END-EXEC
               EXEC CICS READQ TS QUEUE(WS-QUEUE) INTO(WS-ITEM)
                   ITEM(1) RESP(WS-RESP) END-EXEC
               STRING WS-ITEM DELIMITED BY SPACE ';' DELIMITED BY SIZE
                   INTO WS-OUT WITH POINTER WS-AT
             WHEN OTHER
               MOVE FUNCTION LENGTH(XML-TEXT) TO WS-LENGTH
               STRING XML-TEXT(1:3) '/' XML-TEXT(2:) '/' WS-LENGTH ';'
                   DELIMITED BY SIZE INTO WS-OUT WITH POINTER WS-AT
               CALL 'INSIDE'
           END-EVALUATE.
       SHOW-NUMBER.
           STRING WS-NUMBER DELIMITED BY SIZE INTO WS-OUT
               WITH POINTER WS-AT.
       STOP-SOON.
           IF XML-EVENT = 'END-OF-ELEMENT'
               MOVE -1 TO XML-CODE
           END-IF.
           PERFORM SHOW-EVENT.
       GIVE-PARTS.
           PERFORM SHOW-EVENT.
           IF XML-EVENT = 'END-OF-INPUT' AND WS-PART < 3
               ADD 1 TO WS-PART
               MOVE 1 TO XML-CODE
           END-IF.
       SHOW-NATIONAL.
           IF XML-EVENT = 'CONTENT-CHARACTERS'
               MOVE FUNCTION LENGTH(XML-NTEXT) TO WS-LENGTH
               STRING FUNCTION DISPLAY-OF(XML-NTEXT) '/' WS-LENGTH '/'
                   XML-NTEXT(2:1) ';'
                   DELIMITED BY SIZE INTO WS-OUT WITH POINTER WS-AT
               MOVE LENGTH OF XML-NTEXT TO WS-LENGTH
               STRING WS-LENGTH XML-TEXT '.'
                   DELIMITED BY SIZE INTO WS-OUT WITH POINTER WS-AT
           END-IF.
       GO-ON.
           IF XML-EVENT = 'EXCEPTION'
               MOVE 0 TO XML-CODE
           END-IF.
           PERFORM SHOW-NAMES THRU SHOW-NAMES-END.
       BREAK-RULES.
           MOVE 5 TO XML-CODE.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. INSIDE.
       PROCEDURE DIVISION.
           DISPLAY 'INSIDE ' XML-EVENT '{' XML-TEXT '} ' XML-CODE.
       END PROGRAM INSIDE.
       END PROGRAM XMLREAD.
