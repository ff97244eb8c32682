//! Bodies that are text and not JSON, in the character set that their content type names.

use codepage::{Encoding, Unmappable};

/// The character sets that texts of APIs have, and their CCSIDs (IANA's registry of names; the first of each is preferred).
const CHARSETS: [(&str, u16); 14] = [
    ("utf-8", UTF_8),
    ("utf8", UTF_8),
    ("us-ascii", UTF_8),
    ("ascii", UTF_8),
    ("iso-8859-1", 819),
    ("latin1", 819),
    ("iso-8859-15", 923),
    ("windows-1252", 1252),
    ("cp1252", 1252),
    ("utf-16be", 1200),
    ("utf-16le", 1202),
    ("ibm037", 37),
    ("ibm1047", 1047),
    ("ibm01140", 1140),
];

/// The CCSID of texts whose content type says nothing.
const UTF_8: u16 = 1208;

/// The text of a body.
///
/// # Errors
/// Its character set is not known, or it has bytes that are no characters of it.
pub(crate) fn text_of(content_type: &str, body: &[u8]) -> Result<String, String> {
    let encoding = encoding_of(content_type)?;
    let mut text = String::new();
    encoding.decode(body, Unmappable::Error, &mut text).map_err(|error| error.to_string())?;
    Ok(without_mark(text))
}

/// The first characters of a body, up to where it is no text any more; nothing if its character set is not known.
pub(crate) fn beginning_of(content_type: &str, body: &[u8], characters_max: usize) -> String {
    let Ok(encoding) = encoding_of(content_type) else { return String::new() };
    let mut text = String::new();
    // A character has at most four bytes. What is cut off behind that many is behind the last one that is wanted.
    let start = &body[..body.len().min(characters_max * 4 + 4)];
    // Up to the first fault the text is whole, and the rest is not asked for.
    let _ = encoding.decode(start, Unmappable::Error, &mut text);
    without_mark(text).chars().take(characters_max).collect()
}

fn encoding_of(content_type: &str) -> Result<Encoding, String> {
    let parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut charsets =
        parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset")).map(|(_, value)| value);
    let Some(charset) = charsets.next() else { return by_ccsid(UTF_8) };
    let charset = charset.trim().trim_matches('"');
    match CHARSETS.iter().find(|(name, _)| name.eq_ignore_ascii_case(charset)) {
        Some((_, ccsid)) => by_ccsid(*ccsid),
        None => Err(format!("expected a character set that is known, found '{}'", charset.escape_debug())),
    }
}

fn by_ccsid(ccsid: u16) -> Result<Encoding, String> {
    Encoding::by_ccsid(ccsid).ok_or_else(|| format!("the CCSID {ccsid} is not known"))
}

/// A byte order mark is no character of the text.
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
        for (name, _) in CHARSETS {
            assert!(found(&format!("text/plain;charset={name}"), b"").is_ok(), "{name}");
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
