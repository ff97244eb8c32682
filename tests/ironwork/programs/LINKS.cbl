       IDENTIFICATION DIVISION.
       PROGRAM-ID. LINKS.
      *
      * LINK, XCTL and RETURN over several levels.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RUNS           PIC 9(2) VALUE 0.
       01  WS-AREA           PIC X(20) VALUE ALL '.'.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY LINKS.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE 0 TO LN-STEPS LN-RESP LN-RESP2
           MOVE 'TAIL' TO LN-TAIL
           COPY LINKSTEP.
           EVALUATE LN-CASE
      *        Two levels, twice: storage is fresh each time.
               WHEN 1
                   EXEC CICS LINK PROGRAM('LINKB')
                       COMMAREA(DFHCOMMAREA) END-EXEC
                   EXEC CICS LINK PROGRAM('LINKB')
                       COMMAREA(DFHCOMMAREA) END-EXEC
      *        Control goes to another program, which returns.
               WHEN 2
                   EXEC CICS XCTL PROGRAM('LINKC')
                       COMMAREA(DFHCOMMAREA) END-EXEC
      *        The commarea is cut.
               WHEN 3
                   EXEC CICS LINK PROGRAM('LINKB')
                       COMMAREA(DFHCOMMAREA) LENGTH(172)
                       RESP(LN-RESP) RESP2(LN-RESP2) END-EXEC
      *        A length that cannot be.
               WHEN 4
                   EXEC CICS LINK PROGRAM('LINKB')
                       COMMAREA(DFHCOMMAREA) LENGTH(-1)
                       RESP(LN-RESP) RESP2(LN-RESP2) END-EXEC
      *        The program links to one that transfers control.
               WHEN 5
                   EXEC CICS LINK PROGRAM('LINKX')
                       COMMAREA(DFHCOMMAREA) END-EXEC
                   COPY LINKSTEP.
      *        Without a commarea.
               WHEN 6
                   EXEC CICS LINK PROGRAM('LINKNONE')
                       RESP(LN-RESP) RESP2(LN-RESP2) END-EXEC
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
