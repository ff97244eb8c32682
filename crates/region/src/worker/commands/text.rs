//! Text of containers from one code page to another.

use codepage::{Encoding, Unmappable};

/// Why text cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unconvertible {
    /// One of the code pages is not known.
    Page,
    /// Some characters are in none of the two: they were replaced.
    Characters,
}

/// The text in another code page; characters that this lacks become its substitute, and the caller is told.
pub(super) fn convert(bytes: Vec<u8>, from: u16, to: u16) -> Result<(Vec<u8>, bool), Unconvertible> {
    if from == to {
        return Ok((bytes, true));
    }
    let known = |ccsid| Encoding::by_ccsid(ccsid).ok_or(Unconvertible::Page);
    let converter = codepage::Converter::new(known(from)?, known(to)?);
    let mut converted = Vec::with_capacity(bytes.len());
    match converter.convert(&bytes, Unmappable::Substitute, &mut converted) {
        Ok(substituted) => Ok((converted, substituted == 0)),
        Err(_) => Err(Unconvertible::Characters),
    }
}

/// The CCSID of a code page by its name: those of IANA that CICS names, and `IBM` or `CP` with a number.
pub(super) fn ccsid(name: &str) -> Option<u16> {
    let upper = name.trim_end().to_ascii_uppercase();
    let known = match upper.as_str() {
        "UTF-8" => Some(1208),
        "UTF-16" | "UTF-16BE" => Some(1200),
        "UTF-16LE" => Some(1202),
        "ISO-8859-1" => Some(819),
        "ISO-8859-2" => Some(912),
        "ISO-8859-15" => Some(923),
        "US-ASCII" => Some(367),
        _ => None,
    };
    let numbered = || {
        let digits = upper.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let prefix = &upper[..upper.len() - digits.len()];
        let named = ["IBM", "IBM-", "IBM0", "CP", "WINDOWS-"].contains(&prefix);
        digits.parse().ok().filter(|_| named)
    };
    known.or_else(numbered).filter(|ccsid| Encoding::by_ccsid(*ccsid).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_between_code_pages() {
        assert_eq!(convert(b"AB".to_vec(), 819, 37), Ok((vec![0xC1, 0xC2], true)));
        assert_eq!(convert(vec![0xC1], 37, 1208), Ok((b"A".to_vec(), true)));
        let (text, whole) = convert("\u{20ac}".as_bytes().to_vec(), 1208, 819).expect("a substitute");
        assert_eq!((text.len(), whole), (1, false));
        assert_eq!(convert(vec![1], 37, 7), Err(Unconvertible::Page));
    }

    #[test]
    fn code_pages_have_names() {
        assert_eq!(ccsid("utf-8   "), Some(1208));
        assert_eq!(
            (ccsid("IBM037"), ccsid("IBM-1047"), ccsid("windows-1252")),
            (Some(37), Some(1047), Some(1252))
        );
        assert_eq!((ccsid("LATIN"), ccsid("IBM99999"), ccsid("")), (None, None, None));
    }
}
