//! Bytes in a form for people: in hexadecimal, and as text in a code page. Nothing here fails. It is for
//! messages, logs, dumps and tables, and never for values that a program reads.

use crate::{Encoding, Unmappable};

/// Two capital digits a byte.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    push_hex(bytes, &mut text);
    text
}

/// Appends two capital digits a byte.
pub fn push_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |number: u8| char::from(DIGITS[usize::from(number)]);
    out.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
}

/// Two capital digits a byte with blanks between them, as `C1 C2`. If there are more bytes than `most`, only
/// the first ones and ` ...`.
#[must_use]
pub fn spaced_hex(bytes: &[u8], most: usize) -> String {
    let mut text = String::with_capacity(bytes.len().min(most) * 3 + 4);
    for (at, byte) in bytes.iter().take(most).enumerate() {
        if at > 0 {
            text.push(' ');
        }
        push_hex(&[*byte], &mut text);
    }
    if bytes.len() > most {
        text.push_str(" ...");
    }
    text
}

/// Line and column, both from 1, of a byte of a text. A column is a character.
#[must_use]
pub fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The bytes as text if they are all letters, digits, signs and blanks of ASCII.
#[must_use]
pub fn plain(bytes: &[u8]) -> Option<&str> {
    let is_plain = bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    std::str::from_utf8(bytes).ok().filter(|_| is_plain)
}

/// Bytes as text of a code page, for people: see [`decoded`] and [`printable`].
#[must_use]
pub fn text(bytes: &[u8], ccsid: u16) -> String {
    printable(&decoded(bytes, ccsid))
}

/// Bytes as text of a code page, with its control characters. Bytes of an unknown code page count as UTF-8. A
/// byte without a character becomes the page's substitute, or U+FFFD.
#[must_use]
pub fn decoded(bytes: &[u8], ccsid: u16) -> String {
    let mut text = String::new();
    let is_decoded = Encoding::by_ccsid(ccsid)
        .is_some_and(|encoding| encoding.decode(bytes, Unmappable::Substitute, &mut text).is_ok());
    if is_decoded { text } else { String::from_utf8_lossy(bytes).into_owned() }
}

/// The text with a full stop for each control character, and for each replaced byte.
#[must_use]
pub fn printable(text: &str) -> String {
    let is_odd = |letter: char| letter.is_control() || letter == char::REPLACEMENT_CHARACTER;
    text.chars().map(|letter| if is_odd(letter) { '.' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_any_code_page() {
        assert_eq!(text(b"A\nB", 819), "A.B");
        assert_eq!(text(b"\xC1\x00\x40", 37), "A. ");
        assert_eq!(text("ü\u{1b}".as_bytes(), 1208), "ü.");
        assert_eq!(text(b"a\xFF", 9_999), "a.");
    }

    #[test]
    fn bytes_are_shown_as_digits() {
        assert_eq!(hex(b"A\n\xC1"), "410AC1");
        assert_eq!(hex(b""), "");
        assert_eq!(spaced_hex(b"A\n\xC1", 3), "41 0A C1");
        assert_eq!(spaced_hex(b"A\n\xC1", 2), "41 0A ...");
        assert_eq!(spaced_hex(b"", 2), "");
    }

    #[test]
    fn only_plain_text_is_shown_as_it_is() {
        assert_eq!(plain(b"KEY 01"), Some("KEY 01"));
        for odd in [&b"A\n"[..], b"\xC1", "ü".as_bytes(), b"\x7F"] {
            assert_eq!(plain(odd), None, "{odd:?}");
        }
    }
}
