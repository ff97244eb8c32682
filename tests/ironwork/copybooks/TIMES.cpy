      * A time, and every form of it.
           05  TM-ABSTIME        PIC S9(15) COMP-3.
           05  TM-YYMMDD         PIC X(8).
           05  TM-YYYYMMDD       PIC X(10).
           05  TM-DDMMYYYY       PIC X(10).
           05  TM-MMDDYYYY       PIC X(10).
           05  TM-DDMMYY         PIC X(8).
           05  TM-MMDDYY         PIC X(8).
           05  TM-YYDDD          PIC X(6).
           05  TM-YYYYDDD        PIC X(8).
           05  TM-TIME           PIC X(8).
           05  TM-PLAIN-DATE     PIC X(8).
           05  TM-PLAIN-TIME     PIC X(6).
           05  TM-DOT-DATE       PIC X(10).
           05  TM-DAYCOUNT       PIC S9(8) COMP.
           05  TM-DAYOFWEEK      PIC S9(8) COMP.
           05  TM-DAYOFMONTH     PIC S9(8) COMP.
           05  TM-MONTHOFYEAR    PIC S9(8) COMP.
           05  TM-YEAR           PIC S9(8) COMP.
           05  TM-MILLISECONDS   PIC S9(8) COMP.
           05  TM-RESP           PIC S9(8) COMP.
           05  TM-RESP2          PIC S9(8) COMP.
