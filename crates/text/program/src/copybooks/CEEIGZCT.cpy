      * Feedback codes of the services for dates, for COPY behind the
      * group of 8 bytes that a condition token begins with: severity
      * and message number, then case, severity and control in one byte,
      * then the facility, in EBCDIC. The name is the message number in
      * base 32.
           88  CEE000  VALUE X'0000000000000000'.
           88  CEE2E9  VALUE X'000309C959C3C5C5'.
           88  CEE2EB  VALUE X'000309CB59C3C5C5'.
           88  CEE2EC  VALUE X'000309CC59C3C5C5'.
           88  CEE2ED  VALUE X'000309CD59C3C5C5'.
           88  CEE2EE  VALUE X'000309CE59C3C5C5'.
           88  CEE2EF  VALUE X'000309CF59C3C5C5'.
           88  CEE2EG  VALUE X'000309D059C3C5C5'.
           88  CEE2EH  VALUE X'000309D159C3C5C5'.
           88  CEE2EI  VALUE X'000309D259C3C5C5'.
           88  CEE2EJ  VALUE X'000309D359C3C5C5'.
           88  CEE2EK  VALUE X'000309D459C3C5C5'.
           88  CEE2EL  VALUE X'000309D559C3C5C5'.
           88  CEE2EM  VALUE X'000309D659C3C5C5'.
           88  CEE2EN  VALUE X'000309D759C3C5C5'.
           88  CEE2EO  VALUE X'000309D859C3C5C5'.
           88  CEE2EP  VALUE X'000309D959C3C5C5'.
           88  CEE2EQ  VALUE X'000309DA59C3C5C5'.
           88  CEE2ET  VALUE X'000309DD59C3C5C5'.
           88  CEE2EU  VALUE X'000209DE51C3C5C5'.
           88  CEE2EV  VALUE X'000209DF51C3C5C5'.
           88  CEE2F5  VALUE X'000309E559C3C5C5'.
           88  CEE2F6  VALUE X'000109E649C3C5C5'.
