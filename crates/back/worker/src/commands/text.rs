//! Text of containers from one code page to another.

use codepage::{Encoding, Form, Unmappable};

/// Text in another code page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Converted {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// False if some characters are in only one of the two pages: they became blanks.
    pub(super) whole: bool,
}

/// Why text cannot be converted at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unconvertible {
    /// One of the code pages is not known.
    Page,
    /// The bytes are not text of the code page: invalid UTF-8, or a shift without its other half.
    Malformed,
}

/// The text in another code page. A character that does not exist there becomes a blank, as in CICS ("GET
/// CONTAINER (CHANNEL)", CCSIDERR 4). So does a byte that is not a character.
pub(super) fn convert(bytes: Vec<u8>, from: u16, to: u16) -> Result<Converted, Unconvertible> {
    if from == to {
        return Ok(Converted { bytes, whole: true });
    }
    let known = |ccsid| Encoding::by_ccsid(ccsid).ok_or(Unconvertible::Page);
    let (from, to) = (known(from)?, known(to)?);
    let mut converted = Vec::with_capacity(bytes.len());
    match codepage::Converter::new(from, to).convert(&bytes, Unmappable::Error, &mut converted) {
        Ok(_) => Ok(Converted { bytes: converted, whole: true }),
        Err(_) => with_blanks(&bytes, from, to).ok_or(Unconvertible::Malformed),
    }
}

/// The same, character by character, with blanks for characters that do not exist there. None if the bytes
/// are not text.
#[cold]
fn with_blanks(bytes: &[u8], from: Encoding, to: Encoding) -> Option<Converted> {
    let mut text = String::with_capacity(bytes.len());
    from.decode(bytes, Unmappable::Substitute, &mut text).ok()?;
    let is_unicode = matches!(from.form(), Form::Utf8 | Form::Utf16);
    let mut scratch = Vec::new();
    let mut fits = |character: char| {
        scratch.clear();
        // Only Unicode has this character; from other pages it stands for a byte without one.
        (is_unicode || character != '\u{fffd}')
            && to.encode(character.encode_utf8(&mut [0; 4]), Unmappable::Error, &mut scratch).is_ok()
    };
    // Pages without Latin blanks, for PIC G, have the wide one.
    let blank = if fits(' ') { ' ' } else { '\u{3000}' };
    let text: String = text.chars().map(|known| if fits(known) { known } else { blank }).collect();
    let mut converted = Vec::with_capacity(bytes.len());
    to.encode(&text, Unmappable::Substitute, &mut converted).ok()?;
    Some(Converted { bytes: converted, whole: false })
}

/// The CCSID of a code page by its name, as a program gives it in a field: blanks and low values behind it do
/// not count. None if the page is not known.
pub(super) fn ccsid(name: &str) -> Option<u16> {
    Encoding::by_charset(name.trim_end_matches([' ', '\0'])).map(|encoding| encoding.ccsid())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(bytes: &[u8], from: u16, to: u16) -> Vec<u8> {
        let converted = convert(bytes.to_vec(), from, to).expect("text");
        assert!(converted.whole, "{from} to {to}");
        converted.bytes
    }

    #[test]
    fn text_goes_between_code_pages() {
        assert_eq!(whole(b"AB", 819, 37), [0xC1, 0xC2]);
        assert_eq!(whole(&[0xC1], 37, 1208), b"A");
        assert_eq!(convert(vec![1], 37, 7), Err(Unconvertible::Page));
        assert_eq!(convert(vec![0xFF], 1208, 37), Err(Unconvertible::Malformed));
        assert_eq!(convert(vec![0x0E, 0x42, 0x42], 930, 1208), Err(Unconvertible::Malformed));
    }

    #[test]
    fn what_a_page_lacks_becomes_a_blank() {
        for (text, from, to, expected) in [
            ("a\u{20ac}b".as_bytes(), 1208, 819, &b"a b"[..]),
            ("\u{3042}x".as_bytes(), 1208, 37, &[0x40, 0xA7]),
            // A page of double bytes alone has the wide blank.
            ("\u{e9}".as_bytes(), 1208, 300, &[0x40, 0x40]),
            // A code that the mixed page leaves free.
            (&[0x0E, 0x41, 0x40, 0x0F], 930, 1208, b" "),
        ] {
            let converted = convert(text.to_vec(), from, to).expect("text");
            assert_eq!((&*converted.bytes, converted.whole), (expected, false), "{from} to {to}");
        }
    }

    #[test]
    fn code_pages_have_names() {
        for (name, expected) in [
            ("utf-8   ", Some(1208)),
            ("IBM-1047\0\0", Some(1047)),
            ("windows-1252", Some(1252)),
            ("037", Some(37)),
            ("LATIN", None),
            ("", None),
        ] {
            assert_eq!(ccsid(name), expected, "{name}");
        }
    }

    /// Any two encodings.
    fn pair() -> impl Strategy<Value = (Encoding, Encoding)> {
        let all: Vec<Encoding> = Encoding::all().collect();
        (0..all.len(), 0..all.len()).prop_map(move |(from, to)| (all[from], all[to]))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// Of text that both pages have nothing is lost: it comes back as the same characters.
        #[test]
        fn what_both_pages_have_comes_back((from, to) in pair(), text in "[ -~\u{a0}-\u{17f}\u{391}-\u{44f}\u{3041}-\u{30ff}\u{4e00}-\u{4eff}]{0,40}") {
            let has = |encoding: Encoding, known: char| {
                encoding.encode(known.encode_utf8(&mut [0; 4]), Unmappable::Error, &mut Vec::new()).is_ok()
            };
            let text: String = text.chars().filter(|known| has(from, *known) && has(to, *known)).collect();
            let mut bytes = Vec::new();
            from.encode(&text, Unmappable::Error, &mut bytes).expect("the page has them");
            let there = convert(bytes.clone(), from.ccsid(), to.ccsid()).expect("text");
            prop_assert!(there.whole);
            let mut shown = String::new();
            to.decode(&there.bytes, Unmappable::Error, &mut shown).expect("text");
            prop_assert_eq!(&shown, &text);
            let back = convert(there.bytes, to.ccsid(), from.ccsid()).expect("text");
            prop_assert!(back.whole);
            prop_assert_eq!(back.bytes, bytes);
        }

        /// Any bytes become text of the page, or an error.
        #[test]
        fn any_bytes_become_text_or_nothing((from, to) in pair(), bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(converted) = convert(bytes, from.ccsid(), to.ccsid())
                && from.ccsid() != to.ccsid()
            {
                let mut shown = String::new();
                prop_assert!(to.decode(&converted.bytes, Unmappable::Error, &mut shown).is_ok());
            }
        }
    }
}
