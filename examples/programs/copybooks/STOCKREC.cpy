      * The data that PRICER and STOCK exchange in a container.
           05  ST-ITEM           PIC X(10).
           05  ST-QUANTITY       PIC 9(5).
           05  ST-LEFT           PIC S9(7) COMP-3.
           05  ST-STATUS         PIC X(10).
