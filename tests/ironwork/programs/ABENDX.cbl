       IDENTIFICATION DIVISION.
       PROGRAM-ID. ABENDX.
      *
      * Is run for an abend, with the commarea of who abended.
      *
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY ABENDS.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS ASSIGN ABCODE(AB-CODE) END-EXEC
           MOVE 'EXIT PROGRAM' TO AB-WAY
           EXEC CICS RETURN END-EXEC.
