       PROCESS CICS,NODYNAM,NSYMBOL(NATIONAL),TRUNC(STD)
      * Habits of programs that were not written for us.
       CBL CICS('SP,EDF,DLI')

       IDENTIFICATION DIVISION.
        PROGRAM-ID. IDIOMS.
        AUTHOR. Someone O'Someone.
        REMARKS. EXEC CICS RETURN END-EXEC IN A COMMENT.

       TITLE 'HABITS'
       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
      * SOURCE-COMPUTER.  IBM-370 WITH DEBUGGING MODE.
       SOURCE-COMPUTER.  IBM-370.
       OBJECT-COMPUTER.  IBM-370.
       INPUT-OUTPUT SECTION.

       DATA DIVISION.
       FILE SECTION.
        WORKING-STORAGE SECTION.
       SKIP1
       1 WS-KEY.
         2 WS-PLANT             PIC X(4).
         2 WS-PART              PIC 9(6).
       77 RESP                  PIC S9(8) COMP-5 SYNC.
       77 RESP2                 PIC S9(8) COMP-5 SYNC.
       01  WS-ABSTIME           PIC S9(8) COMP VALUE +0.
       01  WS-DATE              PIC X(10) VALUE SPACES.
       01  WS-TIME-NOW          PIC 9(6).
       01  WS-EDITED            PIC +9(5) USAGE DISPLAY.
       01  WS-FILE              PIC X(8)  Value 'PARTS'.
        01  WS-POINTERS.
           03 WS-POINTER        USAGE is POINTER.
           03 WS-LENGTH         PIC S9(4) BINARY VALUE 0225.
       01 WS-BYTES REDEFINES WS-POINTERS PIC X(10).
       01 WS-TEXT               PIC X(40) VALUE
           'EXEC CICS in a literal END-EXEC'.
       EJECT
       01 WS-FEEDBACK.
          02 WS-TOKEN.
          COPY CEEIGZCT.
             03 WS-SEVERITY     PIC S9(4) BINARY.
             03 FILLER          PIC X(6).
          02 FILLER             PIC S9(9) BINARY.
           COPY TAGS REPLACING ==:TAG:== BY ==WS==.
        LOCAL-STORAGE SECTION.
       1 LS-STARTED             PIC X(2).
       1 LS-CHILD               PIC X(16).
        LINKAGE SECTION.
       01 DFHCOMMAREA.
           03 CA-COUNT          PIC 9(4).
           03 CA-ROWS OCCURS 1 TO 20 DEPENDING ON CA-COUNT.
              05 CA-ROW         PIC X(5).
       01 LK-ONE                PIC X(10).
       01 LK-TWO                PIC X(20).

       PROCEDURE DIVISION USING DFHCOMMAREA .
       PREMIERE SECTION.
       A010.
      D    DISPLAY 'Started'.
      D    EXEC CICS NOTHING THAT IS THERE
           EXEC CICS HANDLE CONDITION ERROR (ZZ-ERROR)
                         END-EXEC
           SET ADDRESS OF LK-ONE TO ADDRESS OF DFHCOMMAREA
           EXEC CICS GETMAIN SET(ADDRESS OF LK-TWO)
                FLENGTH(LENGTH OF LK-TWO) INITIMG(' ') END-EXEC
           EXEC CICS
      *      a comment with END-EXEC in a command
               ASKTIME

               ABSTIME(WS-ABSTIME)
      *      EXEC CICS
           END-EXEC.
           Exec Cics FormatTime
                     AbsTime(WS-ABSTIME) DDMMYYYY(WS-DATE)
                     Time(WS-TIME-NOW) DateSep
           End-Exec
           EXEC CICS RUN TRANSID      ('PART')
                         CHANNEL      (LS-CHILD)
                         CHILD        (LS-CHILD)
           END-EXEC
           EXEC CICS READ File(WS-FILE)
                     Into(WS-TEXT)
                     Length(WS-LENGTH)
                     Ridfld(WS-KEY)
                     KeyLength(LENGTH OF WS-PLANT)
                     Generic GTEQ
                     RESP(RESP) RESP2(RESP2)
           END-EXEC
           IF RESP NOT= DFHRESP(NORMAL) AND RESP NOT = DFHRESP
              (NOTFND)
              MOVE RESP TO WS-EDITED
           END-IF
           IF EIBCALEN = ZERO OR CEE000 OF WS-TOKEN
             EXEC CICS ABEND ABCODE( 'NOCA') NODUMP END-EXEC
           ELSE EXEC CICS PUT CONTAINER ('PART' ) FROM ( CA-ROW (1) )
             END-EXEC.
           EVALUATE TRUE
             WHEN EIBRESP = DFHRESP(NORMAL)
               EXEC CICS DELAY FOR SECONDS(1) END-EXEC
             WHEN OTHER
               EXEC CICS WRITEQ TS QNAME('A LITERAL OF 16 ')
                 FROM(WS-TEXT(1:5)) LENGTH(5) NOHANDLE END-EXEC
               EXEC CICS WRITE OPERATOR TEXT('A LITERAL THAT ENDS IN TH
      -              'E NEXT LINE, END-EXEC') END-EXEC
           END-EVALUATE.
           COPY TAIL REPLACING ==:TAG:== BY ==WS==.
           PERFORM get-out.
       A999. EXIT.
      /
       GET-OUT SECTION.
       G010. EXEC CICS RETURN RESP(RESP) END-EXEC
           .
       ZZ-ERROR SECTION.
           EXEC CICS
                 ABEND
                 ABCODE('ECOM')
                 CANCEL
           END-EXEC
           GOBACK.
       ZZ-EXIT.
           EXIT.
           EJECT
       END PROGRAM 'IDIOMS'.
      * That was all.
