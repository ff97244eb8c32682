//! Every mixed page against glibc's `iconv`, in both directions: they must agree on every byte and double byte
//! that is not listed in [`DIFFERENCES`], and differ on every one that is. Checked with glibc 2.36.

use crate::iconv::run;
use codepage::{Encoding, Unmappable};
use std::ops::RangeInclusive;

/// The mixed pages glibc has. It does not have 5026 and 5035, which are the tables of 930 and 939 here.
const PAGES: [u16; 10] = [930, 933, 935, 937, 939, 1364, 1371, 1388, 1390, 1399];

/// What iconv makes of a code that we decode otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Theirs {
    /// No character.
    Nothing,
    /// A character of the private use area.
    PrivateUse,
    /// U+001A, the substitution character, where we have none.
    Substitute,
}

/// Pages, codes, what iconv has there, and the reason.
type Difference = (&'static [u16], &'static [RangeInclusive<u16>], Theirs, &'static str);

const DIFFERENCES: &[Difference] = &[
    (
        &[1388],
        &[
            0x465C..=0x465C,
            0xCE57..=0xCE59,
            0xCE5F..=0xCE5F,
            0xCE67..=0xCE67,
            0xCE6C..=0xCE6D,
            0xCE72..=0xCE73,
            0xCE7C..=0xCE7C,
            0xCE85..=0xCE85,
            0xCE96..=0xCE97,
            0xCEA6..=0xCEA6,
            0xFC90..=0xFC99,
        ],
        Theirs::PrivateUse,
        "ICU 76 has the characters of GB 18030-2022, which were in private use before",
    ),
    (
        &[1388],
        &[0xCC90..=0xCC92, 0xCCC3..=0xCCFD, 0xF041..=0xF083, 0xF541..=0xF55C, 0xF791..=0xF7FD],
        Theirs::Nothing,
        "added for GB 18030-2022 in ICU 76",
    ),
    (
        &[1390],
        &[0x57..=0x57, 0x59..=0x59, 0x6A..=0x6A, 0x9C..=0x9C],
        Theirs::Substitute,
        "iconv replaces unassigned single bytes silently, in these two pages only",
    ),
    (
        &[1399],
        &[0x41..=0x41, 0x6A..=0x6A, 0x80..=0x80, 0x90..=0x90],
        Theirs::Substitute,
        "iconv replaces unassigned single bytes silently, in these two pages only",
    ),
    (
        &[1390, 1399],
        &[0xCA..=0xCF, 0xDA..=0xDF, 0xEA..=0xEF, 0xFA..=0xFE],
        Theirs::Substitute,
        "iconv replaces unassigned single bytes silently, in these two pages only",
    ),
];

/// Pages, characters, our bytes and iconv's, which iconv itself decodes to another character: it takes the yen
/// sign's byte (in 1371 the dollar's) for the backslash, and the overline's for the tilde.
const ENCODED_OTHERWISE: [(u16, &str, &[u8], &[u8]); 5] = [
    (930, "~", b"\xA0", b"\xA1"),
    (930, "\\", b"\xB2", b"\x5B"),
    (939, "~", b"\xA1", b"\xA0"),
    (939, "\\", b"\xE0", b"\xB2"),
    (1371, "\\", b"\xE0", b"\x5B"),
];

#[test]
fn iconv_decodes_every_code_to_the_same_characters() {
    for ccsid in PAGES {
        let encoding = Encoding::by_ccsid(ccsid).expect("a known CCSID");
        let codes = codes();
        let input: Vec<u8> = codes.iter().flat_map(|code| [written(*code), vec![0x40]].concat()).collect();
        let output = run(&["-c", "-f", &format!("IBM{ccsid}"), "-t", "UTF-16BE"], &input);
        let theirs = texts(&output);
        assert_eq!(theirs.len(), codes.len(), "CCSID {ccsid}");
        let mut unexpected = Vec::new();
        for (code, theirs) in codes.into_iter().zip(theirs) {
            let mut ours = String::new();
            let is_known = encoding.decode(&written(code), Unmappable::Error, &mut ours).is_ok();
            assert!(is_known != ours.is_empty());
            if !is_as_expected(ccsid, code, &ours, &theirs) {
                unexpected.push(format!("{code:04X}:{ours:?}/{theirs:?}"));
            }
        }
        assert_eq!(unexpected, [""; 0], "CCSID {ccsid}: ours and iconv's");
    }
}

/// Whether the two agree, or differ as the list says.
fn is_as_expected(ccsid: u16, code: u16, ours: &str, theirs: &str) -> bool {
    match difference(ccsid, code) {
        None => ours == theirs,
        // The ranges have gaps, of codes that neither has.
        Some(Theirs::Nothing) => theirs.is_empty(),
        Some(Theirs::PrivateUse) => {
            !ours.is_empty() && theirs.chars().all(|theirs| matches!(theirs, '\u{E000}'..='\u{F8FF}'))
        }
        Some(Theirs::Substitute) => ours.is_empty() && theirs == "\u{1A}",
    }
}

/// Encoding is compared for the characters that both decode alike; what is in [`ENCODED_OTHERWISE`] must
/// differ.
#[test]
fn iconv_encodes_every_character_to_the_same_code() {
    let mut differing = Vec::new();
    for ccsid in PAGES {
        let encoding = Encoding::by_ccsid(ccsid).expect("a known CCSID");
        let (mut text, mut ours) = (String::new(), Vec::new());
        for code in codes().into_iter().filter(|code| difference(ccsid, *code).is_none()) {
            // The codes without a character are left out.
            let start = text.len();
            if encoding.decode(&written(code), Unmappable::Error, &mut text).is_ok() {
                let mut bytes = Vec::new();
                encoding.encode(&text[start..], Unmappable::Error, &mut bytes).expect("it is decoded");
                ours.push((text[start..].to_string(), bytes));
                text.push(' ');
            }
        }
        let theirs = run(&["-c", "-f", "UTF-8", "-t", &format!("IBM{ccsid}")], text.as_bytes());
        let theirs = split_at_blanks(&theirs);
        assert_eq!(theirs.len(), ours.len(), "CCSID {ccsid}");
        for ((text, ours), theirs) in ours.iter().zip(theirs) {
            if ours != theirs {
                differing.push((ccsid, text.clone(), ours.clone(), theirs.to_vec()));
            }
        }
    }
    let expected = ENCODED_OTHERWISE
        .map(|(ccsid, text, ours, theirs)| (ccsid, text.to_string(), ours.to_vec(), theirs.to_vec()));
    assert_eq!(differing, expected);
}

/// The bytes before each blank in the single-byte state.
fn split_at_blanks(bytes: &[u8]) -> Vec<&[u8]> {
    let mut shifted = false;
    let mut tokens: Vec<&[u8]> = bytes
        .split(|byte| {
            shifted = (shifted || *byte == 0x0E) && *byte != 0x0F;
            *byte == 0x40 && !shifted
        })
        .collect();
    assert_eq!(tokens.pop(), Some([].as_slice()), "it ends with a blank");
    tokens
}

/// The listed difference of a code.
fn difference(ccsid: u16, code: u16) -> Option<Theirs> {
    let is_listed = |(pages, codes, ..): &&Difference| {
        pages.contains(&ccsid) && codes.iter().any(|codes| codes.contains(&code))
    };
    DIFFERENCES.iter().find(is_listed).map(|(_, _, theirs, _)| *theirs)
}

/// All single bytes but the shifts and the blank, which separates, and all well-formed double bytes.
fn codes() -> Vec<u16> {
    let single = (0..=0xFF).filter(|byte| !matches!(byte, 0x0E | 0x0F | 0x40));
    let is_code = |code: &u16| code.to_be_bytes().iter().all(|byte| (0x40..=0xFE).contains(byte));
    single.chain((0x4040..=0xFEFE).filter(is_code)).collect()
}

/// The code with the shifts it needs.
fn written(code: u16) -> Vec<u8> {
    match code.to_be_bytes() {
        [0, byte] => vec![byte],
        [lead, trail] => vec![0x0E, lead, trail, 0x0F],
    }
}

/// The texts before each blank.
fn texts(utf16: &[u8]) -> Vec<String> {
    let (units, _) = utf16.as_chunks::<2>();
    let units: Vec<u16> = units.iter().copied().map(u16::from_be_bytes).collect();
    let text = String::from_utf16(&units).expect("iconv writes UTF-16");
    text.split_terminator(' ').map(str::to_string).collect()
}
