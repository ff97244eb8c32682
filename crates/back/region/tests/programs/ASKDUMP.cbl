       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASKDUMP.
      * Asks for dumps of its task, and for what no region here has.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-AREA           PIC X(12) VALUE 'LOOK AT THIS'.
       01  WS-ID             PIC X(9) VALUE SPACES.
       01  WS-TOKEN          PIC X(8) VALUE SPACES.
       01  WS-RESP           PIC S9(8) COMP.
       01  WS-RESP2          PIC S9(8) COMP.
       01  WS-POINTER        USAGE POINTER.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW        PIC X(8).
           05  CA-ID         PIC X(9).
           05  CA-RESULTS.
               10  CA-RESULT OCCURS 12.
                   15  CA-RESP   PIC 9(3).
                   15  CA-RESP2  PIC 9(3).
       PROCEDURE DIVISION.
           EVALUATE CA-HOW
               WHEN 'DUMP'
                   EXEC CICS DUMP TRANSACTION DUMPCODE('LOOK')
                       FROM(WS-AREA) LENGTH(7) COMPLETE
                       DUMPID(CA-ID) RESP(WS-RESP) RESP2(WS-RESP2)
                       END-EXEC
                   MOVE WS-RESP TO CA-RESP(1)
                   MOVE WS-RESP2 TO CA-RESP2(1)
                   EXEC CICS DUMP DUMPCODE(' OLD') TASK
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   MOVE WS-RESP TO CA-RESP(2)
                   MOVE WS-RESP2 TO CA-RESP2(2)
               WHEN 'MANY'
                   PERFORM 11 TIMES
                       EXEC CICS DUMP TRANSACTION DUMPCODE('MANY')
                           DUMPID(CA-ID)
                           RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   END-PERFORM
                   MOVE WS-RESP TO CA-RESP(1)
                   MOVE WS-RESP2 TO CA-RESP2(1)
               WHEN OTHER
                   PERFORM ASK-FOR-OTHERS
           END-EVALUATE.
           EXEC CICS RETURN END-EXEC.
       ASK-FOR-OTHERS.
           EXEC CICS SIGNAL EVENT('SOLD') FROM(WS-AREA)
               FROMLENGTH(LENGTH OF WS-AREA)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE WS-RESP TO CA-RESP(1)
           MOVE WS-RESP2 TO CA-RESP2(1)
           EXEC CICS SIGNAL EVENT('SOLD') FROMCHANNEL('NONE')
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE WS-RESP TO CA-RESP(2)
           MOVE WS-RESP2 TO CA-RESP2(2)
           EXEC CICS SPOOLOPEN OUTPUT NODE('LOCAL') USERID('INTRDR')
               TOKEN(WS-TOKEN) RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           MOVE WS-RESP TO CA-RESP(3)
           MOVE WS-RESP2 TO CA-RESP2(3)
           EXEC CICS WRITE JOURNALNAME('AUDIT') JTYPEID('AU')
               FROM(WS-AREA) RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE WS-RESP TO CA-RESP(4)
           MOVE WS-RESP2 TO CA-RESP2(4)
           EXEC CICS LOAD PROGRAM('NOTABLE') SET(WS-POINTER)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE WS-RESP TO CA-RESP(5)
           MOVE WS-RESP2 TO CA-RESP2(5)
           EXEC CICS LOAD PROGRAM('ECHO') SET(WS-POINTER)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           MOVE WS-RESP TO CA-RESP(6)
           MOVE WS-RESP2 TO CA-RESP2(6).
