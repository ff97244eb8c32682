//! ASKTIME, FORMATTIME and CONVERTTIME. All times are UTC.

use calendar::MONTH_NAMES;
use program::commands::OptionName;
use program::commands::names::*;
use program::conditions::INVREQ;
use program::cvda;
use program::date_text;
use program::interface::Argument;

use super::Done;
use crate::clock::{ABSTIME_MAX, Moment, now};
use crate::cobol::arguments::Arguments;
use crate::task::{Fault, Runtime, Step, raise};

/// RESP2 of INVREQ: the ABSTIME is not a time.
const RESP2_NO_TIME: u32 = 1;

/// RESP2 of INVREQ: the text is not a date.
const RESP2_NO_DATE: u32 = 1;

/// The length of DATESTRING.
const DATE_STRING_MAX_BYTES: usize = 64;

const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

pub(super) fn ask(runtime: &mut Runtime, arguments: &Arguments) -> Done {
    let now = now();
    runtime.level().eib.set_time(now.eib_time(), now.eib_date());
    if let Some(area) = arguments.packed(ABSTIME) {
        area.write(&pack(now.abstime));
    }
    Ok(Step::GoOn)
}

/// A number of up to 15 digits as S9(15) COMP-3.
fn pack(number: i64) -> [u8; 8] {
    let mut rest = number.unsigned_abs();
    let sign = if number < 0 { 0x0D } else { 0x0C };
    let mut bytes = [0; 8];
    bytes[7] = (rest % 10) as u8 * 16 + sign;
    rest /= 10;
    for byte in bytes[..7].iter_mut().rev() {
        *byte = ((rest / 10 % 10) * 16 + rest % 10) as u8;
        rest /= 100;
    }
    bytes
}

fn unpack(bytes: &[u8]) -> Option<i64> {
    let mut number = 0;
    for (place, nibble) in bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).enumerate() {
        match (nibble, place) {
            (0..=9, ..15) => number = number * 10 + i64::from(nibble),
            (0xA | 0xC | 0xE | 0xF, 15) => {}
            (0xB | 0xD, 15) => number = -number,
            _ => return None,
        }
    }
    Some(number)
}

pub(super) fn format(arguments: &Arguments) -> Done {
    let abstime = arguments.packed(ABSTIME).and_then(|area| unpack(&area.copy()));
    let Some(abstime) = abstime.filter(|abstime| (0..=ABSTIME_MAX).contains(abstime)) else {
        return Err(Fault::Condition(&INVREQ, RESP2_NO_TIME));
    };
    let m = Moment::of(abstime);
    let date_separator = separator(arguments, DATESEP, "/");
    let time_separator = separator(arguments, TIMESEP, ":");
    for (name, text) in dates(&m, &date_separator) {
        arguments.set_characters(name, text.as_bytes());
    }
    let time = format!("{:02}{time_separator}{:02}{time_separator}{:02}", m.hour, m.minute, m.second);
    arguments.set_characters(TIME, time.as_bytes());
    arguments.set_characters(DATEFORM, b"MMDDYY");
    if arguments.has(DATESTRING) {
        arguments.set_characters(DATESTRING, date_string(arguments, &m)?.as_bytes());
    }
    for (name, number) in [
        (DAYCOUNT, m.day_count),
        (DAYOFMONTH, m.day),
        (DAYOFWEEK, m.day_of_week),
        (MONTHOFYEAR, m.month),
        (YEAR, m.year),
        (MILLISECONDS, m.millisecond),
    ] {
        arguments.set_number(name, number);
    }
    Ok(Step::GoOn)
}

/// CONVERTTIME: a date of the Internet as ABSTIME, which is 0 if the text is none.
pub(super) fn convert(arguments: &Arguments) -> Done {
    let text = arguments.bytes(DATESTRING, Some(DATE_STRING_MAX_BYTES)).unwrap_or_default();
    let abstime = std::str::from_utf8(&text).ok().and_then(date_text::abstime);
    if let Some(area) = arguments.packed(ABSTIME) {
        area.write(&pack(abstime.unwrap_or_default()));
    }
    match abstime {
        Some(_) => Ok(Step::GoOn),
        None => Err(Fault::Condition(&INVREQ, RESP2_NO_DATE)),
    }
}

/// All forms of the date. DATE and FULLDATE are those of a system whose DATFORM is MMDDYY.
fn dates(m: &Moment, s: &str) -> [(OptionName, String); 12] {
    let (y, m2, d, y2) = (m.year, m.month, m.day, m.year % 100);
    let (day_of_year, year) = (m.day_of_year, m.year);
    [
        (DATE, format!("{m2:02}{s}{d:02}{s}{y2:02}")),
        (FULLDATE, format!("{m2:02}{s}{d:02}{s}{y:04}")),
        (DDMMYY, format!("{d:02}{s}{m2:02}{s}{y2:02}")),
        (DDMMYYYY, format!("{d:02}{s}{m2:02}{s}{y:04}")),
        (MMDDYY, format!("{m2:02}{s}{d:02}{s}{y2:02}")),
        (MMDDYYYY, format!("{m2:02}{s}{d:02}{s}{y:04}")),
        (YYDDD, format!("{y2:02}{s}{day_of_year:03}")),
        (YYDDMM, format!("{y2:02}{s}{d:02}{s}{m2:02}")),
        (YYMMDD, format!("{y2:02}{s}{m2:02}{s}{d:02}")),
        (YYYYDDD, format!("{year:04}{s}{day_of_year:03}")),
        (YYYYDDMM, format!("{year:04}{s}{d:02}{s}{m2:02}")),
        (YYYYMMDD, format!("{year:04}{s}{m2:02}{s}{d:02}")),
    ]
}

/// The separator: the program's own, the usual one if the option has no value, none without the option.
fn separator(arguments: &Arguments, name: OptionName, usual: &str) -> String {
    if !arguments.has(name) {
        return String::new();
    }
    let keyword = arguments
        .plan
        .invocation
        .options
        .iter()
        .any(|given| given.number == name.number && given.argument == Argument::Keyword);
    if keyword {
        return usual.to_owned();
    }
    let bytes = arguments.bytes(name, Some(1)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// DATESTRING: RFC 1123 unless the program wants RFC 3339. A region's local time is UTC, so both zones give the same.
fn date_string(arguments: &Arguments, m: &Moment) -> Result<String, Fault> {
    let is_given = |option, (keyword, word): (OptionName, &str)| {
        arguments.has(keyword) || arguments.number(option) == cvda::value(word).map(i64::from)
    };
    let is_zone = |zone| is_given(STRINGZONE, zone);
    if arguments.has(STRINGZONE) && !is_zone((LOCAL, "LOCAL")) && !is_zone((UTC, "UTC")) {
        return raise(&INVREQ);
    }
    let time = format!("{:02}:{:02}:{:02}", m.hour, m.minute, m.second);
    if is_given(STRINGFORMAT, (RFC3339, "RFC3339")) {
        return Ok(format!("{:04}-{:02}-{:02}T{time}.{:03}Z", m.year, m.month, m.day, m.millisecond));
    }
    if arguments.has(STRINGFORMAT) && !is_given(STRINGFORMAT, (RFC1123, "RFC1123")) {
        return raise(&INVREQ);
    }
    let (day, month) = (DAYS[m.day_of_week as usize], MONTH_NAMES[m.month as usize - 1]);
    Ok(format!("{day}, {:02} {month} {:04} {time} GMT", m.day, m.year))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers_come_back() {
        for number in [0, 1, -1, 3_970_000_000_123, 999_999_999_999_999] {
            assert_eq!(unpack(&pack(number)), Some(number));
        }
        assert_eq!((unpack(&[0x20; 8]), unpack(&[0xA0; 8])), (None, None));
    }

    #[test]
    fn dates_have_the_separator_between_their_parts() {
        let moment = Moment::of(0);
        let find = |wanted: OptionName| {
            dates(&moment, "-").into_iter().find(|(name, _)| *name == wanted).map(|(_, text)| text)
        };
        assert_eq!(find(YYYYMMDD).as_deref(), Some("1900-01-01"));
        assert_eq!(find(YYYYDDD).as_deref(), Some("1900-001"));
    }
}
