//! Octets as JSON shows them: base64, hexadecimal digits, or a character for each.

use assistant::Encoding;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use record::Cause;

use crate::error::{Error, ErrorKind};

/// The octets that a text encodes.
///
/// # Errors
/// The text is not valid in this encoding.
pub(crate) fn decode(encoding: Encoding, text: &str) -> Result<Vec<u8>, Error> {
    let is_odd = || !text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (octets, expected, cause) = match encoding {
        Encoding::Base64 => (BASE64.decode(text).ok(), "base64", Some(Cause::NotBase64)),
        Encoding::Hex => {
            (from_hex(text), "pairs of hexadecimal digits", is_odd().then_some(Cause::OddHexDigits))
        }
        Encoding::Raw => (
            text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect(),
            "characters up to U+00FF",
            None,
        ),
    };
    octets.ok_or_else(|| Error {
        cause,
        ..Error::new(ErrorKind::WrongType, format!("expected {expected}, found other text"))
    })
}

/// Appends octets as text.
pub(crate) fn encode(encoding: Encoding, octets: &[u8], out: &mut String) {
    match encoding {
        Encoding::Base64 => BASE64.encode_string(octets, out),
        Encoding::Hex => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            for octet in octets {
                out.push(char::from(DIGITS[usize::from(octet >> 4)]));
                out.push(char::from(DIGITS[usize::from(octet & 15)]));
            }
        }
        Encoding::Raw => out.extend(octets.iter().map(|octet| char::from(*octet))),
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let octets = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
    if rest.is_empty() { octets } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_are_what_their_text_shows() {
        for (encoding, text, octets) in [
            (Encoding::Base64, "AP8Q", &[0, 255, 16][..]),
            (Encoding::Hex, "00ff10", &[0, 255, 16]),
            (Encoding::Raw, "\u{0}ÿA", &[0, 255, 65]),
        ] {
            assert_eq!(decode(encoding, text).expect("octets"), octets);
            let mut shown = String::new();
            encode(encoding, octets, &mut shown);
            assert_eq!(shown, text);
        }
        for (encoding, text) in
            [(Encoding::Base64, "A"), (Encoding::Hex, "0"), (Encoding::Hex, "0g"), (Encoding::Raw, "Ā")]
        {
            assert_eq!(decode(encoding, text).expect_err("no octets").kind, ErrorKind::WrongType, "{text}");
        }
    }
}
