       IDENTIFICATION DIVISION.
       PROGRAM-ID. ACCESS.
      * Asks which access the user has, and notes the answer.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-R         PIC S9(8) COMP.
       01  WS-R2        PIC S9(8) COMP.
       01  WS-LOG       PIC S9(8) COMP.
       01  WS-LENGTH    PIC S9(8) COMP.
       01  WS-CVDAS.
           05  WS-READ      PIC S9(8) COMP VALUE 0.
           05  WS-UPDATE    PIC S9(8) COMP VALUE 0.
           05  WS-CONTROL   PIC S9(8) COMP VALUE 0.
           05  WS-ALTER     PIC S9(8) COMP VALUE 0.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW         PIC X(8).
           05  CA-TYPE        PIC X(12).
           05  CA-RESID       PIC X(16).
           05  CA-NUMBER      PIC 9(3).
           05  CA-RESP        PIC 9(3).
           05  CA-RESP2       PIC 9(3).
           05  CA-READ        PIC 9(3).
           05  CA-UPDATE      PIC 9(3).
           05  CA-CONTROL     PIC 9(3).
           05  CA-ALTER       PIC 9(3).
       PROCEDURE DIVISION.
       MAIN-LINE.
           INITIALIZE WS-CVDAS.
           EVALUATE CA-HOW
           WHEN 'TYPE'
               EXEC CICS QUERY SECURITY RESTYPE(CA-TYPE)
                   RESID(CA-RESID) READ(WS-READ) UPDATE(WS-UPDATE)
                   CONTROL(WS-CONTROL) ALTER(WS-ALTER)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'LOG'
               MOVE CA-NUMBER TO WS-LOG
               EXEC CICS QUERY SECURITY RESTYPE(CA-TYPE)
                   RESID(CA-RESID) LOGMESSAGE(WS-LOG)
                   READ(WS-READ)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'CLASS'
               MOVE CA-NUMBER TO WS-LENGTH
               EXEC CICS QUERY SECURITY RESCLASS('$MINE')
                   RESID(CA-RESID) RESIDLENGTH(WS-LENGTH)
                   READ(WS-READ)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN OTHER
               EXEC CICS QUERY SECURITY RESTYPE(CA-TYPE)
                   RESID(CA-RESID) USERID(CA-HOW)
                   READ(WS-READ)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           END-EVALUATE.
           MOVE WS-R TO CA-RESP MOVE WS-R2 TO CA-RESP2.
           MOVE WS-READ TO CA-READ MOVE WS-UPDATE TO CA-UPDATE.
           MOVE WS-CONTROL TO CA-CONTROL MOVE WS-ALTER TO CA-ALTER.
           EXEC CICS RETURN END-EXEC.
