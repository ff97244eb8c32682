      * The names of the Host API's functions, by which programs CALL
      * them.
       77  BAQ-INIT-NAME             PIC X(8) VALUE 'BAQINIT'.
       77  BAQ-EXEC-NAME             PIC X(8) VALUE 'BAQEXEC'.
       77  BAQ-GETN-NAME             PIC X(8) VALUE 'BAQGETN'.
       77  BAQ-PUTN-NAME             PIC X(8) VALUE 'BAQPUTN'.
       77  BAQ-FREE-NAME             PIC X(8) VALUE 'BAQFREE'.
       77  BAQ-TERM-NAME             PIC X(8) VALUE 'BAQTERM'.
