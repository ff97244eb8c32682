           05  ITEM            PIC X(10).
           05  QUANTITY        PIC 9(4).
