//! The status that a program gives to its answer, in a field of its record or as a line of its own.

use failure::{Code, Failure};
use http::StatusCode;
use record::{Bind, FieldSlot};

/// The longest status line that is read, in bytes.
pub const STATUS_LINE_MAX_BYTES: usize = 256;

/// A status that a program gives, with the text that goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedStatus {
    /// From 200 to 599: numbers below 200 are not the status of an answer.
    pub status: StatusCode,
    /// The reason phrase: printable ASCII. HTTP/2 has none.
    pub reason: Option<String>,
}

impl StatedStatus {
    /// Reads a status line, as CICS's container DFHHTTPSTATUS holds it: `HTTP/1.1 404 Not Found`. The version
    /// and the text may be missing. Blanks and binary zeros at the end are ignored.
    ///
    /// # Errors
    /// [`Code::BadStatus`]: it does not have a status that can be sent.
    pub fn parse(line: &str) -> Result<Self, Failure> {
        let bad = |what: &str| Failure {
            log: Some(format!("expected a status line such as 'HTTP/1.1 404 Not Found', found {what}")),
            ..Failure::new(Code::BadStatus)
        };
        let line = line.trim_end_matches([' ', '\0']);
        if line.len() > STATUS_LINE_MAX_BYTES {
            return Err(bad(&format!("{} bytes, more than {STATUS_LINE_MAX_BYTES}", line.len())));
        }
        let rest = match line.split_once(' ') {
            Some((version, rest)) if version.starts_with("HTTP/") => rest.trim_start(),
            _ => line,
        };
        let (number, reason) = rest.split_once(' ').unwrap_or((rest, ""));
        let status = status(number).ok_or_else(|| bad(&format!("{line:?}")))?;
        let reason = reason.trim();
        if !reason.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            return Err(bad("a text that is not printable ASCII"));
        }
        Ok(Self { status, reason: (!reason.is_empty()).then(|| reason.to_owned()) })
    }
}

/// A status that an answer may have.
fn status(text: &str) -> Option<StatusCode> {
    let has_form = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| has_form && (200..=599).contains(number));
    number.and_then(|number| StatusCode::from_u16(number).ok())
}

/// True for statuses whose answers have no body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5).
#[must_use]
pub fn has_no_body(status: StatusCode) -> bool {
    matches!(status, StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED)
}

/// The status in a field; none if the field is blank or zero, which leaves it to the mapping.
///
/// # Errors
/// [`Code::BadStatus`]: it is not a status that can be sent. [`Code::BadRecord`]: the field cannot be read.
pub fn status_in_field(slot: &FieldSlot, bind: &Bind, record: &[u8]) -> Result<Option<StatusCode>, Failure> {
    let text = bind.get(slot, record).map_err(|error| Failure::from_response(&error))?;
    let text = text.trim_matches([' ', '\0']);
    if text.bytes().all(|byte| byte == b'0') {
        return Ok(None);
    }
    let bad = || Failure {
        code: Code::BadStatus,
        details: Some(format!("bad status: {}", slot.path())),
        log: Some(format!("expected a status from 200 to 599 in {}, found {text:?}", slot.path())),
    };
    status(text).map(Some).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn status_lines() {
        for (line, status, reason) in [
            ("HTTP/1.1 412 Precondition Failed", 412, Some("Precondition Failed")),
            ("HTTP/1.1 404", 404, None),
            ("HTTP/1.0  599 x   \0\0", 599, Some("x")),
            ("200", 200, None),
            ("204 Gone fishing", 204, Some("Gone fishing")),
        ] {
            let stated = StatedStatus::parse(line).expect("a status line");
            assert_eq!((stated.status.as_u16(), stated.reason.as_deref()), (status, reason), "{line}");
        }
        let long = format!("200 {}", "x".repeat(STATUS_LINE_MAX_BYTES));
        for line in [
            "",
            "HTTP/1.1",
            "HTTP/1.1 ",
            "OK",
            "199",
            "600",
            "099",
            "2000",
            "20",
            "+20",
            "200 \u{e9}",
            "200 a\nb",
            &long,
        ] {
            let failure = StatedStatus::parse(line).expect_err(line);
            assert_eq!((failure.code, failure.details), (Code::BadStatus, None), "{line}");
        }
    }

    proptest! {
        #[test]
        fn whatever_a_program_says_is_a_status_or_a_failure(line in ".{0,300}") {
            if let Ok(stated) = StatedStatus::parse(&line) {
                prop_assert!((200..600).contains(&stated.status.as_u16()));
                prop_assert!(line.contains(stated.status.as_str()));
            }
        }
    }
}
