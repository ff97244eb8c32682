//! The conditions that Language Environment's services report, and their tokens for programs.

/// A condition of the facility CEE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// From 0 to 4.
    pub severity: u8,
    /// The number of its message.
    pub message: u16,
}

/// The bytes of a condition token, also called feedback code.
pub const TOKEN_BYTES: usize = 12;

/// The token of success, CEE000.
pub const SUCCESS_TOKEN: [u8; TOKEN_BYTES] = [0; TOKEN_BYTES];

/// `CEE` in EBCDIC, whatever code page programs have, because they compare tokens with hexadecimal literals.
const FACILITY: [u8; 3] = [0xC3, 0xC5, 0xC5];

/// Conditions of this severity or a higher one end the task if the program leaves the feedback code out.
pub const SEVERE: u8 = 2;

macro_rules! conditions {
    ($($name:ident $severity:literal $message:literal $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: Condition = Condition { severity: $severity, message: $message };)*
    };
}

conditions! {
    HEAP_ID 3 803 "CEE0P3: no such heap.";
    HEAP_SIZE 3 808 "CEE0P8: a size of storage that is not positive.";
    FREE_ADDRESS 3 810 "CEE0PA: an address that no storage was given at.";
    HEAP_SHORT 3 813 "CEE0PD: there is not as much storage.";
    DESTINATION 3 451 "CEE0E3: no such destination of a message.";
    SECONDS_RANGE 3 2505 "CEE2E9: Lilian seconds outside of the supported range.";
    INSUFFICIENT 3 2507 "CEE2EB: the picture or the text does not say a whole date.";
    DATE_VALUE 3 2508 "CEE2EC: the day does not exist.";
    HOURS 3 2510 "CEE2EE: the hour does not exist.";
    DAY 3 2511 "CEE2EF: the day parameter of CEEISEC is invalid.";
    LILIAN_RANGE 3 2512 "CEE2EG: a Lilian date outside of the supported range.";
    DATE_RANGE 3 2513 "CEE2EH: a date outside of the supported range.";
    YEAR 3 2514 "CEE2EI: the year parameter of CEEISEC is outside of the supported range.";
    MILLISECONDS 3 2515 "CEE2EJ: the milliseconds parameter of CEEISEC is invalid.";
    MINUTES 3 2516 "CEE2EK: the minute does not exist.";
    MONTH 3 2517 "CEE2EL: the month does not exist.";
    PICTURE 3 2518 "CEE2EM: the picture is invalid.";
    SECONDS 3 2519 "CEE2EN: the second does not exist.";
    DATE_NOT_NUMERIC 3 2520 "CEE2EO: the date does not follow its picture.";
    TIMESTAMP_NOT_NUMERIC 3 2525 "CEE2ET: the timestamp does not follow its picture.";
    DATE_CUT 2 2526 "CEE2EU: the date was cut.";
    TIMESTAMP_CUT 2 2527 "CEE2EV: the timestamp was cut.";
    CENTURY 3 2533 "CEE2F5: a century window that does not begin 0 to 100 years ago.";
}

impl Condition {
    /// The token: severity and message number, then case 1 with severity and control 1 in one byte, the facility, and no
    /// instance-specific information. Numbers have their highest byte first.
    pub fn token(self) -> [u8; TOKEN_BYTES] {
        let mut token = SUCCESS_TOKEN;
        token[1] = self.severity;
        token[2..4].copy_from_slice(&self.message.to_be_bytes());
        token[4] = 0b01_000_001 | (self.severity << 3);
        token[5..8].copy_from_slice(&FACILITY);
        token
    }

    /// Its symbolic name: CEE and the message number with digits to the base of 32.
    pub fn name(self) -> String {
        let digit = |shift: u16| char::from_digit(u32::from(self.message >> shift) & 31, 32).unwrap_or('?');
        format!("CEE{}{}{}", digit(10), digit(5), digit(0)).to_ascii_uppercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_that_programs_compare_with() {
        assert_eq!(DATE_VALUE.token(), [0, 3, 0x09, 0xCC, 0x59, 0xC3, 0xC5, 0xC5, 0, 0, 0, 0]);
        assert_eq!(DATE_CUT.token()[..5], [0, 2, 0x09, 0xDE, 0x51]);
        let names = [DATE_VALUE, DATE_CUT, CENTURY, HEAP_ID, DESTINATION].map(Condition::name);
        assert_eq!(names, ["CEE2EC", "CEE2EU", "CEE2F5", "CEE0P3", "CEE0E3"]);
    }
}
