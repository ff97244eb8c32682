//! A converter does what decoding and encoding do, for every pair of encodings.

use codepage::{CodePage, Converter, Encoding, Error, ErrorKind, Unmappable};
use proptest::prelude::*;

fn converter(from: u16, to: u16) -> Converter {
    let encoding = |ccsid| Encoding::by_ccsid(ccsid).unwrap_or_else(|| panic!("no CCSID {ccsid}"));
    Converter::new(encoding(from), encoding(to))
}

/// The same without kernels.
fn portable(converter: &Converter) -> Converter {
    Converter::portable(converter.from(), converter.to())
}

/// The expected result of the converter.
fn through_text(
    converter: &Converter,
    bytes: &[u8],
    unmappable: Unmappable,
) -> Result<(usize, Vec<u8>), Error> {
    let (mut text, mut out) = (String::new(), Vec::new());
    let undecoded = converter.from().decode(bytes, unmappable, &mut text)?;
    let unencoded = converter.to().encode(&text, unmappable, &mut out)?;
    Ok((undecoded + unencoded, out))
}

fn convert(converter: &Converter, bytes: &[u8], unmappable: Unmappable) -> Result<(usize, Vec<u8>), Error> {
    let mut out = b"kept".to_vec();
    let result = converter.convert(bytes, unmappable, &mut out);
    assert!(out.starts_with(b"kept"));
    assert!(result.is_ok() || out.len() == 4, "a failed conversion leaves nothing");
    result.map(|replaced| (replaced, out.split_off(4)))
}

#[test]
fn every_byte_of_every_pair_of_pages() {
    let pages = CodePage::all();
    let every_byte: Vec<u8> = (0..=255).collect();
    for from in pages {
        for to in pages.iter().step_by(7) {
            let converter = Converter::new(from.into(), to.into());
            let expected: Vec<Option<u8>> = from
                .to_unicode()
                .iter()
                .map(|unit| to.encode_char(char::from_u32((*unit).into()).filter(|one| *one != '\u{FFFD}')?))
                .collect();
            let known: Vec<u8> =
                every_byte.iter().copied().filter(|byte| expected[usize::from(*byte)].is_some()).collect();
            let all = convert(&converter, &known, Unmappable::Error);
            assert_eq!(all.map(|(_, bytes)| bytes), Ok(expected.iter().copied().flatten().collect()));
            for byte in every_byte.iter().filter(|byte| expected[usize::from(**byte)].is_none()) {
                assert!(convert(&converter, &[*byte], Unmappable::Error).is_err());
            }
        }
    }
}

#[test]
fn errors_have_the_place() {
    // 037 has no euro sign, 290 no 57.
    let bytes = [vec![b'A'; 5000], vec![0x80, b'A']].concat();
    let error = convert(&converter(1252, 37), &bytes, Unmappable::Error);
    assert_eq!(error, Err(Error { ccsid: 37, at: 5000, kind: ErrorKind::UnknownCharacter('€') }));
    let error = convert(&converter(290, 1208), b"\xC1\x57", Unmappable::Error);
    assert_eq!(error, Err(Error { ccsid: 290, at: 1, kind: ErrorKind::UnknownByte(0x57) }));
    let replaced = convert(&converter(1252, 37), b"\x80A", Unmappable::Substitute);
    assert_eq!(replaced, Ok((1, b"\x3F\xC1".to_vec())));
}

fn any_pair() -> impl Strategy<Value = (u16, u16)> {
    const CCSIDS: &[u16] = &[37, 437, 420, 1252, 838, 290, 1208, 1200, 1202, 930, 1399, 1364, 300];
    (prop::sample::select(CCSIDS), prop::sample::select(CCSIDS))
}

/// Texts that some pairs have, with long runs of ASCII.
fn any_text() -> impl Strategy<Value = String> {
    "([ -~]{0,90}|[ -~]|[À-ÿ]{1,3}|[Α-ω]|€|[一-龥ぁ-ヿ]|😀|\u{0}|\u{85}){0,30}"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_text_is_converted_as_through_text((from, to) in any_pair(), text in any_text(), known in any::<bool>()) {
        let converter = converter(from, to);
        let has = |encoding: Encoding, one: char| {
            encoding.encode(&one.to_string(), Unmappable::Error, &mut Vec::new()).is_ok()
        };
        let is_wanted = |one: &char| has(converter.from(), *one) && (!known || has(converter.to(), *one));
        let text: String = text.chars().filter(is_wanted).collect();
        let mut bytes = Vec::new();
        converter.from().encode(&text, Unmappable::Error, &mut bytes).unwrap();
        for unmappable in [Unmappable::Error, Unmappable::Substitute] {
            let expected = through_text(&converter, &bytes, unmappable);
            prop_assert_eq!(convert(&converter, &bytes, unmappable), expected.clone());
            prop_assert_eq!(convert(&portable(&converter), &bytes, unmappable), expected.clone());
            prop_assert!(!known || expected.is_ok());
        }
    }

    #[test]
    fn any_bytes_are_converted_as_through_text(
        (from, to) in any_pair(),
        text in any_text(),
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let converter = converter(from, to);
        let mut bytes = Vec::new();
        converter.from().encode(&text, Unmappable::Substitute, &mut bytes).unwrap();
        for (place, byte) in noise {
            if !bytes.is_empty() {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
        }
        for unmappable in [Unmappable::Error, Unmappable::Substitute] {
            let expected = through_text(&converter, &bytes, unmappable);
            prop_assert_eq!(convert(&converter, &bytes, unmappable), expected.clone());
            prop_assert_eq!(convert(&portable(&converter), &bytes, unmappable), expected);
        }
    }
}
