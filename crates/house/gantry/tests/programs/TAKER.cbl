       IDENTIFICATION DIVISION.
       PROGRAM-ID. TAKER.
      * Writes an item to a queue, for a program of another region or
      * as a task that was started.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ID           PIC X(20).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY MOVEREC.
       PROCEDURE DIVISION.
           IF EIBCALEN = 0
               EXEC CICS RETRIEVE INTO(WS-ID) END-EXEC
               EXEC CICS WRITEQ TS QNAME('RECIN           ')
                   FROM(WS-ID) END-EXEC
               EXEC CICS RETURN END-EXEC
           END-IF.
           IF MV-HOW = 'SLOW'
               EXEC CICS DELAY FOR SECONDS(60) END-EXEC
           END-IF.
           IF MV-HOW = 'PAUSE'
               EXEC CICS DELAY FOR SECONDS(2) END-EXEC
           END-IF.
           EXEC CICS WRITEQ TS QNAME('RECIN           ')
               FROM(MV-ID) END-EXEC.
           EXEC CICS ASSIGN SYSID(MV-SYSID) USERID(MV-USER) END-EXEC.
           EXEC CICS RETURN END-EXEC.
