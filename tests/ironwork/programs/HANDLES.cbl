       IDENTIFICATION DIVISION.
       PROGRAM-ID. HANDLES.
      *
      * HANDLE and IGNORE CONDITION, PUSH and POP, and the defaults.
      *
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LAST           PIC S9(4) COMP VALUE 0.
       01  WS-DATA           PIC X(4).
       01  WS-RESP           PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY HANDLES.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE SPACES TO HN-WAY
           EVALUATE HN-CASE
      *        A label for the condition.
               WHEN 1
                   EXEC CICS HANDLE CONDITION QIDERR(ON-QIDERR)
                       ERROR(ON-ERROR) END-EXEC
                   PERFORM FAIL-QUEUE
      *        A label for all conditions.
               WHEN 2
                   EXEC CICS HANDLE CONDITION ERROR(ON-ERROR)
                   END-EXEC
                   PERFORM FAIL-QUEUE
      *        Ignored, then handled again.
               WHEN 3
                   EXEC CICS HANDLE CONDITION QIDERR(ON-QIDERR)
                   END-EXEC
                   EXEC CICS IGNORE CONDITION QIDERR END-EXEC
                   PERFORM FAIL-QUEUE
                   EXEC CICS HANDLE CONDITION QIDERR(ON-QIDERR)
                   END-EXEC
                   PERFORM FAIL-QUEUE
      *        RESP and NOHANDLE come before labels.
               WHEN 4
                   EXEC CICS HANDLE CONDITION QIDERR(ON-QIDERR)
                   END-EXEC
                   EXEC CICS DELETEQ TS QUEUE('HNNONE')
                       RESP(WS-RESP) END-EXEC
                   ADD 1 TO WS-LAST
                   MOVE 'R' TO HN-WAY(WS-LAST:1)
                   EXEC CICS DELETEQ TS QUEUE('HNNONE') NOHANDLE
                   END-EXEC
                   ADD 1 TO WS-LAST
                   MOVE 'N' TO HN-WAY(WS-LAST:1)
      *        PUSH sets labels aside, POP brings them back.
               WHEN 5
                   EXEC CICS HANDLE CONDITION QIDERR(ON-QIDERR)
                   END-EXEC
                   EXEC CICS PUSH HANDLE END-EXEC
                   EXEC CICS HANDLE CONDITION ERROR(ON-ERROR)
                   END-EXEC
                   EXEC CICS POP HANDLE END-EXEC
                   PERFORM FAIL-QUEUE
      *        After PUSH the default holds.
               WHEN 6
                   EXEC CICS HANDLE CONDITION QIDERR(ON-QIDERR)
                   END-EXEC
                   EXEC CICS PUSH HANDLE END-EXEC
                   PERFORM FAIL-QUEUE
      *        Without a label the default is back.
               WHEN 7
                   EXEC CICS HANDLE CONDITION QIDERR(ON-QIDERR)
                   END-EXEC
                   EXEC CICS HANDLE CONDITION QIDERR END-EXEC
                   PERFORM FAIL-QUEUE
      *        POP without PUSH.
               WHEN 8
                   EXEC CICS POP HANDLE RESP(WS-RESP) END-EXEC
      *        A linked program begins without labels.
               WHEN 9
                   EXEC CICS HANDLE CONDITION QIDERR(ON-QIDERR)
                       ERROR(ON-ERROR) END-EXEC
                   EXEC CICS LINK PROGRAM('HANDLED') END-EXEC
           END-EVALUATE
           PERFORM SHOW-END
           EXEC CICS RETURN END-EXEC.
       FAIL-QUEUE.
           ADD 1 TO WS-LAST
           MOVE 'F' TO HN-WAY(WS-LAST:1)
           EXEC CICS READQ TS QUEUE('HNNONE') INTO(WS-DATA)
           END-EXEC
           ADD 1 TO WS-LAST
           MOVE 'A' TO HN-WAY(WS-LAST:1).
       ON-QIDERR.
           ADD 1 TO WS-LAST
           MOVE 'Q' TO HN-WAY(WS-LAST:1)
           PERFORM SHOW-END
           EXEC CICS RETURN END-EXEC.
       ON-ERROR.
           ADD 1 TO WS-LAST
           MOVE 'E' TO HN-WAY(WS-LAST:1)
           PERFORM SHOW-END
           EXEC CICS RETURN END-EXEC.
       SHOW-END.
           MOVE WS-LAST TO HN-LAST
           MOVE EIBRESP TO HN-RESP
           MOVE EIBRSRCE TO HN-RESOURCE.
