      * A member with a command of its own.
           EXEC CICS WRITEQ TS QUEUE(:Q:-QUEUE)
                     FROM(:Q:-LINE)
                     RESP(:Q:-RESP)
           END-EXEC.
           IF :Q:-RESP NOT = DFHRESP(NORMAL) DISPLAY 'LOST' END-IF.
