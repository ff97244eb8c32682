//! The tables from characters to bytes, derived from the tables of the other direction when compiling.

/// The value in a page's table for a byte without a character.
pub(crate) const UNDEFINED: u16 = 0xFFFD;

/// The bytes of the characters: `blocks[index[upper byte]][lower byte]`, with 00 for "none". This is
/// unambiguous, because 00 is U+0000 in every page. Block 0 is empty.
pub(crate) struct Reverse<const N: usize> {
    index: [u8; 256],
    blocks: [[u8; 256]; N],
}

/// A [`Reverse`] of any size.
#[derive(Debug)]
pub(crate) struct ReverseView {
    index: &'static [u8; 256],
    blocks: &'static [[u8; 256]],
    /// The bytes of U+0000 to U+00FF. U+0000 comes first in every page, so this is always block 1.
    pub(crate) latin1: &'static [u8; 256],
    pub(crate) ascii: &'static [u8; 128],
    pub(crate) has_all_ascii: bool,
}

impl<const N: usize> Reverse<N> {
    /// Inverts a table, leaving out the bytes that are only decoded. `N` is one more than the number of
    /// different upper bytes; the compiler refuses a smaller one.
    pub(crate) const fn new(to_unicode: &[u16; 256], one_way: &[u8]) -> Reverse<N> {
        let mut index = [0; 256];
        let mut blocks = [[0; 256]; N];
        let mut used = 1;
        let mut byte = 0;
        while byte < 256 {
            let unit = to_unicode[byte];
            if unit != UNDEFINED && !contains(one_way, byte as u8) {
                let [upper, lower] = unit.to_be_bytes();
                if index[upper as usize] == 0 {
                    index[upper as usize] = used;
                    used += 1;
                }
                let slot = &mut blocks[index[upper as usize] as usize][lower as usize];
                assert!(*slot == 0, "two bytes for one character");
                *slot = byte as u8;
            }
            byte += 1;
        }
        Reverse { index, blocks }
    }

    pub(crate) const fn view(&'static self) -> ReverseView {
        let latin1 = &self.blocks[1];
        let ascii = latin1.first_chunk().expect("256 bytes begin with 128");
        let has_all_ascii = !contains(ascii.split_at(1).1, 0);
        ReverseView { index: &self.index, blocks: &self.blocks, latin1, ascii, has_all_ascii }
    }
}

impl ReverseView {
    pub(crate) fn byte(&self, character: char) -> Option<u8> {
        let byte = self.unit_byte(u16::try_from(u32::from(character)).ok()?);
        (byte != 0 || character == '\0').then_some(byte)
    }

    /// The byte of a UTF-16 unit, 00 for none.
    pub(crate) fn unit_byte(&self, unit: u16) -> u8 {
        let [upper, lower] = unit.to_be_bytes();
        self.blocks[usize::from(self.index[usize::from(upper)])][usize::from(lower)]
    }
}

const fn contains(bytes: &[u8], byte: u8) -> bool {
    let mut position = 0;
    while position < bytes.len() {
        if bytes[position] == byte {
            return true;
        }
        position += 1;
    }
    false
}
