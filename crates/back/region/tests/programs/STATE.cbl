       IDENTIFICATION DIVISION.
       PROGRAM-ID. STATE.
      * Carries out the steps that its commarea lists, and says for
      * each what came of it.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-AT       PIC S9(4) COMP.
       01  WS-HALF     PIC S9(4) COMP.
       01  WS-ITEM     PIC S9(4) COMP.
       01  WS-FULL     PIC S9(8) COMP.
       01  WS-BEFORE   PIC S9(8) COMP.
       01  WS-RESP     PIC S9(8) COMP.
       01  WS-RESP2    PIC S9(8) COMP.
       01  WS-SHOWN    PIC 9(9).
       01  WS-TO-KEY   PIC X(6).
       01  WS-FROM-ACCT.
           05  FILLER       PIC X(6).
           05  WS-FROM-SUM  PIC S9(8) SIGN LEADING SEPARATE.
           05  FILLER       PIC X(25).
       01  WS-TO-ACCT.
           05  FILLER       PIC X(6).
           05  WS-TO-SUM    PIC S9(8) SIGN LEADING SEPARATE.
           05  FILLER       PIC X(25).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-COUNT  PIC 9(3).
           05  CA-STEP   OCCURS 1 TO 100 DEPENDING ON CA-COUNT.
               10  CA-OP      PIC X(8).
               10  CA-NAME    PIC X(16).
               10  CA-KEY     PIC X(16).
               10  CA-NUMBER  PIC 9(9).
               10  CA-LENGTH  PIC 9(5).
               10  CA-TEXT    PIC X(40).
               10  CA-RESP    PIC 9(3).
               10  CA-RESP2   PIC 9(3).
       01  LK-RECORD   PIC X(40).
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM ONE-STEP VARYING WS-AT FROM 1 BY 1
               UNTIL WS-AT > CA-COUNT.
           EXEC CICS RETURN END-EXEC.
       ONE-STEP.
           MOVE 0 TO WS-RESP WS-RESP2.
           MOVE CA-LENGTH(WS-AT) TO WS-HALF.
           MOVE CA-NUMBER(WS-AT) TO WS-ITEM.
           EVALUATE CA-OP(WS-AT)
               WHEN 'SYNC'
                   EXEC CICS SYNCPOINT
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'BACK'
                   EXEC CICS SYNCPOINT ROLLBACK
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'ABEND'
                   EXEC CICS ABEND ABCODE('STOP') END-EXEC
               WHEN 'WAIT'
                   EXEC CICS DELAY FOR MILLISECS(CA-NUMBER(WS-AT))
                   END-EXEC
               WHEN 'MOVE'
                   PERFORM MOVE-MONEY
               WHEN 'DEFC'
                   EXEC CICS DEFINE COUNTER(CA-NAME(WS-AT))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'GETC'
                   EXEC CICS GET COUNTER(CA-NAME(WS-AT))
                       VALUE(WS-FULL)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
                   MOVE WS-FULL TO WS-SHOWN
                   MOVE WS-SHOWN TO CA-TEXT(WS-AT)
               WHEN 'ENQ'
                   EXEC CICS ENQ RESOURCE(CA-NAME(WS-AT))
                       LENGTH(WS-HALF)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'ENQT'
                   EXEC CICS ENQ RESOURCE(CA-NAME(WS-AT))
                       LENGTH(WS-HALF)
                       MAXLIFETIME(DFHVALUE(TASK))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'ENQN'
                   EXEC CICS ENQ RESOURCE(CA-NAME(WS-AT))
                       LENGTH(WS-HALF)
                       NOSUSPEND
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'ENQA'
                   EXEC CICS ENQ RESOURCE(CA-NAME(WS-AT)) NOSUSPEND
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'ENQL'
                   EXEC CICS ENQ RESOURCE(CA-NAME(WS-AT))
                       LENGTH(WS-HALF)
                       MAXLIFETIME(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'ENQH'
                   PERFORM HANDLED-ENQ THRU HANDLED-EXIT
               WHEN 'DEQ'
                   EXEC CICS DEQ RESOURCE(CA-NAME(WS-AT))
                       LENGTH(WS-HALF)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN OTHER
                   PERFORM QUEUE-STEP
           END-EVALUATE.
           MOVE WS-RESP TO CA-RESP(WS-AT).
           MOVE WS-RESP2 TO CA-RESP2(WS-AT).
           MOVE WS-HALF TO CA-LENGTH(WS-AT).
      * From the account of the key to that of the text, in one unit
      * of work with the transfer's name in the ledger. Whatever does
      * not go well ends the task.
       MOVE-MONEY.
           IF CA-KEY(WS-AT)(1:6) = CA-TEXT(WS-AT)(1:6)
               EXEC CICS ABEND ABCODE('SAME') END-EXEC
           END-IF.
           MOVE CA-TEXT(WS-AT)(1:6) TO WS-TO-KEY.
           EXEC CICS READ FILE('ACCT') INTO(WS-FROM-ACCT) UPDATE
               RIDFLD(CA-KEY(WS-AT))
           END-EXEC.
           SUBTRACT CA-NUMBER(WS-AT) FROM WS-FROM-SUM.
           EXEC CICS REWRITE FILE('ACCT') FROM(WS-FROM-ACCT) END-EXEC.
           EXEC CICS READ FILE('ACCT') INTO(WS-TO-ACCT) UPDATE
               RIDFLD(WS-TO-KEY)
           END-EXEC.
           ADD CA-NUMBER(WS-AT) TO WS-TO-SUM.
           EXEC CICS REWRITE FILE('ACCT') FROM(WS-TO-ACCT) END-EXEC.
           EXEC CICS WRITEQ TS QUEUE('LEDGER') FROM(CA-NAME(WS-AT))
           END-EXEC.
      * Whoever handles ENQBUSY does not wait.
       HANDLED-ENQ.
           EXEC CICS HANDLE CONDITION ENQBUSY(ENQ-IS-BUSY) END-EXEC.
           EXEC CICS ENQ RESOURCE(CA-NAME(WS-AT))
                       LENGTH(WS-HALF)
           END-EXEC.
           MOVE 'GRANTED' TO CA-TEXT(WS-AT).
           GO TO HANDLED-EXIT.
       ENQ-IS-BUSY.
           MOVE 'HANDLED' TO CA-TEXT(WS-AT).
       HANDLED-EXIT.
           EXIT.
       QUEUE-STEP.
           EVALUATE CA-OP(WS-AT)
               WHEN 'WQ'
                   EXEC CICS WRITEQ TS QNAME(CA-NAME(WS-AT))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       ITEM(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'WQM'
                   EXEC CICS WRITEQ TS QNAME(CA-NAME(WS-AT))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF) MAIN
                       ITEM(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'WQA'
                   EXEC CICS WRITEQ TS QNAME(CA-NAME(WS-AT))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF) AUXILIARY
                       ITEM(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'WQR'
                   EXEC CICS WRITEQ TS QNAME(CA-NAME(WS-AT))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       ITEM(WS-ITEM) REWRITE
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RQ'
                   EXEC CICS READQ TS QNAME(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       NUMITEMS(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RQI'
                   EXEC CICS READQ TS QNAME(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       ITEM(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'WTD'
                   EXEC CICS WRITEQ TD QUEUE(CA-NAME(WS-AT)(1:4))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RTD'
                   EXEC CICS READQ TD QUEUE(CA-NAME(WS-AT)(1:4))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RTDN'
                   EXEC CICS READQ TD QUEUE(CA-NAME(WS-AT)(1:4))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF) NOSUSPEND
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'DTD'
                   EXEC CICS DELETEQ TD QUEUE(CA-NAME(WS-AT)(1:4))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'DQ'
                   EXEC CICS DELETEQ TS QNAME(CA-NAME(WS-AT))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN OTHER
                   MOVE CA-NUMBER(WS-AT) TO WS-FULL
                   MOVE WS-FULL TO WS-BEFORE
                   PERFORM FILE-STEP
                   IF WS-FULL NOT = WS-BEFORE
                       MOVE WS-FULL TO WS-ITEM
                   END-IF
           END-EVALUATE.
           MOVE WS-ITEM TO CA-NUMBER(WS-AT).
       FILE-STEP.
           EVALUATE CA-OP(WS-AT)
               WHEN 'RD'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDU'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       UPDATE
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDX'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       UPDATE NOSUSPEND
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDT'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       UPDATE TOKEN(WS-FULL)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDG'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       GTEQ
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDN'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       GENERIC KEYLENGTH(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDNG'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       GENERIC GTEQ
                       KEYLENGTH(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDP'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       REPEATABLE
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDC'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       CONSISTENT
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDR'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(WS-FULL)
                       RRN
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDB'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(WS-FULL)
                       RBA
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDBU'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(WS-FULL)
                       RBA UPDATE
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDI'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT))
                       RIDFLD(CA-KEY(WS-AT))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDFAR'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       SYSID('FAR1')
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'WR'
                   EXEC CICS WRITE FILE(CA-NAME(WS-AT))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'WRR'
                   EXEC CICS WRITE FILE(CA-NAME(WS-AT))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(WS-FULL)
                       RRN
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'WRB'
                   EXEC CICS WRITE FILE(CA-NAME(WS-AT))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(WS-FULL)
                       RBA
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'WRM'
                   EXEC CICS WRITE FILE(CA-NAME(WS-AT))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       MASSINSERT
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RW'
                   EXEC CICS REWRITE FILE(CA-NAME(WS-AT))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RWT'
                   EXEC CICS REWRITE FILE(CA-NAME(WS-AT))
                       FROM(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       TOKEN(WS-FULL)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'DL'
                   EXEC CICS DELETE FILE(CA-NAME(WS-AT))
                       RIDFLD(CA-KEY(WS-AT))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'DLG'
                   EXEC CICS DELETE FILE(CA-NAME(WS-AT))
                       RIDFLD(CA-KEY(WS-AT))
                       GENERIC KEYLENGTH(WS-ITEM)
                       NUMREC(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'DLU'
                   EXEC CICS DELETE FILE(CA-NAME(WS-AT))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'DLT'
                   EXEC CICS DELETE FILE(CA-NAME(WS-AT))
                       TOKEN(WS-FULL)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'DLR'
                   EXEC CICS DELETE FILE(CA-NAME(WS-AT))
                       RIDFLD(WS-FULL)
                       RRN
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'UL'
                   EXEC CICS UNLOCK FILE(CA-NAME(WS-AT))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'ULT'
                   EXEC CICS UNLOCK FILE(CA-NAME(WS-AT))
                       TOKEN(WS-FULL)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'SB'
                   EXEC CICS STARTBR FILE(CA-NAME(WS-AT))
                       RIDFLD(CA-KEY(WS-AT))
                       REQID(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'SBE'
                   EXEC CICS STARTBR FILE(CA-NAME(WS-AT))
                       RIDFLD(CA-KEY(WS-AT))
                       REQID(WS-ITEM) EQUAL
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'SBG'
                   EXEC CICS STARTBR FILE(CA-NAME(WS-AT))
                       RIDFLD(CA-KEY(WS-AT))
                       REQID(WS-ITEM)
                       GENERIC KEYLENGTH(WS-HALF)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RB'
                   EXEC CICS RESETBR FILE(CA-NAME(WS-AT))
                       RIDFLD(CA-KEY(WS-AT))
                       REQID(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RN'
                   EXEC CICS READNEXT FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       REQID(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RNT'
                   EXEC CICS READNEXT FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       UPDATE TOKEN(WS-FULL)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RP'
                   EXEC CICS READPREV FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(CA-KEY(WS-AT))
                       REQID(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'EB'
                   EXEC CICS ENDBR FILE(CA-NAME(WS-AT))
                       REQID(WS-ITEM)
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'SBR'
                   EXEC CICS STARTBR FILE(CA-NAME(WS-AT))
                       RIDFLD(WS-FULL)
                       RRN
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RNR'
                   EXEC CICS READNEXT FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(WS-FULL)
                       RRN
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RPR'
                   EXEC CICS READPREV FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(WS-FULL)
                       RRN
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'SBB'
                   EXEC CICS STARTBR FILE(CA-NAME(WS-AT))
                       RIDFLD(WS-FULL)
                       RBA
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RNB'
                   EXEC CICS READNEXT FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(WS-FULL)
                       RBA
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RPB'
                   EXEC CICS READPREV FILE(CA-NAME(WS-AT))
                       INTO(CA-TEXT(WS-AT)) LENGTH(WS-HALF)
                       RIDFLD(WS-FULL)
                       RBA
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               WHEN 'RDS'
                   EXEC CICS READ FILE(CA-NAME(WS-AT))
                       SET(ADDRESS OF LK-RECORD)
                       LENGTH(WS-HALF) RIDFLD(CA-KEY(WS-AT))
                       RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
                   IF WS-RESP = 0
                       MOVE LK-RECORD(1:WS-HALF) TO CA-TEXT(WS-AT)
                   END-IF
               WHEN OTHER
                   EXEC CICS ABEND ABCODE('STEP') END-EXEC
           END-EVALUATE.
