//! Bodies that are text and not JSON, in the character set that their content type names.

use codepage::{Encoding, Unmappable};

/// CCSIDs.
const UTF_8: u16 = 1208;
const US_ASCII: u16 = 367;
const UTF_16_LITTLE: u16 = 1202;

/// The text of a body.
///
/// # Errors
/// Its character set is not known, or it has bytes that are not characters of it.
pub(crate) fn text_of(content_type: &str, body: &[u8]) -> Result<String, String> {
    let encoding = encoding_of(content_type, body)?;
    let mut text = String::new();
    encoding.decode(body, Unmappable::Error, &mut text).map_err(|error| error.to_string())?;
    Ok(without_mark(text))
}

/// The first characters of a body, up to the first byte that is not text; empty if its character set is not
/// known.
pub(crate) fn beginning_of(content_type: &str, body: &[u8], characters_max: usize) -> String {
    let Ok(encoding) = encoding_of(content_type, body) else { return String::new() };
    let mut text = String::new();
    // A character has at most four bytes. A cut character at the end of these bytes comes after the last
    // wanted one.
    let start = &body[..body.len().min(characters_max * 4 + 4)];
    // Up to the first fault the text is whole, and the rest is not asked for.
    let _ = encoding.decode(start, Unmappable::Error, &mut text);
    without_mark(text).chars().take(characters_max).collect()
}

fn encoding_of(content_type: &str, body: &[u8]) -> Result<Encoding, String> {
    let parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut charsets =
        parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset")).map(|(_, value)| value);
    let charset = charsets.next().map_or("utf-8", |charset| charset.trim().trim_matches('"'));
    let encoding = match Encoding::by_charset(charset) {
        // Servers say so of texts in UTF-8, of which it is a part.
        Some(named) if named.ccsid() == US_ASCII => Encoding::by_ccsid(UTF_8),
        // The mark at the beginning tells the order of the bytes (RFC 2781, section 4.3).
        Some(_) if charset.eq_ignore_ascii_case("utf-16") && body.starts_with(&[0xFF, 0xFE]) => {
            Encoding::by_ccsid(UTF_16_LITTLE)
        }
        named => named,
    };
    encoding
        .ok_or_else(|| format!("expected a character set that is known, found '{}'", charset.escape_debug()))
}

/// A byte order mark is not a character of the text.
fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_character_set_of_their_content_type() {
        let found = |kind: &str, body: &[u8]| text_of(kind, body);
        assert_eq!(found("text/plain", "gr\u{fc}n".as_bytes()), Ok("grün".to_owned()));
        assert_eq!(found("text/plain; charset=\"ISO-8859-1\"", b"gr\xFCn"), Ok("grün".to_owned()));
        assert_eq!(found("text/html;x=y ; Charset = windows-1252", b"\x80"), Ok("€".to_owned()));
        assert_eq!(found("text/plain;charset=utf-8", b"\xEF\xBB\xBFa"), Ok("a".to_owned()));
        for name in [
            "utf-8",
            "utf8",
            "us-ascii",
            "ascii",
            "iso-8859-1",
            "latin1",
            "iso-8859-15",
            "windows-1252",
            "cp1252",
            "utf-16be",
            "utf-16le",
            "ibm037",
            "ibm1047",
            "ibm01140",
            "koi8-r",
            "utf-16",
        ] {
            assert!(found(&format!("text/plain;charset={name}"), b"").is_ok(), "{name}");
        }
        assert_eq!(found("text/plain;charset=us-ascii", "gr\u{fc}n".as_bytes()), Ok("grün".to_owned()));
        for body in [b"\xFE\xFF\0a", b"\xFF\xFEa\0"] {
            assert_eq!(found("text/plain;charset=utf-16", body), Ok("a".to_owned()), "{body:?}");
        }
        let refused = found("text/plain; charset=klingon", b"a").expect_err("not known");
        assert_eq!(refused, "expected a character set that is known, found 'klingon'");
        assert!(found("text/plain", b"gr\xFCn").expect_err("no UTF-8").contains('2'));
    }

    #[test]
    fn the_beginning_ends_where_the_text_does() {
        assert_eq!(beginning_of("text/plain", "äöü".as_bytes(), 2), "äö");
        assert_eq!(beginning_of("text/plain", "äöü".as_bytes(), 9), "äöü");
        assert_eq!(beginning_of("text/plain", b"ab\xFFcd", 9), "ab");
        assert_eq!(beginning_of("text/plain", "\u{1F600}".repeat(9).as_bytes(), 8), "\u{1F600}".repeat(8));
        assert_eq!(beginning_of("text/plain;charset=latin1", b"\xE4\xF6", 1), "ä");
        assert_eq!(beginning_of("text/plain;charset=klingon", b"ab", 9), "");
    }
}
