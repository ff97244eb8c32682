       IDENTIFICATION DIVISION.
       PROGRAM-ID. PAGES.
      * Puts text into a container in one code page, gets it in
      * another, and notes what both commands say.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-R         PIC S9(8) COMP.
       01  WS-R2        PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-PUT         PIC X(8).
           05  CA-GET         PIC X(8).
           05  CA-FROM        PIC S9(8) COMP.
           05  CA-INTO        PIC S9(8) COMP.
           05  CA-FROM-PAGE   PIC X(40).
           05  CA-INTO-PAGE   PIC X(40).
           05  CA-OFFSET      PIC S9(8) COMP.
           05  CA-ROOM        PIC S9(8) COMP.
           05  CA-IN-LENGTH   PIC S9(8) COMP.
           05  CA-IN          PIC X(64).
           05  CA-PUT-RESP    PIC S9(8) COMP.
           05  CA-PUT-RESP2   PIC S9(8) COMP.
           05  CA-GET-RESP    PIC S9(8) COMP.
           05  CA-GET-RESP2   PIC S9(8) COMP.
           05  CA-CCSID       PIC S9(8) COMP.
           05  CA-LENGTH      PIC S9(8) COMP.
           05  CA-OUT         PIC X(200).
       01  LK-TEXT            PIC X(200).
       PROCEDURE DIVISION.
       MAIN-LINE.
           EVALUATE CA-PUT
           WHEN 'CCSID'
               PERFORM PUT-CCSID
           WHEN 'PAGE'
               EXEC CICS PUT CONTAINER('T') CHANNEL('C') FROM(CA-IN)
                   FLENGTH(CA-IN-LENGTH) FROMCODEPAGE(CA-FROM-PAGE)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'CHAR'
               EXEC CICS PUT CONTAINER('T') CHANNEL('C') FROM(CA-IN)
                   FLENGTH(CA-IN-LENGTH) CHAR
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'BIT'
               EXEC CICS PUT CONTAINER('T') CHANNEL('C') FROM(CA-IN)
                   FLENGTH(CA-IN-LENGTH) BIT
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'APPEND'
               EXEC CICS PUT CONTAINER('T') CHANNEL('C') FROM('<')
                   CHAR END-EXEC
               EXEC CICS PUT CONTAINER('T') CHANNEL('C') FROM(CA-IN)
                   FLENGTH(CA-IN-LENGTH) FROMCCSID(CA-FROM) APPEND
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'AGAIN'
               PERFORM PUT-CCSID
               EXEC CICS PUT CONTAINER('T') CHANNEL('C') FROM('AB')
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           END-EVALUATE.
           MOVE WS-R TO CA-PUT-RESP MOVE WS-R2 TO CA-PUT-RESP2.
           MOVE CA-ROOM TO CA-LENGTH.
           EVALUATE CA-GET
           WHEN 'CCSID'
               EXEC CICS GET CONTAINER('T') CHANNEL('C') INTO(CA-OUT)
                   FLENGTH(CA-LENGTH) INTOCCSID(CA-INTO)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'PAGE'
               EXEC CICS GET CONTAINER('T') CHANNEL('C') INTO(CA-OUT)
                   FLENGTH(CA-LENGTH) INTOCODEPAGE(CA-INTO-PAGE)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'LOCAL'
               EXEC CICS GET CONTAINER('T') CHANNEL('C') INTO(CA-OUT)
                   FLENGTH(CA-LENGTH)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'RAW'
               EXEC CICS GET CONTAINER('T') CHANNEL('C') INTO(CA-OUT)
                   FLENGTH(CA-LENGTH) NOCONVERT CCSID(CA-CCSID)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'NODATA'
               EXEC CICS GET CONTAINER('T') CHANNEL('C') NODATA
                   FLENGTH(CA-LENGTH) INTOCCSID(CA-INTO)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'OFFSET'
               EXEC CICS GET CONTAINER('T') CHANNEL('C') INTO(CA-OUT)
                   FLENGTH(CA-LENGTH) INTOCCSID(CA-INTO)
                   BYTEOFFSET(CA-OFFSET)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'PART'
               EXEC CICS GET CONTAINER('T') CHANNEL('C') INTO(CA-OUT)
                   FLENGTH(CA-LENGTH) BYTEOFFSET(CA-OFFSET)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'SET'
               EXEC CICS GET CONTAINER('T') CHANNEL('C')
                   SET(ADDRESS OF LK-TEXT) FLENGTH(CA-LENGTH)
                   INTOCCSID(CA-INTO)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
               MOVE LK-TEXT(1:CA-LENGTH) TO CA-OUT
           END-EVALUATE.
           MOVE WS-R TO CA-GET-RESP MOVE WS-R2 TO CA-GET-RESP2.
           EXEC CICS RETURN END-EXEC.
       PUT-CCSID.
           EXEC CICS PUT CONTAINER('T') CHANNEL('C') FROM(CA-IN)
               FLENGTH(CA-IN-LENGTH) FROMCCSID(CA-FROM)
               RESP(WS-R) RESP2(WS-R2) END-EXEC.
