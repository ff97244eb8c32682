//! The characters that XML 1.0 (fifth edition) allows: in text (section 2.2) and in names (section 2.3).

use std::borrow::Cow;

/// Properties of a whole text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// True if there are carriage returns, which readers of XML turn into line feeds.
    pub returns: bool,
    /// The first byte of a character that XML does not allow.
    pub forbidden: Option<usize>,
}

/// Checks a whole text, once and without branches: nearly all texts are clean.
#[must_use]
pub fn scan(text: &str) -> Scan {
    let (mut low, mut high, mut returns) = (false, 0, false);
    for byte in text.bytes() {
        low |= byte < 0x20 && byte != b'\t' && byte != b'\n' && byte != b'\r';
        returns |= byte == b'\r';
        high |= byte;
    }
    let suspect = low || (high >= 0xEF && text.contains(['\u{fffe}', '\u{ffff}']));
    let forbidden = suspect
        .then(|| text.char_indices().find(|(_, character)| !is_allowed(*character)).map(|(at, _)| at))
        .flatten();
    Scan { returns, forbidden }
}

/// True if the character may stand in a document at all.
#[must_use]
pub fn is_allowed(character: char) -> bool {
    !matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// White space in XML.
#[must_use]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The text without white space around it.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

/// The text without white space around it, and with one blank for each run of white space in it (`whiteSpace="collapse"`).
#[must_use]
pub fn collapse(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_other = |byte: &u8| is_space(*byte) && *byte != b' ';
    match bytes.windows(2).any(|pair| pair == b"  ") || bytes.iter().any(is_other) {
        true => {
            let words = text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty());
            Cow::Owned(words.collect::<Vec<_>>().join(" "))
        }
        false => Cow::Borrowed(text.trim_matches(' ')),
    }
}

/// True for a name without a colon.
#[must_use]
pub fn is_name(name: &str) -> bool {
    if name.is_ascii() {
        let is = |byte: &u8, kind: u8| ASCII[usize::from(*byte)] & kind != 0;
        let bytes = name.as_bytes();
        return bytes.first().is_some_and(|first| is(first, STARTS))
            && bytes.iter().all(|byte| is(byte, CONTINUES));
    }
    let mut characters = name.chars();
    characters.next().is_some_and(is_name_start) && characters.all(is_name_character)
}

/// What an ASCII character may do in a name: [`STARTS`] and [`CONTINUES`].
const ASCII: [u8; 128] = {
    let (mut table, mut at) = ([0; 128], 0);
    while at < 128 {
        let character = at as u8 as char;
        if is_name_start(character) {
            table[at] |= STARTS;
        }
        if is_name_character(character) {
            table[at] |= CONTINUES;
        }
        at += 1;
    }
    table
};
const STARTS: u8 = 1;
const CONTINUES: u8 = 2;

pub(crate) const fn is_name_start(character: char) -> bool {
    matches!(
        character,
        'A'..='Z' | 'a'..='z' | '_'
            | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}' | '\u{f8}'..='\u{2ff}'
            | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}'
            | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}'
            | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
            | '\u{10000}'..='\u{effff}'
    )
}

/// True if a character may stand in a name, though perhaps not at its start.
#[must_use]
pub const fn is_name_character(character: char) -> bool {
    is_name_start(character)
        || matches!(
            character,
            '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}'
        )
}

#[cfg(test)]
mod tests {
    use super::{Scan, collapse, is_name, scan};

    #[test]
    fn white_space_collapses() {
        for (text, expected) in
            [("", ""), (" \n\t", ""), ("a b", "a b"), (" a ", "a"), ("\r\n a  b\tc\u{a0} ", "a b c\u{a0}")]
        {
            assert_eq!(collapse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn forbidden_characters_are_found_wherever_they_stand() {
        let clean = Scan::default();
        assert_eq!(scan(""), clean);
        assert_eq!(scan("a\tb\nc é \u{fffd} \u{10ffff}"), clean);
        assert_eq!(scan("a\r"), Scan { returns: true, ..clean });
        for (text, at) in [("\0", 0), ("ab\u{1f}", 2), ("é\u{b}", 2), ("a\u{fffe}", 1), ("\u{ffff}b", 0)] {
            assert_eq!(scan(text), Scan { forbidden: Some(at), ..clean }, "{text:?}");
        }
    }

    #[test]
    fn names_start_with_a_letter_or_an_underscore() {
        for name in ["a", "_", "A-1.b", "été", "_1"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "1", "-a", ".a", "a:b", "a b", "a#", "\u{b7}"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
