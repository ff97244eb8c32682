      * What is looked for.
           05 ITEM-ID        PIC X(16).
           05 QUANTITY       PIC S9(5) COMP-3.
