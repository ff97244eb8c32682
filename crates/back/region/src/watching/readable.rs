//! Bytes of programs as people read them: in hexadecimal, and as text in a code page.

use codepage::{Encoding, Unmappable};

/// Two capital digits a byte.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |number: u8| char::from(DIGITS[usize::from(number)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Bytes as text: what is no character, or a control character, becomes a full stop. Bytes of an unknown code page count as
/// UTF-8.
#[must_use]
pub fn readable(bytes: &[u8], ccsid: u16) -> String {
    let text = decoded(bytes, ccsid);
    let is_odd = |letter: char| letter.is_control() || letter == char::REPLACEMENT_CHARACTER;
    text.chars().map(|letter| if is_odd(letter) { '.' } else { letter }).collect()
}

/// Bytes as text of a code page, control characters too. Bytes of an unknown code page count as UTF-8.
pub(crate) fn decoded(bytes: &[u8], ccsid: u16) -> String {
    let mut text = String::new();
    let is_decoded = Encoding::by_ccsid(ccsid)
        .is_some_and(|encoding| encoding.decode(bytes, Unmappable::Substitute, &mut text).is_ok());
    if is_decoded { text } else { String::from_utf8_lossy(bytes).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_any_code_page() {
        assert_eq!(hex(b"A\n\xC1"), "410AC1");
        assert_eq!(readable(b"A\nB", 819), "A.B");
        assert_eq!(readable(b"\xC1\x00\x40", 37), "A. ");
        assert_eq!(readable("ü\u{1b}".as_bytes(), 1208), "ü.");
        assert_eq!(readable(b"a\xFF", 9_999), "a.");
    }
}
