       01  PHOTO.
           05  LABEL       PIC X(6).
           05  IMAGE       PIC X(4000).
