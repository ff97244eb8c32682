      * A service of Language Environment, what it is given and gives.
           05  DA-SERVICE        PIC X(8).
           05  DA-TEXT           PIC X(30).
           05  DA-PICTURE        PIC X(34).
           05  DA-DAYS           PIC S9(9) COMP-5.
           05  DA-RESULT         PIC X(80).
           05  DA-SEVERITY       PIC S9(4) COMP-5.
           05  DA-MESSAGE        PIC S9(4) COMP-5.
           05  DA-KNOWN          PIC X(4).
           05  DA-ROOM           PIC 9(4) COMP-5.
