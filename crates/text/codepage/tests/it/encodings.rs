//! Known bytes of the encodings that are not single-byte, the round trip of every double-byte code, fields of
//! fixed length, and what the errors say.

use codepage::{CodePage, Encoding, Error, ErrorKind, Form, Unmappable};
use proptest::prelude::*;

const MIXED: [u16; 12] = [930, 933, 935, 937, 939, 1364, 1371, 1388, 1390, 1399, 5026, 5035];
const DOUBLE: [u16; 9] = [300, 834, 835, 837, 4396, 4930, 4933, 9027, 16684];
const UNICODE: [u16; 3] = [1200, 1202, 1208];

fn encoding(ccsid: u16) -> Encoding {
    Encoding::by_ccsid(ccsid).unwrap_or_else(|| panic!("no CCSID {ccsid}"))
}

fn decode(ccsid: u16, bytes: &[u8]) -> Result<String, (usize, ErrorKind)> {
    let mut text = String::new();
    let result = encoding(ccsid).decode(bytes, Unmappable::Error, &mut text);
    result.map(|_| text).map_err(|error| (error.at, error.kind))
}

fn encode(ccsid: u16, text: &str) -> Result<Vec<u8>, (usize, ErrorKind)> {
    let mut bytes = Vec::new();
    let result = encoding(ccsid).encode(text, Unmappable::Error, &mut bytes);
    result.map(|_| bytes).map_err(|error| (error.at, error.kind))
}

fn field(ccsid: u16, text: &str, length: usize) -> Result<Vec<u8>, (usize, ErrorKind)> {
    let mut bytes = vec![0xEE];
    let result = encoding(ccsid).encode_field(text, length, Unmappable::Error, &mut bytes);
    assert!(result.is_ok() || bytes == [0xEE], "a failed field leaves nothing");
    result.map(|_| bytes.split_off(1)).map_err(|error| (error.at, error.kind))
}

/// The double-byte codes of a page with their texts, without those that are encoded otherwise.
fn double_byte_codes(ccsid: u16) -> Vec<([u8; 2], String)> {
    let codes = (0..=0xFFFFu16).map(u16::to_be_bytes);
    let known = codes.filter_map(|code| Some((code, decode(ccsid, &code).ok()?)));
    known.filter(|(code, text)| encode(ccsid, text).as_deref() == Ok(code)).collect()
}

#[test]
fn known_characters() {
    let vectors: &[(u16, &str, &[u8])] = &[
        (930, "Aカ漢字B", b"\xC1\x0E\x43\x86\x4F\x58\x48\xF2\x0F\xC2"),
        (930, "ｱａ\u{3000}", b"\x81\x0E\x42\x81\x40\x40\x0F"),
        (939, "aｱ", b"\x81\x59"),
        (1208, "é€𝄞", "é€𝄞".as_bytes()),
        (1200, "A€𝄞", b"\x00\x41\x20\xAC\xD8\x34\xDD\x1E"),
        (1202, "A€𝄞", b"\x41\x00\xAC\x20\x34\xD8\x1E\xDD"),
        (300, "漢字", b"\x4F\x58\x48\xF2"),
        (16684, "か\u{309A}か", b"\xEC\xB5\x44\x86"),
        (37, "A", b"\xC1"),
    ];
    for (ccsid, text, bytes) in vectors {
        assert_eq!(encode(*ccsid, text).as_deref(), Ok(*bytes), "CCSID {ccsid}");
        assert_eq!(decode(*ccsid, bytes).as_deref(), Ok(*text), "CCSID {ccsid}");
    }
}

#[test]
fn encodings_are_found_by_ccsid() {
    let mut ccsids: Vec<u16> = Encoding::all().map(|encoding| encoding.ccsid()).collect();
    assert_eq!(ccsids.len(), CodePage::all().len() + MIXED.len() + DOUBLE.len() + UNICODE.len());
    ccsids.sort_unstable();
    ccsids.dedup();
    assert_eq!(ccsids.len(), Encoding::all().count(), "each has its own");
    for ccsid in ccsids {
        let form = match ccsid {
            1200 | 1202 => Form::Utf16,
            1208 => Form::Utf8,
            _ if MIXED.contains(&ccsid) => Form::Mixed,
            _ if DOUBLE.contains(&ccsid) => Form::DoubleByte,
            _ => Form::SingleByte,
        };
        assert_eq!(encoding(ccsid).form(), form);
        assert_eq!(encoding(ccsid).code_page().is_some(), form == Form::SingleByte);
    }
    assert!(Encoding::by_ccsid(65535).is_none());
}

#[test]
fn every_double_byte_code_makes_the_round_trip() {
    let counts = DOUBLE.map(|ccsid| {
        let codes = (0..=0xFFFFu16).map(u16::to_be_bytes).filter(|code| decode(ccsid, code).is_ok());
        (ccsid, codes.count(), double_byte_codes(ccsid).len())
    });
    // 189 radicals of the Chinese pages are one-way; all else comes back.
    let expected = [
        (300, 11635, 11635),
        (834, 10757, 10757),
        (835, 20264, 20075),
        (837, 9356, 9356),
        (4396, 11635, 11635),
        (4930, 19551, 19551),
        (4933, 32667, 32667),
        (9027, 20265, 20076),
        (16684, 22102, 22102),
    ];
    assert_eq!(counts, expected);
}

#[test]
fn mixed_pages_are_their_parts() {
    let parts = [300, 834, 837, 835, 300, 4930, 9027, 4933, 16684, 16684, 300, 300];
    for (ccsid, part) in MIXED.into_iter().zip(parts) {
        let mut euros = 0;
        for (code, text) in double_byte_codes(part) {
            let bytes = [&[0x0E], code.as_slice(), &[0x0F]].concat();
            assert_eq!(decode(ccsid, &bytes).as_ref(), Ok(&text));
            match encode(ccsid, &text) {
                Ok(encoded) if encoded == bytes => {}
                // 1371, 1390 and 1399 have the euro sign as a single byte too, and prefer it.
                Ok(encoded) => {
                    let euro = if ccsid == 1371 { 0x9F } else { 0xE1 };
                    assert_eq!((text.as_str(), encoded), ("€", vec![euro]), "CCSID {ccsid}");
                    euros += 1;
                }
                Err(error) => panic!("CCSID {ccsid} {text:?}: {error:?}"),
            }
        }
        assert_eq!(euros, u32::from(matches!(ccsid, 1371 | 1390 | 1399)), "CCSID {ccsid}");
        for byte in (0..=0xFFu8).filter(|byte| !matches!(byte, 0x0E | 0x0F)) {
            match decode(ccsid, &[byte]) {
                Ok(text) => assert_eq!(encode(ccsid, &text), Ok(vec![byte])),
                Err(error) => assert_eq!(error, (0, ErrorKind::UnknownByte(byte))),
            }
        }
    }
}

#[test]
fn shifts_must_match() {
    assert_eq!(decode(930, b"\x0E\x0F\xC1\x0E\x4F\x58\x0F\x0E\x48\xF2\x0F").as_deref(), Ok("A漢字"));
    assert_eq!(decode(930, b"\xC1\x0E\x4F\x58"), Err((1, ErrorKind::MissingShiftIn)));
    assert_eq!(decode(930, b"\x0E\x0F\x0E"), Err((2, ErrorKind::MissingShiftIn)));
    assert_eq!(decode(930, b"\xC1\x0F"), Err((1, ErrorKind::UnexpectedShiftIn)));
    assert_eq!(decode(930, b"\x0E\x4F\x58\x0E"), Err((3, ErrorKind::UnexpectedShiftOut)));
    assert_eq!(decode(930, b"\x0E\x4F\x58\x48\x0F"), Err((3, ErrorKind::Malformed)));
    assert_eq!(decode(930, b"\x0E\x4F\x58\x48"), Err((3, ErrorKind::Incomplete)));
    assert_eq!(decode(930, b"\x0E\x40\x41\x0F"), Err((1, ErrorKind::UnknownDoubleByte(0x4041))));
    // In a double-byte page without single bytes a shift is nothing.
    assert_eq!(decode(300, b"\x4F\x58\x0F"), Err((2, ErrorKind::Malformed)));
    assert_eq!(decode(300, b"\x4F\x58\x48"), Err((2, ErrorKind::Incomplete)));
    // The shifts are no characters.
    assert_eq!(encode(930, "A\u{E}"), Err((1, ErrorKind::UnknownCharacter('\u{E}'))));
}

#[test]
fn unicode_is_strict() {
    assert_eq!(decode(1208, b"A\xC0\x80"), Err((1, ErrorKind::Malformed)));
    assert_eq!(decode(1208, b"AB\xED\xA0\x80"), Err((2, ErrorKind::Malformed)));
    assert_eq!(decode(1208, b"A\xE2\x82"), Err((1, ErrorKind::Incomplete)));
    assert_eq!(decode(1200, b"\0A\xDC\x00\0A"), Err((2, ErrorKind::UnpairedSurrogate(0xDC00))));
    assert_eq!(decode(1200, b"\0A\xD8\x00\0A"), Err((2, ErrorKind::UnpairedSurrogate(0xD800))));
    assert_eq!(decode(1202, b"A\0\x00\xD8"), Err((2, ErrorKind::Incomplete)));
    assert_eq!(decode(1200, b"\0A\0"), Err((2, ErrorKind::Incomplete)));
    assert_eq!(decode(1200, b"\xFE\xFF\0A").as_deref(), Ok("\u{FEFF}A"));
}

#[test]
fn replacement_is_by_request_and_counted() {
    let replaced = |ccsid, text| {
        let mut bytes = Vec::new();
        let count = encoding(ccsid).encode(text, Unmappable::Substitute, &mut bytes);
        (count.expect("unknown characters are replaced"), bytes)
    };
    assert_eq!(replaced(930, "A😀éB"), (2, b"\xC1\x0E\xFE\xFE\x0F\x3F\xC2".to_vec()));
    assert_eq!(replaced(300, "漢A"), (1, b"\x4F\x58\xFE\xFE".to_vec()));
    assert_eq!(replaced(37, "A€"), (1, b"\xC1\x3F".to_vec()));

    let mut text = String::new();
    let bytes = b"\x0E\xFE\xFE\x4F\x58\x0F\x70\x71\x9F";
    assert_eq!(encoding(933).decode(bytes, Unmappable::Substitute, &mut text).map(|_| ()), Ok(()));
    assert!(text.starts_with('\u{FFFD}'), "{text:?}");
    // Malformed bytes are an error in any case.
    let error = encoding(930).decode(b"\xC1\x0E\x00\x00\x0F", Unmappable::Substitute, &mut text);
    assert_eq!(error, Err(Error { ccsid: 930, at: 2, kind: ErrorKind::Malformed }));
}

#[test]
fn fields_are_padded_and_never_cut() {
    assert_eq!(field(930, "A漢", 7), Ok(b"\xC1\x0E\x4F\x58\x0F\x40\x40".to_vec()));
    assert_eq!(field(930, "A漢", 5), Ok(b"\xC1\x0E\x4F\x58\x0F".to_vec()));
    assert_eq!(field(930, "A漢", 4), Err((1, ErrorKind::TooLong { bytes: 5, limit: 4 })));
    assert_eq!(field(930, "AB漢字", 7), Err((3, ErrorKind::TooLong { bytes: 8, limit: 7 })));
    assert_eq!(field(930, "", 2), Ok(b"\x40\x40".to_vec()));
    assert_eq!(field(300, "漢", 6), Ok(b"\x4F\x58\x40\x40\x40\x40".to_vec()));
    assert_eq!(field(300, "漢", 5), Err((0, ErrorKind::PartialLength(5))));
    assert_eq!(field(1200, "A", 6), Ok(b"\0A\0 \0 ".to_vec()));
    assert_eq!(field(1208, "é", 3), Ok("é ".as_bytes().to_vec()));
    assert_eq!(field(1208, "éé", 3), Err((1, ErrorKind::TooLong { bytes: 4, limit: 3 })));
    assert_eq!(field(37, "A€", 4), Err((1, ErrorKind::UnknownCharacter('€'))));
    assert_eq!(field(437, "A", 3), Ok(b"A  ".to_vec()));

    let mut text = String::from("  ");
    let bytes = b"\xC1\x0E\x40\x40\x0F\x40\x40";
    assert_eq!(encoding(930).decode_field(bytes, Unmappable::Error, &mut text), Ok(0));
    assert_eq!(text, "  A\u{3000}", "blanks between shifts are text, and so is what was there before");
    text.clear();
    let decoded = encoding(300).decode_field(b"\x4F\x58\x40\x40", Unmappable::Error, &mut text);
    assert_eq!((decoded, text.as_str()), (Ok(0), "漢"));
}

#[test]
fn errors_say_what_and_where() {
    let error = |kind| Error { ccsid: 930, at: 3, kind }.to_string();
    assert_eq!(
        error(ErrorKind::UnknownDoubleByte(0x4041)),
        "the double-byte code 4041 at offset 3 has no character in CCSID 930"
    );
    assert_eq!(
        error(ErrorKind::UnknownCharacter('é')),
        "the character 'é' (U+00E9) at index 3 has no code in CCSID 930"
    );
    assert_eq!(
        error(ErrorKind::TooLong { bytes: 8, limit: 7 }),
        "the text needs 8 bytes of 7, too many from index 3 on in CCSID 930"
    );
}

fn any_encoding() -> impl Strategy<Value = Encoding> {
    let ccsids: Vec<u16> = [MIXED.as_slice(), &DOUBLE, &UNICODE, &[37, 437, 420, 1252]].concat();
    prop::sample::select(ccsids).prop_map(encoding)
}

/// Texts in which the characters of all these encodings and of none of them follow each other.
fn any_text() -> impl Strategy<Value = String> {
    "([A-Za-z0-9 ]|[ぁ-ヿ\u{309A}]|[一-龥]|[가-힣]|[ｱ-ﾝ]|\u{3000}|[À-ÿ]|[\u{E000}-\u{E100}]|😀|\u{20089}){0,40}"
}

/// Bytes in which shifts are frequent and mostly match.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let run = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..6),
        prop::collection::vec(0x40u8..0xFF, 0..10).prop_map(|bytes| [&[0x0E], &bytes[..], &[0x0F]].concat()),
        prop::collection::vec([0x42u8..0x60, 0x41u8..0xFE], 0..10).prop_map(|codes| [
            &[0x0E],
            codes.concat().as_slice(),
            &[0x0F]
        ]
        .concat()),
    ];
    prop::collection::vec(run, 0..8).prop_map(|runs| runs.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn text_of_the_repertoire_makes_the_round_trip(encoding in any_encoding(), text in any_text()) {
        let text: String = text
            .chars()
            .filter(|one| encoding.encode(&one.to_string(), Unmappable::Error, &mut Vec::new()).is_ok())
            .collect();
        let (mut bytes, mut again) = (Vec::new(), String::new());
        prop_assert_eq!(encoding.encode(&text, Unmappable::Error, &mut bytes), Ok(0));
        prop_assert_eq!(encoding.decode(&bytes, Unmappable::Error, &mut again), Ok(0));
        prop_assert_eq!(&again, &text);

        let blank = encoding.blank().len();
        let (mut field, mut again) = (Vec::new(), String::new());
        let length = bytes.len() + 3 * blank;
        prop_assert_eq!(encoding.encode_field(&text, length, Unmappable::Error, &mut field), Ok(0));
        prop_assert_eq!(field.len(), length);
        prop_assert_eq!(encoding.decode_field(&field, Unmappable::Error, &mut again), Ok(0));
        let pad = if encoding.form() == Form::DoubleByte { '\u{3000}' } else { ' ' };
        prop_assert_eq!(again, text.trim_end_matches(pad));
    }

    /// The error is where it says: what is before it converts, and with it it does not.
    #[test]
    fn errors_of_decoding_have_the_right_offset(encoding in any_encoding(), bytes in any_bytes()) {
        let mut text = String::new();
        let Err(error) = encoding.decode(&bytes, Unmappable::Error, &mut text) else {
            let mut again = Vec::new();
            prop_assert_eq!(encoding.encode(&text, Unmappable::Error, &mut again), Ok(0));
            return Ok(());
        };
        prop_assert!(error.at < bytes.len());
        let (mut prefix, mut before) = (bytes[..error.at].to_vec(), String::new());
        let shift_out = prefix.iter().rposition(|byte| *byte == 0x0E);
        let shift_in = prefix.iter().rposition(|byte| *byte == 0x0F);
        if encoding.form() == Form::Mixed && shift_out > shift_in {
            prefix.push(0x0F);
        }
        prop_assert_eq!(encoding.decode(&prefix, Unmappable::Error, &mut before), Ok(0));
        if error.kind != ErrorKind::MissingShiftIn {
            prop_assert_eq!(before, text);
        }
    }

    #[test]
    fn errors_of_encoding_have_the_right_index(encoding in any_encoding(), text in any_text(), length in 0usize..40) {
        let mut bytes = Vec::new();
        let result = encoding.encode(&text, Unmappable::Error, &mut bytes);
        let count = text.chars().count();
        let known = result.err().map_or(count, |error| error.at);
        let before: String = text.chars().take(known).collect();
        prop_assert_eq!(encoding.encode(&before, Unmappable::Error, &mut Vec::new()), Ok(0));
        if let Some(character) = text.chars().nth(known) {
            prop_assert_eq!(result.err().map(|error| error.kind), Some(ErrorKind::UnknownCharacter(character)));
        }

        let length = length * encoding.blank().len();
        let field = |text: &str| encoding.encode_field(text, length, Unmappable::Substitute, &mut Vec::new());
        if let Err(error) = field(&text) {
            let fitting: String = text.chars().take(error.at).collect();
            let one_more: String = text.chars().take(error.at + 1).collect();
            prop_assert!(field(&fitting).is_ok());
            prop_assert!(field(&one_more).is_err());
        }
    }
}
