       IDENTIFICATION DIVISION.
       PROGRAM-ID. STARTER.
      * Starts tasks, cancels them, and tells what came of it.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP     PIC S9(8) COMP.
       01  WS-RESP2    PIC S9(8) COMP.
       01  WS-LEN      PIC S9(4) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW    PIC X(8).
           05  CA-RESP   PIC 9(3).
           05  CA-RESP2  PIC 9(3).
           05  CA-REQID  PIC X(8).
       PROCEDURE DIVISION.
           EVALUATE CA-HOW
               WHEN 'DATA'
                   EXEC CICS START TRANSID('STD1') FROM('HELLO')
                       RTRANSID('RTR1') RTERMID('RTM1')
                       QUEUE('QUEUE001')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'PLAIN'
                   EXEC CICS START TRANSID('STD1')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'CHANNEL'
                   EXEC CICS PUT CONTAINER('C1') CHANNEL('CHAN')
                       FROM('INSIDE') END-EXEC
                   EXEC CICS START TRANSID('STD1') CHANNEL('CHAN')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'LATER'
                   EXEC CICS START TRANSID('STD1') REQID('LATER')
                       FROM('LATE') INTERVAL(10000)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'SOON'
                   EXEC CICS START TRANSID('STD1') FROM('SOON')
                       AFTER SECONDS(1)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'CANCEL'
                   EXEC CICS CANCEL REQID('LATER')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'DELAY'
                   EXEC CICS DELAY INTERVAL(10000) REQID('LATER')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'UNKNOWN'
                   EXEC CICS START TRANSID('NONE')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'STOPPED'
                   EXEC CICS START TRANSID('OFF1')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'USER'
                   EXEC CICS START TRANSID('STD1') USERID('BATCH1')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'STRANGER'
                   EXEC CICS START TRANSID('STD1') USERID('ROOT')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'TERMINAL'
                   EXEC CICS START TRANSID('STD1') TERMID('T001')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'SYSTEM'
                   EXEC CICS START TRANSID('STD1') SYSID('ELSE')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'HOURS'
                   EXEC CICS START TRANSID('STD1') AFTER HOURS(100)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'LENGTH'
                   MOVE 0 TO WS-LEN
                   EXEC CICS START TRANSID('STD1') FROM(CA-REQID)
                       LENGTH(WS-LEN)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'RETRIEVE'
                   EXEC CICS RETRIEVE INTO(CA-REQID)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'PROTECT'
               WHEN 'BACKOUT'
                   EXEC CICS START TRANSID('STD1') PROTECT
                       FROM(CA-HOW)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
                   IF CA-HOW = 'BACKOUT'
                       EXEC CICS ABEND ABCODE('BACK') NODUMP END-EXEC
                   END-IF
               WHEN 'PROSOON'
                   EXEC CICS START TRANSID('STD1') PROTECT
                       REQID('LATER') FROM(CA-HOW) AFTER SECONDS(1)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'PROHOURS'
                   EXEC CICS START TRANSID('STD1') PROTECT
                       REQID('LATER') FROM(CA-HOW) AFTER HOURS(1)
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'PROABEND'
                   EXEC CICS START TRANSID('ABN1') PROTECT
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'PROSLEEP'
                   EXEC CICS START TRANSID('SLP1') PROTECT
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
               WHEN 'ABEND'
                   EXEC CICS START TRANSID('ABN1')
                       RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           END-EVALUATE.
           MOVE WS-RESP TO CA-RESP MOVE WS-RESP2 TO CA-RESP2.
           IF CA-HOW NOT = 'RETRIEVE' MOVE EIBREQID TO CA-REQID END-IF.
           EXEC CICS RETURN END-EXEC.
