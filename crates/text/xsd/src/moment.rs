//! Points in time that are longer than their field: the same instant in fewer characters.
//!
//! DFHWS2LS gives `xsd:dateTime` 32 characters. .NET writes seven decimal places and an offset, which are 33.
//! For XML Schema, a time with an offset and the same time in UTC are equal, and the canonical form is the
//! one in UTC.

use calendar::Date;

use crate::lexical::OFFSET_HOURS_MAX;

const MINUTES_OF_DAY: i64 = 24 * 60;
/// Offsets go from -14:00 to +14:00.
const OFFSET_MINUTES_MAX: i64 = OFFSET_HOURS_MAX as i64 * 60;

/// The same point in time in at most `most` characters: without zeros at the end of its seconds, else in UTC. None if the text is not a
/// point in time with a year of four digits, or if both forms are longer.
pub(crate) fn shorter(text: &str, most: usize) -> Option<String> {
    let (date, time) = text.split_once('T')?;
    let (clock, zone) = time.split_at(time.find(['Z', '+', '-']).unwrap_or(time.len()));
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let fraction = match fraction.trim_end_matches('0') {
        "" => String::new(),
        digits if digits.bytes().all(|digit| digit.is_ascii_digit()) => format!(".{digits}"),
        _ => return None,
    };
    let date = numbers(date, '-', [4, 2, 2]).map(|[year, month, day]| Date { year, month, day })?;
    let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
    let is_midnight = (hour, minute, second) == (24, 0, 0) && fraction.is_empty();
    if !date.is_valid() || (hour > 23 && !is_midnight) || minute > 59 || second > 59 {
        return None;
    }
    let offset = offset(zone)?;
    let fits = |text: String| (text.len() <= most).then_some(text);
    let Date { year, month, day } = date;
    let as_given = format!("{year:04}-{month:02}-{day:02}T{clock}{fraction}{zone}");
    let in_utc = || {
        let minutes = date.days() * MINUTES_OF_DAY + hour * 60 + minute - offset?;
        let Date { year, month, day } = Date::of(minutes.div_euclid(MINUTES_OF_DAY));
        let of_day = minutes.rem_euclid(MINUTES_OF_DAY);
        let (hour, minute) = (of_day / 60, of_day % 60);
        let date = (1..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))?;
        fits(format!("{date}T{hour:02}:{minute:02}:{second:02}{fraction}Z"))
    };
    fits(as_given).or_else(in_utc)
}

/// Numbers with these counts of digits, between separators.
fn numbers(text: &str, separator: char, digits: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(separator);
    let mut found = [0; 3];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits)?;
        *number = part.bytes().all(|digit| digit.is_ascii_digit()).then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(found)
}

/// The minutes of a zone. The inner option is none if there is no zone.
fn offset(zone: &str) -> Option<Option<i64>> {
    let (sign, rest) = match zone.as_bytes() {
        [] => return Some(None),
        b"Z" => return Some(Some(0)),
        [b'-', ..] => (-1, &zone[1..]),
        _ => (1, zone.strip_prefix('+')?),
    };
    let [hours, minutes, _] = numbers(&format!("{rest}:00"), ':', [2, 2, 2])?;
    let offset = hours * 60 + minutes;
    (minutes < 60 && offset <= OFFSET_MINUTES_MAX).then_some(Some(sign * offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instant_stays() {
        for (given, expected) in [
            ("2026-01-31T12:00:00.1234567+01:00", Some("2026-01-31T11:00:00.1234567Z")),
            ("2026-01-31T23:59:58.123456700-11:30", Some("2026-02-01T11:29:58.1234567Z")),
            ("2024-03-01T00:15:00.1234567+14:00", Some("2024-02-29T10:15:00.1234567Z")),
            // Zeros at the end have no meaning.
            ("2026-01-31T12:00:00.1234560+01:00", Some("2026-01-31T12:00:00.123456+01:00")),
            ("2026-01-31T12:00:00.00000000000000000000", Some("2026-01-31T12:00:00")),
            // More digits than the room allows, a year that UTC does not have, and a text that is not a point
            // in time.
            ("2026-01-31T12:00:00.1234567890123+01:00", None),
            ("0001-01-01T00:00:00.1234567+01:00", None),
            ("2026-01-31T12:00:00.1234567890123", None),
            ("2026-02-30T12:00:00.1234567+01:00", None),
            ("2026-01-31T24:00:00.0000000+01:00", Some("2026-01-31T24:00:00+01:00")),
            ("2026-01-31T24:00:00.0000001+01:00", None),
            ("2026-01-31T12:00:00.1234567+15:00", None),
            ("2026-01-31T12:00:00.1234567+1:000", None),
            ("+026-01-31T12:00:00.1234567+01:00", None),
            ("2026-01-31T12:00:00.12345x7+01:00", None),
            ("hello, this is not a point in time", None),
            ("Té+é-ééééééééééééééééééééééééééé", None),
        ] {
            assert_eq!(shorter(given, 32).as_deref(), expected, "{given}");
        }
    }
}
