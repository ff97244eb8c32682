       IDENTIFICATION DIVISION.
       PROGRAM-ID. ADDITEM.
      * Writes an item to a recoverable queue.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ITEM     PIC X(20) VALUE 'ONCE'.
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TS QNAME('RECIN           ')
               FROM(WS-ITEM) END-EXEC.
           EXEC CICS RETURN END-EXEC.
