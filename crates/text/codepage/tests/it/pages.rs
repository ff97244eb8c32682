//! Known bytes, the round trip of every byte of every page, and what the errors say.

use codepage::{CodePage, DecodeError, EncodeError, Family};
use proptest::prelude::*;

fn page(ccsid: u16) -> &'static CodePage {
    CodePage::by_ccsid(ccsid).unwrap_or_else(|| panic!("no CCSID {ccsid}"))
}

fn decode(ccsid: u16, bytes: &[u8]) -> Result<String, DecodeError> {
    let mut text = String::new();
    page(ccsid).decode(bytes, &mut text).map(|()| text)
}

fn encode(ccsid: u16, text: &str) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    page(ccsid).encode(text, &mut bytes).map(|()| bytes)
}

/// The bytes of a page that have a character and are encoded again as themselves.
fn round_trip_bytes(page: &CodePage) -> Vec<u8> {
    let defined = |byte: &u8| page.to_unicode()[usize::from(*byte)] != 0xFFFD;
    (0..=255).filter(defined).filter(|byte| !page.one_way().contains(byte)).collect()
}

#[test]
fn known_characters() {
    let vectors: &[(u16, &str, &[u8])] = &[
        (37, "A0{ }[]^!|\u{AC}\u{A2}", b"\xC1\xF0\xC0\x40\xD0\xBA\xBB\xB0\x5A\x4F\x5F\x4A"),
        (37, "\u{85}\n\r\0", b"\x15\x25\x0D\x00"),
        (273, "ÄÖÜäöüß@§", b"\x4A\xE0\x5A\xC0\x6A\xD0\xA1\xB5\x7C"),
        (500, "[]!|", b"\x4A\x5A\x4F\xBB"),
        (1047, "[]^{}", b"\xAD\xBD\x5F\xC0\xD0"),
        (1140, "A€", b"\xC1\x9F"),
        (1141, "Ä€", b"\x4A\x9F"),
        (1142, "Æ€", b"\x7B\x5A"),
        (1148, "€", b"\x9F"),
        (870, "Łł", b"\xBA\x9A"),
        (1025, "Яя", b"\xDD\xA0"),
        (1026, "ğİ", b"\xD0\x5B"),
        (437, "é█", b"\x82\xDB"),
        (858, "€", b"\xD5"),
        (819, "é\u{80}", b"\xE9\x80"),
        (923, "€", b"\xA4"),
        (1252, "€é", b"\x80\xE9"),
        (5348, "€", b"\x80"),
    ];
    for (ccsid, text, bytes) in vectors {
        assert_eq!(encode(*ccsid, text).as_deref(), Ok(*bytes), "CCSID {ccsid}");
        assert_eq!(decode(*ccsid, bytes).as_deref(), Ok(*text), "CCSID {ccsid}");
    }
}

#[test]
fn pages_are_listed_in_order_and_found() {
    let all = CodePage::all();
    assert!(all.is_sorted_by(|one, next| one.ccsid() < next.ccsid()));
    for page in all {
        assert!(std::ptr::eq(self::page(page.ccsid()), page));
    }
    assert!(CodePage::by_ccsid(1208).is_none());
}

#[test]
fn families_agree_on_digits_blank_and_substitute() {
    for page in CodePage::all() {
        let (zero, space, substitutes): (u8, u8, &[u8]) = match page.family() {
            Family::Ebcdic => (0xF0, 0x40, &[0x3F]),
            Family::Ascii => (0x30, 0x20, &[0x1A, 0x7F]),
        };
        for digit in 0..10 {
            assert_eq!(page.ascii_to_page()[usize::from(b'0' + digit)], zero + digit, "{page:?}");
        }
        assert_eq!(page.space(), space, "{page:?}");
        assert!(substitutes.contains(&page.substitute()), "{page:?}");
    }
}

#[test]
fn every_byte_of_every_page() {
    for page in CodePage::all() {
        let round_trip = round_trip_bytes(page);
        for byte in 0..=255 {
            let unit = page.to_unicode()[usize::from(byte)];
            let character = char::from_u32(unit.into()).expect("no page has surrogates");
            let mut text = String::new();
            let decoded = page.decode(&[byte], &mut text);
            if unit == 0xFFFD {
                assert_eq!(decoded, Err(DecodeError { ccsid: page.ccsid(), offset: 0, byte }));
                continue;
            }
            assert_eq!((decoded, text.as_str()), (Ok(()), character.to_string().as_str()));
            let encoded = page.encode_char(character);
            assert_eq!(encoded == Some(byte), round_trip.contains(&byte), "{} {byte:02X}", page.ccsid());
        }
    }
}

/// Every character that has a byte is the character of that byte: encoding never writes something else.
#[test]
fn every_character_of_every_page() {
    for page in CodePage::all() {
        let characters = (0..=0xFFFFu16).filter_map(|unit| char::from_u32(unit.into()));
        let encoded = characters.filter_map(|character| Some((character, page.encode_char(character)?)));
        let mut count = 0;
        for (character, byte) in encoded {
            assert_eq!(u32::from(page.to_unicode()[usize::from(byte)]), u32::from(character));
            count += 1;
        }
        assert_eq!(count, round_trip_bytes(page).len(), "CCSID {}", page.ccsid());
        assert_eq!(page.encode_char('\u{FFFD}'), None);
        assert_eq!(page.encode_char('\u{10041}'), None);
    }
}

#[test]
fn ascii_table_is_encode_char() {
    let mut lacking = Vec::new();
    for page in CodePage::all() {
        for (ascii, byte) in (0u8..).zip(page.ascii_to_page()) {
            let expected = page.encode_char(ascii.into());
            assert_eq!(expected.unwrap_or(0), *byte);
            assert!(expected.is_some() || !page.has_all_ascii());
        }
        if !page.has_all_ascii() {
            lacking.push(page.ccsid());
        }
    }
    assert_eq!(lacking, [420, 803, 1097, 4517, 4899, 16804]);
}

#[test]
fn only_these_pages_have_one_way_bytes() {
    let with_one_way = CodePage::all().iter().filter(|page| !page.one_way().is_empty());
    let with_one_way: Vec<u16> = with_one_way.map(CodePage::ccsid).collect();
    assert_eq!(with_one_way, [838, 874, 1051, 1133, 1160]);
    assert_eq!(decode(838, b"\xCA").as_deref(), Ok("\u{0E49}"));
    assert_eq!(encode(838, "\u{0E49}").as_deref(), Ok(b"\xEE".as_slice()));
}

#[test]
fn errors_name_the_place_and_keep_what_came_before() {
    let mut text = String::from("kept ");
    let mut bytes = [0xC1; 40];
    // Past the first run of ASCII characters: one that is not ASCII, then the byte without one.
    bytes[37] = 0xFF;
    bytes[38] = 0x57;
    let error = page(290).decode(&bytes, &mut text).expect_err("290 has no 57");
    assert_eq!(error, DecodeError { ccsid: 290, offset: 38, byte: 0x57 });
    assert_eq!(error.to_string(), "the byte 57 at offset 38 has no character in CCSID 290");
    assert_eq!(text, format!("kept {}\u{9F}", "A".repeat(37)));

    let mut bytes = vec![0xEE];
    let error = page(37).encode("é€A", &mut bytes).expect_err("037 has no euro");
    assert_eq!(error, EncodeError { ccsid: 37, index: 1, character: '€' });
    assert_eq!(error.to_string(), "the character '€' (U+20AC) at index 1 has no byte in CCSID 37");
    assert_eq!(bytes, [0xEE, 0x51]);
}

#[test]
fn fallbacks_are_refused() {
    // ICU's 037 would write a full-width A as A.
    assert_eq!(encode(37, "\u{FF21}"), Err(EncodeError { ccsid: 37, index: 0, character: '\u{FF21}' }));
    assert_eq!(encode(420, "a[").map_err(|error| error.index), Err(1));
}

proptest! {
    #[test]
    fn decoded_bytes_encode_to_themselves(
        which in 0..CodePage::all().len(),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..200),
    ) {
        let page = &CodePage::all()[which];
        let defined = round_trip_bytes(page);
        let bytes: Vec<u8> = choices.iter().map(|choice| *choice.get(&defined)).collect();
        let mut text = String::new();
        page.decode(&bytes, &mut text).unwrap();
        prop_assert_eq!(text.chars().count(), bytes.len());
        let mut again = Vec::new();
        page.encode(&text, &mut again).unwrap();
        prop_assert_eq!(again, bytes);
    }

    #[test]
    fn any_text_is_encoded_or_refused_at_its_first_unknown_character(
        which in 0..CodePage::all().len(),
        text in "[ -~À-ÿ€Α-ωА-яא-ת]{0,80}",
    ) {
        let page = &CodePage::all()[which];
        let known: Vec<u8> = text.chars().map_while(|character| page.encode_char(character)).collect();
        let mut bytes = Vec::new();
        let result = page.encode(&text, &mut bytes);
        prop_assert_eq!(&bytes, &known);
        let unknown = text.chars().nth(known.len());
        prop_assert_eq!(result.err().map(|error| (error.index, error.character)), unknown.map(|character| (known.len(), character)));
    }
}
