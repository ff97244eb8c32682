//! Guesses the family of code pages of the text in some bytes. It is for hints to people, never for actions.

use crate::Family;

/// Fewer bytes of text than this show nothing.
const TEXT_BYTES_LEAST: usize = 16;

impl Family {
    /// The family that the letters, digits and blanks in these bytes clearly belong to; none if it is not
    /// clear. Binary numbers among them do not count for either.
    #[must_use]
    pub fn seen_in(bytes: &[u8]) -> Option<Family> {
        let is_ebcdic = |byte: &u8| matches!(byte, 0x40 | 0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 | 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9 | 0xF0..=0xF9);
        let is_ascii = |byte: &u8| matches!(byte, b' ' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z');
        let count = |is: &dyn Fn(&u8) -> bool| bytes.iter().filter(|byte| is(byte)).count();
        let (ebcdic, ascii) = (count(&is_ebcdic), count(&is_ascii));
        let clearly = |one: usize, other: usize| one >= TEXT_BYTES_LEAST && one > 4 * other;
        // In pages such as 1251, letters beyond Latin have the bytes of EBCDIC letters, but their blanks are
        // those of ASCII.
        let has_blanks = || count(&|byte| *byte == 0x40) >= count(&|byte| *byte == b' ');
        match () {
            () if clearly(ascii, ebcdic) => Some(Family::Ascii),
            () if clearly(ebcdic, ascii) && has_blanks() => Some(Family::Ebcdic),
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Encoding, Unmappable};

    fn seen(text: &str, ccsid: u16) -> Option<Family> {
        let mut bytes = Vec::new();
        let page = Encoding::by_ccsid(ccsid).expect("a page");
        page.encode(text, Unmappable::Error, &mut bytes).expect("its characters");
        Family::seen_in(&bytes)
    }

    #[test]
    fn text_tells_its_family_and_little_text_tells_nothing() {
        let text = "A001 Miller      0000125000";
        assert_eq!((seen(text, 37), seen(text, 819)), (Some(Family::Ebcdic), Some(Family::Ascii)));
        assert_eq!((seen("A001 Miller", 37), seen("A001 Miller", 819)), (None, None));
    }

    #[test]
    fn letters_beyond_latin_and_binary_numbers_are_not_taken_for_ebcdic() {
        for ccsid in [1251, 866, 915, 1208] {
            assert_ne!(
                seen("съешь же ещё этих мягких французских булок", ccsid),
                Some(Family::Ebcdic),
                "{ccsid}"
            );
        }
        let numbers: Vec<u8> = (0..=255).cycle().take(2_048).collect();
        assert_eq!(Family::seen_in(&numbers), None);
        assert_eq!(Family::seen_in(&[0; 100]), None);
    }
}
