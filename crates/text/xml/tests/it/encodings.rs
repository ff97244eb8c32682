//! Documents in many encodings, and their allowed declarations.

use codepage::{Encoding as Charset, Unmappable};
use xml::{Cursor, declared_charset, decode, decode_as};

fn root(bytes: &[u8], charset: Option<&str>) -> Result<String, String> {
    let charset = charset.map(|name| Charset::by_charset(name).expect("a known charset"));
    let decoded = charset.map_or_else(|| decode(bytes), |charset| decode_as(bytes, charset));
    let (text, encoding) = decoded.map_err(|error| error.to_string())?;
    let mut cursor = Cursor::new(&text, encoding).map_err(|error| error.to_string())?;
    cursor.root().map_err(|error| error.to_string())?;
    cursor.text().map(|text| text.into_owned()).map_err(|error| error.to_string())
}

fn encoded(text: &str, charset: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let charset = Charset::by_charset(charset).expect("a known charset");
    charset.encode(text, Unmappable::Error, &mut bytes).expect("it has these characters");
    bytes
}

#[test]
fn documents_may_declare_the_encoding_that_they_have() {
    for (charset, declared) in [
        ("ISO-8859-1", "latin1"),
        ("ISO-8859-15", "ISO-8859-15"),
        ("windows-1252", "Windows-1252"),
        ("IBM037", "ebcdic-cp-us"),
        ("IBM-1047", "IBM1047"),
        ("UTF-16LE", "UTF-16"),
        ("UTF-16BE", "utf-16be"),
        ("UTF-8", "utf-8"),
    ] {
        let text = format!("<?xml version=\"1.0\" encoding='{declared}'?><a>é</a>");
        assert_eq!(root(&encoded(&text, charset), Some(charset)), Ok("é".to_owned()), "{charset}");
        assert_eq!(root(&encoded("<a>é</a>", charset), Some(charset)), Ok("é".to_owned()), "{charset}");
    }
    let text = "<?xml version='1.0' encoding='UTF-8'?><a/>";
    assert_eq!(
        root(text.as_bytes(), Some("ISO-8859-1")).unwrap_err(),
        "the declared encoding is UTF-8, but the text is CCSID 819 (line 1, column 21)"
    );
}

#[test]
fn every_code_page_that_has_the_letters_will_do() {
    let mut tried = 0;
    for charset in Charset::all() {
        let text = "<a b='c'>x &amp; y</a>";
        let mut bytes = Vec::new();
        if charset.encode(text, Unmappable::Error, &mut bytes).is_err() {
            continue;
        }
        let (text, encoding) = decode_as(&bytes, charset).expect("what was encoded is decoded");
        let mut cursor = Cursor::new(&text, encoding).unwrap();
        cursor.root().unwrap();
        assert_eq!(cursor.text().unwrap(), "x & y", "CCSID {}", charset.ccsid());
        tried += 1;
    }
    assert!(tried > 50, "only {tried} code pages");
}

#[test]
fn a_byte_order_mark_goes_before_a_charset() {
    let mut marked = vec![0xEF, 0xBB, 0xBF];
    marked.extend_from_slice("<a>é</a>".as_bytes());
    assert_eq!(root(&marked, Some("ISO-8859-1")), Ok("é".to_owned()));
    let mut marked = vec![0xFF, 0xFE];
    marked.extend(encoded("<?xml version='1.0' encoding='UTF-16'?><a>é</a>", "UTF-16LE"));
    assert_eq!(root(&marked, Some("UTF-8")), Ok("é".to_owned()));
    assert_eq!(root(&marked, None), Ok("é".to_owned()));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    assert_eq!(root(b"<a>\xFF</a>", None).unwrap_err(), "byte 3 of the text is not UTF-8 (line 1, column 4)");
    let error = root(b"\x0E\x41", Some("IBM-930")).unwrap_err();
    assert!(error.starts_with("the text is not in CCSID 930: "), "{error}");
    assert!(root(b"<\0a\0", None).unwrap_err().contains("byte order mark"));
}

#[test]
fn declarations_are_found_before_the_encoding_is_known() {
    let declared = |text: &str, charset| declared_charset(&encoded(text, charset));
    let text = "<?xml version='1.0' encoding=\"IBM037\" ?><a>é</a>";
    for charset in ["ISO-8859-1", "UTF-8", "IBM037", "IBM-500", "IBM-273", "IBM-1140"] {
        assert_eq!(declared(text, charset).as_deref(), Some("IBM037"), "{charset}");
    }
    assert_eq!(declared("<?xml version='1.0'?><a/>", "UTF-8"), None);
    assert_eq!(declared("<a/>", "IBM037"), None);
    assert_eq!(declared_charset(b"<?xml version='1.0' encoding='UTF-8'"), None);
    assert_eq!(declared_charset(b"<?xml encoding='\xFF'?>").as_deref(), Some("?"));
    assert_eq!(declared_charset(b""), None);
}
