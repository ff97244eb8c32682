//! Ids of messages as clients write them: 48 hexadecimal digits, from version 3 on behind `ID:`.

use std::fmt::Write;

use http::HeaderValue;

use crate::resource::Version;

pub(crate) use message::ID_BYTES;

/// A message id or a correlation id. One that is all zeros is none.
pub(crate) type Id = [u8; ID_BYTES];

/// The id that stands for any message.
pub(crate) const NO_ID: Id = [0; ID_BYTES];

/// The text before an id, from version 3 on.
const PREFIX: &str = "ID:";

/// Reads 48 hexadecimal digits.
pub(crate) fn hexadecimal(text: &str) -> Option<Id> {
    let mut id = NO_ID;
    if text.len() != 2 * ID_BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, at) in id.iter_mut().zip((0..2 * ID_BYTES).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(id)
}

/// Reads an id as the version has it.
pub(crate) fn parse(version: Version, text: &str) -> Option<Id> {
    match version {
        Version::V3 => hexadecimal(text.strip_prefix(PREFIX)?),
        _ => hexadecimal(text),
    }
}

/// Writes an id as the version has it.
pub(crate) fn written(version: Version, id: &Id) -> String {
    let mut text = String::with_capacity(PREFIX.len() + 2 * ID_BYTES);
    if version == Version::V3 {
        text.push_str(PREFIX);
    }
    for byte in id {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

pub(crate) fn header(version: Version, id: &Id) -> HeaderValue {
    HeaderValue::from_str(&written(version, id)).unwrap_or(HeaderValue::from_static(""))
}

/// A correlation id that is a text of the application. A short text stands in the 24 bytes as it is, with zeros behind it. A
/// longer one has its first 16 bytes there and then a number made of all of it, so that it is found by the same text.
#[must_use]
pub fn of_text(text: &str) -> [u8; ID_BYTES] {
    let mut id = NO_ID;
    let bytes = text.as_bytes();
    if bytes.len() <= ID_BYTES {
        id[..bytes.len()].copy_from_slice(bytes);
        return id;
    }
    // FNV-1a: the same on every machine and in every version.
    let number = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    let (start, end) = id.split_at_mut(ID_BYTES - 8);
    start.copy_from_slice(&bytes[..ID_BYTES - 8]);
    end.copy_from_slice(&number.to_be_bytes());
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_written_as_the_version_has_them() {
        let id: Id = std::array::from_fn(|at| at as u8 * 10);
        for version in [Version::V1, Version::V2, Version::V3] {
            let text = written(version, &id);
            assert_eq!(parse(version, &text), Some(id));
            assert_eq!(parse(version, &text.to_uppercase()), Some(id));
        }
        assert!(written(Version::V3, &id).starts_with("ID:000a14"));
        let digits = "0".repeat(48);
        assert_eq!(parse(Version::V3, &digits), None);
        for bad in
            ["", "0", &digits[1..], &format!("{digits}0"), &format!("+{}", &digits[1..]), &"é".repeat(24)]
        {
            assert_eq!(parse(Version::V2, bad), None, "{bad}");
        }
    }

    #[test]
    fn texts_have_ids_of_their_own() {
        assert_eq!(&of_text("order-1")[..8], b"order-1\0");
        let (one, other) = ("x".repeat(30), format!("{}y", "x".repeat(29)));
        assert_ne!(of_text(&one), of_text(&other));
        assert_eq!(of_text(&"x".repeat(24)), [b'x'; 24]);
    }
}
