       IDENTIFICATION DIVISION.
       PROGRAM-ID. APICALL.
      * Calls APIs, services and transformations, and notes the rest.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY BAQRINFO.
       01  API-INFO.
           03 BAQ-APINAME        PIC X(255) VALUE 'Orders_1.0'.
           03 BAQ-APINAME-LEN    PIC S9(9) COMP-5 SYNC VALUE 10.
           03 BAQ-APIPATH        PIC X(255) VALUE '%2Forders'.
           03 BAQ-APIPATH-LEN    PIC S9(9) COMP-5 SYNC VALUE 9.
           03 BAQ-APIMETHOD      PIC X(255) VALUE 'POST'.
           03 BAQ-APIMETHOD-LEN  PIC S9(9) COMP-5 SYNC VALUE 4.
       01  WS-REQUEST            PIC X(5) VALUE 'HELLO'.
       01  WS-RESPONSE           PIC X(12) VALUE SPACES.
       01  WS-REQUEST-PTR        USAGE POINTER.
       01  WS-REQUEST-LEN        PIC S9(9) COMP-5 SYNC.
       01  WS-RESPONSE-PTR       USAGE POINTER.
       01  WS-RESPONSE-LEN       PIC S9(9) COMP-5 SYNC.
       01  WS-STUB               PIC X(8) VALUE 'BAQCSTUB'.
       01  WS-RESP               PIC S9(8) COMP.
       01  WS-RESP2              PIC S9(8) COMP.
       01  WS-SIZE               PIC 9(5).
       01  WS-TEXT               PIC X(40).
       01  WS-LEN                PIC S9(8) COMP.
       01  WS-URI                PIC X(255).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW            PIC X(10).
           05  CA-CODE           PIC 9(3).
           05  CA-STATUS         PIC 9(3).
           05  CA-TEXT           PIC X(44).
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE SPACES TO CA-TEXT.
           SET WS-REQUEST-PTR TO ADDRESS OF WS-REQUEST.
           MOVE LENGTH OF WS-REQUEST TO WS-REQUEST-LEN.
           SET WS-RESPONSE-PTR TO ADDRESS OF WS-RESPONSE.
           MOVE LENGTH OF WS-RESPONSE TO WS-RESPONSE-LEN.
           EVALUATE CA-HOW
               WHEN 'SIZE'
                   MOVE LENGTH OF API-INFO TO WS-SIZE
                   MOVE WS-SIZE TO CA-TEXT
               WHEN 'STUB' PERFORM STUB
               WHEN 'SHORT'
                   MOVE 3 TO WS-RESPONSE-LEN
                   PERFORM STUB
               WHEN 'NEGATIVE'
                   MOVE -1 TO WS-REQUEST-LEN
                   PERFORM STUB
               WHEN 'NOAPI'
                   MOVE 'NoSuch' TO BAQ-APINAME
                   MOVE 6 TO BAQ-APINAME-LEN
                   PERFORM STUB
               WHEN 'LONGNAME'
                   MOVE 256 TO BAQ-APINAME-LEN
                   PERFORM STUB
               WHEN 'STATUS'
                   MOVE 'WRONG' TO WS-REQUEST
                   PERFORM STUB
               WHEN 'SLOW'
                   MOVE 'SLEEP' TO WS-REQUEST
                   PERFORM STUB
               WHEN 'WEBHOST'
                   EXEC CICS WEB OPEN HOST('h') SESSTOKEN(WS-STUB)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'WEBMAP'
                   EXEC CICS WEB OPEN URIMAP('M') SESSTOKEN(WS-STUB)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'WEBSEND'
                   EXEC CICS WEB SEND GET SESSTOKEN(WS-STUB)
                       BASICAUTH USERNAME('MARY') PASSWORD('SECRET')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'MAP'
                   EXEC CICS INQUIRE URIMAP('M') PATH(WS-URI)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'INVOKE' PERFORM INVOKE-ONE
               WHEN 'NOSERV'
                   EXEC CICS INVOKE SERVICE('NoSuch') CHANNEL('C')
                       OPERATION('get')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'FAULT'
                   EXEC CICS PUT CONTAINER('X') CHANNEL('C')
                       FROM('X') END-EXEC
                   EXEC CICS INVOKE WEBSERVICE('Faulty') CHANNEL('C')
                       OPERATION('get')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
                   MOVE LENGTH OF CA-TEXT TO WS-LEN
                   EXEC CICS GET CONTAINER('DFHWS-BODY') CHANNEL('C')
                       INTO(CA-TEXT) FLENGTH(WS-LEN)
                       NOHANDLE END-EXEC
               WHEN 'URI'
                   MOVE 'http://h/a?b' TO WS-TEXT
                   PERFORM INVOKE-URI
               WHEN 'NOURI'
                   MOVE 'http://other' TO WS-TEXT
                   PERFORM INVOKE-URI
               WHEN 'URIMAP'
                   PERFORM INVOKE-URIMAP
               WHEN 'JSON' PERFORM TO-JSON
               WHEN 'DATA' PERFORM TO-DATA
               WHEN 'BADJSON'
                   EXEC CICS PUT CONTAINER('IN') CHANNEL('C')
                       FROM('no JSON') CHAR END-EXEC
                   EXEC CICS TRANSFORM JSONTODATA CHANNEL('C')
                       INCONTAINER('IN') OUTCONTAINER('OUT')
                       TRANSFORMER('ORDERS')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
                   MOVE 40 TO WS-LEN
                   EXEC CICS GET CONTAINER('DFHJSON-ERRORMSG')
                       CHANNEL('C') INTO(CA-TEXT) FLENGTH(WS-LEN)
                       RESP(WS-RESP) END-EXEC
               WHEN 'NOIN'
                   EXEC CICS PUT CONTAINER('X') CHANNEL('C')
                       FROM('x') END-EXEC
                   EXEC CICS TRANSFORM DATATOJSON CHANNEL('C')
                       INCONTAINER('IN') OUTCONTAINER('OUT')
                       TRANSFORMER('ORDERS')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'KIND'
                   EXEC CICS PUT CONTAINER('IN') CHANNEL('C')
                       FROM('x') CHAR END-EXEC
                   EXEC CICS TRANSFORM DATATOJSON CHANNEL('C')
                       INCONTAINER('IN') OUTCONTAINER('OUT')
                       TRANSFORMER('ORDERS')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'NOTRANS'
                   EXEC CICS PUT CONTAINER('IN') CHANNEL('C')
                       FROM('x') END-EXEC
                   EXEC CICS TRANSFORM DATATOXML CHANNEL('C')
                       DATCONTAINER('IN') XMLCONTAINER('OUT')
                       XMLTRANSFORM('NoSuch')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'NOCHAN'
                   EXEC CICS TRANSFORM DATATOJSON CHANNEL('NONE')
                       INCONTAINER('IN') OUTCONTAINER('OUT')
                       TRANSFORMER('ORDERS')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'FAULTS'
                   EXEC CICS SOAPFAULT DELETE
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'OPERATOR'
                   EXEC CICS WRITE OPERATOR TEXT('ORDERS ARE LATE')
                       ROUTECODES(X'020B') NUMROUTES(2) IMMEDIATE
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'REPLY'
                   EXEC CICS WRITE OPERATOR TEXT('GO ON?')
                       REPLY(WS-TEXT) MAXLENGTH(40)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'TOOLONG'
                   EXEC CICS WRITE OPERATOR TEXT(CA-TEXT)
                       TEXTLENGTH(691)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
               WHEN 'ROUTES'
                   EXEC CICS WRITE OPERATOR TEXT('X')
                       ROUTECODES(X'FF') NUMROUTES(1)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   PERFORM NOTE
           END-EVALUATE.
           EXEC CICS RETURN END-EXEC.
       STUB.
           CALL WS-STUB USING API-INFO BAQ-REQUEST-INFO
               WS-REQUEST-PTR WS-REQUEST-LEN
               BAQ-RESPONSE-INFO WS-RESPONSE-PTR WS-RESPONSE-LEN.
           MOVE BAQ-RETURN-CODE TO CA-CODE.
           MOVE BAQ-STATUS-CODE TO CA-STATUS.
           IF BAQ-SUCCESS
               MOVE WS-RESPONSE TO CA-TEXT
           ELSE
               MOVE BAQ-STATUS-MESSAGE(1:BAQ-STATUS-MESSAGE-LEN)
                   TO CA-TEXT
           END-IF.
       INVOKE-ONE.
           EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('C')
               FROM('HELLO') END-EXEC.
           EXEC CICS INVOKE SERVICE('Orders') CHANNEL('C')
               OPERATION('get')
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC.
           PERFORM NOTE.
           EXEC CICS GET CONTAINER('DFHWS-DATA') CHANNEL('C')
               INTO(CA-TEXT) END-EXEC.
       INVOKE-URI.
           MOVE WS-TEXT TO WS-URI.
           EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('C')
               FROM('HELLO') END-EXEC.
           EXEC CICS INVOKE SERVICE('Orders') CHANNEL('C')
               OPERATION('get') URI(WS-URI)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC.
           PERFORM NOTE.
           EXEC CICS GET CONTAINER('DFHWS-DATA') CHANNEL('C')
               INTO(CA-TEXT) END-EXEC.
       INVOKE-URIMAP.
           EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('C')
               FROM('HELLO') END-EXEC.
           EXEC CICS INVOKE SERVICE('Orders') CHANNEL('C')
               OPERATION('get') URIMAP('NOSUCH')
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC.
           PERFORM NOTE.
       TO-JSON.
           EXEC CICS PUT CONTAINER('IN') CHANNEL('C')
               FROM('HELLO') END-EXEC.
           EXEC CICS TRANSFORM DATATOJSON CHANNEL('C')
               INCONTAINER('IN') OUTCONTAINER('OUT')
               TRANSFORMER('ORDERS')
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC.
           PERFORM NOTE.
           EXEC CICS GET CONTAINER('OUT') CHANNEL('C')
               INTO(CA-TEXT) INTOCCSID(819) END-EXEC.
       TO-DATA.
           EXEC CICS PUT CONTAINER('IN') CHANNEL('C')
               FROM('{"x":1}') CHAR END-EXEC.
           EXEC CICS TRANSFORM JSONTODATA CHANNEL('C')
               INCONTAINER('IN') OUTCONTAINER('OUT')
               TRANSFORMER('ORDERS')
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC.
           PERFORM NOTE.
           EXEC CICS GET CONTAINER('OUT') CHANNEL('C')
               INTO(CA-TEXT) END-EXEC.
       NOTE.
           MOVE WS-RESP TO CA-CODE.
           MOVE WS-RESP2 TO CA-STATUS.
