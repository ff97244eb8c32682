       IDENTIFICATION DIVISION.
       PROGRAM-ID. FARSTART.
      * Starts tasks in another region, cancels them, and tells what
      * came of it.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP     PIC S9(8) COMP.
       01  WS-RESP2    PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW    PIC X(8).
           05  CA-SYSID  PIC X(4).
           05  CA-TRAN   PIC X(4).
           05  CA-THEN   PIC X(8).
           05  CA-RESP   PIC 9(5).
           05  CA-RESP2  PIC 9(5).
           05  CA-REQID  PIC X(8).
       PROCEDURE DIVISION.
           MOVE 0 TO WS-RESP WS-RESP2.
           EVALUATE CA-HOW
               WHEN 'START'
                   EXEC CICS START TRANSID(CA-TRAN) SYSID(CA-SYSID)
                       FROM('HELLO') RTRANSID('RTR1')
                       RTERMID('RTM1') QUEUE('QUEUE001')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'DEFINED'
                   EXEC CICS START TRANSID(CA-TRAN) FROM('HELLO')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'GIVEN'
                   EXEC CICS START TRANSID(CA-TRAN) FROM(CA-THEN)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'CHANNEL'
                   EXEC CICS PUT CONTAINER('C1') CHANNEL('CHAN')
                       FROM('INSIDE') END-EXEC
                   EXEC CICS START TRANSID(CA-TRAN) SYSID(CA-SYSID)
                       CHANNEL('CHAN')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'PROTECT'
                   EXEC CICS START TRANSID(CA-TRAN) SYSID(CA-SYSID)
                       FROM('PROTECT') REQID('GUARDED') PROTECT
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'LATER'
                   EXEC CICS START TRANSID(CA-TRAN) SYSID(CA-SYSID)
                       FROM('LATE') REQID('LATER') INTERVAL(10000)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'CANCEL'
                   EXEC CICS CANCEL REQID('LATER') SYSID(CA-SYSID)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'USER'
                   EXEC CICS START TRANSID(CA-TRAN) SYSID(CA-SYSID)
                       USERID('BATCH1')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'STRANGER'
                   EXEC CICS START TRANSID(CA-TRAN) SYSID(CA-SYSID)
                       USERID('ROOT')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           END-EVALUATE.
           MOVE WS-RESP TO CA-RESP MOVE WS-RESP2 TO CA-RESP2.
           MOVE EIBREQID TO CA-REQID.
           EVALUATE CA-THEN
               WHEN 'ABEND'
                   EXEC CICS ABEND ABCODE('NEAR') NODUMP END-EXEC
               WHEN 'CANCEL'
                   EXEC CICS CANCEL REQID('GUARDED') SYSID(CA-SYSID)
                       RESP(WS-RESP) END-EXEC
                   MOVE WS-RESP TO CA-RESP2
           END-EVALUATE.
           EXEC CICS RETURN END-EXEC.
