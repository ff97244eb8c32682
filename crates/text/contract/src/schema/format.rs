//! Formats of text that are well defined and cheap to check. All other formats are words for people.

// Only texts of addresses; the sockets are in `std`.
use core::net::{Ipv4Addr, Ipv6Addr};

/// A format that is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// `date`: RFC 3339 full-date.
    Date,
    /// `date-time`: RFC 3339 date-time.
    DateTime,
    /// `time`: RFC 3339 full-time.
    Time,
    /// `uuid`: RFC 4122.
    Uuid,
    /// `byte`: base64 of RFC 4648 with padding.
    Base64,
    /// `ipv4`.
    Ipv4,
    /// `ipv6`.
    Ipv6,
}

impl Format {
    pub(crate) fn of_word(word: &str) -> Option<Format> {
        Some(match word {
            "date" => Format::Date,
            "date-time" => Format::DateTime,
            "time" => Format::Time,
            "uuid" => Format::Uuid,
            "byte" => Format::Base64,
            "ipv4" => Format::Ipv4,
            "ipv6" => Format::Ipv6,
            _ => return None,
        })
    }

    /// The expected form, in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Format::Date => "a date (2024-12-31)",
            Format::DateTime => "a date and time (2024-12-31T23:59:59Z)",
            Format::Time => "a time (23:59:59Z)",
            Format::Uuid => "a UUID",
            Format::Base64 => "base64",
            Format::Ipv4 => "an IPv4 address",
            Format::Ipv6 => "an IPv6 address",
        }
    }

    pub(crate) fn fits(self, text: &str) -> bool {
        let bytes = text.as_bytes();
        match self {
            Format::Date => is_date(bytes),
            Format::DateTime => is_date_time(bytes),
            Format::Time => is_time(bytes),
            Format::Uuid => is_uuid(bytes),
            Format::Base64 => is_base64(bytes),
            Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
        }
    }
}

/// The least and the greatest number of an integer format.
pub(super) fn integer_limits(word: &str) -> Option<(i64, i64)> {
    match word {
        "int32" => Some((i32::MIN.into(), i32::MAX.into())),
        "int64" => Some((i64::MIN, i64::MAX)),
        _ => None,
    }
}

/// A number whose digits are exactly these bytes.
fn digits(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0')))
}

fn is_date(bytes: &[u8]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = bytes else { return false };
    let (Some(year), Some(month), Some(day)) =
        (digits(&[*y1, *y2, *y3, *y4]), digits(&[*m1, *m2]), digits(&[*d1, *d2]))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_date_time(bytes: &[u8]) -> bool {
    bytes.len() > 11 && is_date(&bytes[..10]) && matches!(bytes[10], b'T' | b't') && is_time(&bytes[11..])
}

fn is_time(bytes: &[u8]) -> bool {
    let Some((clock, rest)) = bytes.split_at_checked(8) else { return false };
    let [h1, h2, b':', m1, m2, b':', s1, s2] = clock else { return false };
    let (Some(hour), Some(minute), Some(second)) =
        (digits(&[*h1, *h2]), digits(&[*m1, *m2]), digits(&[*s1, *s2]))
    else {
        return false;
    };
    let rest = match rest.strip_prefix(b".") {
        Some(fraction) => {
            let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if length == 0 {
                return false;
            }
            &fraction[length..]
        }
        None => rest,
    };
    let Some(offset) = offset_minutes(rest) else { return false };
    let clock = i64::from(hour) * 60 + i64::from(minute);
    // A leap second is the last second of a day in UTC.
    let leap = second == 60 && (clock - offset).rem_euclid(24 * 60) == 24 * 60 - 1;
    hour < 24 && minute < 60 && (second < 60 || leap)
}

/// Minutes ahead of UTC.
fn offset_minutes(bytes: &[u8]) -> Option<i64> {
    match bytes {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
            let all = i64::from(hours * 60 + minutes);
            (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -all } else { all })
        }
        _ => None,
    }
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_base64(bytes: &[u8]) -> bool {
    let padding = bytes.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    bytes.len().is_multiple_of(4)
        && bytes[..bytes.len() - padding]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_know_right_from_wrong() {
        let cases: [(&str, &[&str], &[&str]); 7] = [
            (
                "date",
                &["2024-02-29", "2000-02-29"],
                &["2023-02-29", "1900-02-29", "2024-13-01", "2024-1-1", "2024-00-01", "2024-04-31"],
            ),
            (
                "date-time",
                &["2024-01-01T00:00:00Z", "2024-01-01t23:59:59.123+01:00", "1990-12-31T15:59:60-08:00"],
                &[
                    "2024-01-01",
                    "2024-01-01 00:00:00Z",
                    "2024-01-01T00:00:00",
                    "1990-12-31T15:59:60Z",
                    "2024-01-01T24:00:00Z",
                    "2024-01-01T",
                ],
            ),
            (
                "time",
                &["23:59:60Z", "12:00:00-00:30"],
                &["12:00", "12:00:00", "12:00:00.Z", "12:00:00+24:00", "12:60:00Z"],
            ),
            (
                "uuid",
                &["2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
                &["2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g"],
            ),
            ("byte", &["", "QUI=", "QQ==", "QUJD"], &["QUI", "Q===", "Q=I=", "QU_D"]),
            ("ipv4", &["127.0.0.1"], &["127.0.0", "256.0.0.1", "1.2.3.4.5", "01.2.3.4"]),
            ("ipv6", &["::1", "1:2:3:4:5:6:7:8"], &["1:2", "::1::", "12345::"]),
        ];
        for (word, right, wrong) in cases {
            let format = Format::of_word(word).expect("a known format");
            right.iter().for_each(|text| assert!(format.fits(text), "{word}: {text}"));
            wrong.iter().for_each(|text| assert!(!format.fits(text), "{word}: {text}"));
        }
        assert_eq!(Format::of_word("hostname"), None);
    }
}
