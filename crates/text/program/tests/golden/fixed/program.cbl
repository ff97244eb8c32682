000100 IDENTIFICATION DIVISION.                                         ORDERS01
000200 PROGRAM-ID. ORDERS.                                              ORDERS01
000300 AUTHOR. J. O'HARA: EXEC CICS RETURN END-EXEC IS NO COMMAND HERE. ORDERS01
000400 ENVIRONMENT DIVISION.                                            ORDERS01
000500 DATA DIVISION.                                                   ORDERS01
000600 WORKING-STORAGE SECTION.                                         ORDERS01
000700 01  WS-RESP        PIC S9(8) COMP.                               ORDERS01
000800 01  WS-RESP2       PIC S9(8) COMP.                               ORDERS01
000900 01  WS-LENGTH      PIC S9(4) COMP VALUE +80.                     ORDERS01
001000 01  WS-NOW         PIC S9(15) COMP-3.                            ORDERS01
001100 01  WS-ORDER.                                                    ORDERS01
001200     05  WS-KEY     PIC X(8).                                     ORDERS01
001300     05  WS-TEXT    PIC X(72).                                    ORDERS01
001400 LINKAGE SECTION.                                                 ORDERS01
001500 01  LK-ITEM        PIC X(80).                                    ORDERS01
001600 PROCEDURE DIVISION.                                              ORDERS01
001700 MAIN-LINE.                                                       ORDERS01
001800* EXEC CICS IN A COMMENT END-EXEC                                 ORDERS01
001900     EXEC CICS HANDLE CONDITION NOTFND(NO-ORDER)                  ORDERS01
002000               ENDFILE ERROR(FAILED)                              ORDERS01
002100     END-EXEC.                                                    ORDERS01
002200     EXEC CICS HANDLE ABEND LABEL(FAILED) END-EXEC.               ORDERS01
002300     IF EIBCALEN > 0 EXEC CICS READ FILE('ORDERS')                ORDERS01
002400           INTO(WS-ORDER) RIDFLD(WS-KEY) LENGTH(WS-LENGTH)        ORDERS01
002500           END-EXEC ELSE DISPLAY 'EXEC CICS '' END-EXEC' END-IF.  ORDERS01
002600     MOVE 'A LITERAL THAT GOES ON ACROSS THE END OF ITS LINE, DFHRORDERS01
002700-    'ESP(NORMAL) TOO' TO WS-TEXT.                                ORDERS01
002800     EXEC CICS LINK PROGRAM('STOCK') COMMAREA(WS-ORDER)           ORDERS01
002900               RESP(WS-RESP) RESP2(WS-RESP2)                      ORDERS01
003000     END-EXEC                                                     ORDERS01
003100     EVALUATE WS-RESP                                             ORDERS01
003200         WHEN DFHRESP(NORMAL) CONTINUE                            ORDERS01
003300         WHEN DFHRESP ( PGMIDERR )                                ORDERS01
003400              EXEC CICS ABEND ABCODE('NOPG') NODUMP END-EXEC      ORDERS01
003500     END-EVALUATE.                                                ORDERS01
003600     EXEC CICS ASKTIME ABSTIME(WS-NOW) END-EXEC.                  ORDERS01
003700     EXEC CICS FORMATTIME ABSTIME(WS-NOW) DATESEP                 ORDERS01
003800               YYYYMMDD(WS-TEXT(1:10)) TIME(WS-TEXT(11:8))        ORDERS01
003900               TIMESEP(':')                                       ORDERS01
004000     END-EXEC.                                                    ORDERS01
004100     EXEC CICS READQ TS QUEUE('ORDERS') ITEM(1)                   ORDERS01
004200               SET(ADDRESS OF LK-ITEM) LENGTH(WS-LENGTH)          ORDERS01
004300     END-EXEC.                                                    ORDERS01
004400     EXEC CICS DELAY FOR SECONDS(WS-LENGTH + 1) END-EXEC.         ORDERS01
004500     EXEC CICS RETURN END-EXEC.                                   ORDERS01
004600 NO-ORDER.                                                        ORDERS01
004700     MOVE DFHVALUE(NOTAPPLIC) TO WS-RESP.                         ORDERS01
004800     GOBACK.                                                      ORDERS01
004900 FAILED SECTION.                                                  ORDERS01
005000     EXEC CICS SYNCPOINT ROLLBACK END-EXEC.                       ORDERS01
005100     STOP RUN.                                                    ORDERS01
