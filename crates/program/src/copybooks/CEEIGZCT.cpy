      * Feedback codes of the services CEEDAYS and CEEDATE, for COPY behind
      * the group of 8 bytes that a condition token begins with: severity
      * and message number, then case, severity and control in one byte,
      * then the facility, in ASCII as programs have text here. The name is
      * the message number in base 32.
           88  CEE000  VALUE X'0000000000000000'.
           88  CEE2EB  VALUE X'000309CB59434545'.
           88  CEE2EC  VALUE X'000309CC59434545'.
           88  CEE2ED  VALUE X'000309CD59434545'.
           88  CEE2EG  VALUE X'000309D059434545'.
           88  CEE2EH  VALUE X'000309D159434545'.
           88  CEE2EL  VALUE X'000309D559434545'.
           88  CEE2EM  VALUE X'000309D659434545'.
           88  CEE2EO  VALUE X'000309D859434545'.
           88  CEE2EP  VALUE X'000309D959434545'.
           88  CEE2EQ  VALUE X'000309DA59434545'.
           88  CEE2EU  VALUE X'000109DE49434545'.
           88  CEE2F6  VALUE X'000109E649434545'.
