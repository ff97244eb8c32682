       IDENTIFICATION DIVISION.
       PROGRAM-ID. RIGHTS.
      * Names a program in LINK and commands like it, and notes
      * what the command says.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-R         PIC S9(8) COMP.
       01  WS-R2        PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-HOW         PIC X(8).
           05  CA-PROGRAM     PIC X(8).
           05  CA-RESP        PIC 9(3).
           05  CA-RESP2       PIC 9(3).
           05  CA-REST        PIC X(20).
       PROCEDURE DIVISION.
       MAIN-LINE.
           EVALUATE CA-HOW
           WHEN 'LINK'
               EXEC CICS LINK PROGRAM(CA-PROGRAM)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'XCTL'
               EXEC CICS XCTL PROGRAM(CA-PROGRAM)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'HANDLE'
               EXEC CICS HANDLE ABEND PROGRAM(CA-PROGRAM)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'INQUIRE'
               EXEC CICS INQUIRE PROGRAM(CA-PROGRAM)
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'START'
               EXEC CICS START TRANSID(CA-PROGRAM(1:4))
                   RESP(WS-R) RESP2(WS-R2) END-EXEC
           WHEN 'ABEND'
               EXEC CICS LINK PROGRAM(CA-PROGRAM) END-EXEC
           END-EVALUATE.
           MOVE WS-R TO CA-RESP MOVE WS-R2 TO CA-RESP2.
           EXEC CICS RETURN END-EXEC.
