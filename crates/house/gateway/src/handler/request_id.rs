//! Ids of requests: the caller's, or a new one.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use http::{HeaderMap, HeaderName, HeaderValue};

/// The header for the id in requests and answers.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is accepted.
const REQUEST_ID_MAX_BYTES: usize = 128;

/// The caller's id, if it is safe in logs and other headers.
pub(super) fn taken_over(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut given = headers.get_all(REQUEST_ID).iter();
    let id = given.next()?;
    let is_safe = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:+/=".contains(byte);
    let bytes = id.as_bytes();
    let well_formed = (1..=REQUEST_ID_MAX_BYTES).contains(&bytes.len())
        && bytes.iter().all(is_safe)
        && given.next().is_none();
    well_formed.then(|| id.clone())
}

/// An id that no other request of this process has, and very probably none of another process.
pub(super) fn request_id() -> HeaderValue {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    static PROCESS: OnceLock<u64> = OnceLock::new();
    let process = PROCESS.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (now.as_millis() as u64) << 16 | u64::from(std::process::id() & 0xFFFF)
    });
    let id = format!("{process:x}-{:x}", NEXT.fetch_add(1, Ordering::Relaxed));
    HeaderValue::try_from(id).expect("hexadecimal digits are valid in a header")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_ids_are_taken_over() {
        let long = "x".repeat(REQUEST_ID_MAX_BYTES + 1);
        for (given, taken) in [
            ("7f3a-1.b_c~d:e+f/g=", true),
            ("", false),
            ("two words", false),
            ("quote\"", false),
            (&long[1..], true),
            (&long, false),
        ] {
            let headers =
                HeaderMap::from_iter([(REQUEST_ID, HeaderValue::from_str(given).expect("a value"))]);
            assert_eq!(taken_over(&headers).is_some(), taken, "{given}");
        }
        let mut twice = HeaderMap::new();
        twice.append(REQUEST_ID, HeaderValue::from_static("a"));
        twice.append(REQUEST_ID, HeaderValue::from_static("b"));
        assert_eq!(taken_over(&twice), None);
    }

    #[test]
    fn ids_differ() {
        assert_ne!(request_id(), request_id());
    }
}
