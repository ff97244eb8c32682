//! When a certificate is valid.

use calendar::Date;

use crate::der::{Der, SEQUENCE, fields_of};

const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// A year of two digits from here on is of the 20th century (RFC 5280, 4.1.2.5.1).
const CENTURY_FROM: i64 = 50;

const SECONDS_PER_DAY: i64 = 86_400;

/// The time in which a certificate is valid, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first second.
    pub begins: i64,
    /// The last second.
    pub ends: i64,
}

impl Validity {
    /// Reads a certificate in DER (RFC 5280, 4.1.2.5).
    #[must_use]
    pub fn parse(certificate: &[u8]) -> Option<Self> {
        let mut fields = fields_of(certificate)?;
        // Serial number, algorithm, issuer.
        for _ in 0..3 {
            fields.next()?;
        }
        let mut times = Der(fields.expect(SEQUENCE)?);
        Some(Self { begins: time(&mut times)?, ends: time(&mut times)? })
    }
}

/// A time in UTC, with seconds and without parts of them, as certificates must have it.
fn time(times: &mut Der<'_>) -> Option<i64> {
    let item = times.next()?;
    let (digits, zone) = item.content.split_at_checked(item.content.len().checked_sub(1)?)?;
    if zone != b"Z" || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = |from: &[u8]| from.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    let (year, rest) = match (item.tag, digits.len()) {
        (UTC_TIME, 12) => {
            let year = number(&digits[..2]);
            (year + if year < CENTURY_FROM { 2000 } else { 1900 }, &digits[2..])
        }
        (GENERALIZED_TIME, 14) => (number(&digits[..4]), &digits[4..]),
        _ => return None,
    };
    let part = |at: usize| number(&rest[at..at + 2]);
    let date = Date { year, month: part(0), day: part(2) };
    let (hour, minute, second) = (part(4), part(6), part(8));
    if !date.is_valid() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(date.days() * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tag: u8, text: &str) -> Option<i64> {
        let mut item = vec![tag, text.len() as u8];
        item.extend(text.as_bytes());
        time(&mut Der(&item))
    }

    #[test]
    fn times_of_both_forms() {
        assert_eq!(read(UTC_TIME, "700101000000Z"), Some(0));
        assert_eq!(read(UTC_TIME, "491231235959Z"), read(GENERALIZED_TIME, "20491231235959Z"));
        assert_eq!(read(UTC_TIME, "500101000000Z"), read(GENERALIZED_TIME, "19500101000000Z"));
        assert_eq!(read(GENERALIZED_TIME, "99991231235959Z"), Some(253_402_300_799), "without an end");
        assert_eq!(read(UTC_TIME, "000229120000Z"), Some(951_825_600), "a leap day");
        for bad in
            ["", "Z", "7001010000Z", "700101000000", "700101000000+0000", "700230000000Z", "70010124x000Z"]
        {
            assert_eq!(read(UTC_TIME, bad), None, "{bad}");
        }
        for bad in ["20260101000000.5Z", "20261301000000Z", "20260101240000Z", "20260101006000Z"] {
            assert_eq!(read(GENERALIZED_TIME, bad), None, "{bad}");
        }
        assert_eq!(read(0x04, "700101000000Z"), None);
    }
}
