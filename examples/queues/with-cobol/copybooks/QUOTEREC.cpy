           05  QT-ITEM         PIC X(10).
           05  QT-QUANTITY     PIC 9(4).
           05  QT-TOTAL        PIC 9(7)V99.
