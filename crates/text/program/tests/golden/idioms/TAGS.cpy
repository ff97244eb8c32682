000100 01  :TAG:-TAGGED.                                                TAGS0010
000200     05  :TAG:-ONE              PIC X(4).                         TAGS0020
