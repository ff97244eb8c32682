//! Between mixed pages and UTF-8.

use super::WORD_BYTES;
use super::from_unicode::multi_byte;
use crate::double_byte::{Characters, DoubleByte};
use crate::mixed::{Mixed, SHIFT_IN, SHIFT_OUT};
use crate::reverse::UNDEFINED;

/// The characters that UTF-8 writes as three bytes and a table of units as one.
const THREE_BYTES: [std::ops::Range<u16>; 2] = [0x800..0xD800, 0xE000..UNDEFINED];

/// What a mixed page is in UTF-8.
#[derive(Debug)]
pub(crate) struct MixedTable {
    /// As [`utf8_word`] of the single bytes; the shifts have none.
    single: Box<[u32; 256]>,
    double: &'static DoubleByte,
}

/// The UTF-8 bytes of a character, from the lowest byte up, with their count in the highest one; 0 for none.
pub(super) fn utf8_word(unit: u16) -> u32 {
    let Some(character) = char::from_u32(unit.into()).filter(|_| unit != UNDEFINED) else { return 0 };
    let mut bytes = [0; 4];
    let length = character.encode_utf8(&mut bytes).len();
    u32::from_le_bytes(bytes) | (length as u32) << 24
}

impl MixedTable {
    pub(crate) fn new(from: &Mixed) -> MixedTable {
        let mut single = Box::new(from.single.to_unicode().map(utf8_word));
        single[usize::from(SHIFT_OUT)] = 0;
        single[usize::from(SHIFT_IN)] = 0;
        MixedTable { single, double: from.double }
    }

    pub(crate) fn convert(&self, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let start = out.len();
        // Three bytes a byte is the most; a word more, for what is written behind the last character.
        out.resize(start + 3 * bytes.len() + WORD_BYTES, 0);
        let (target, mut at, mut end) = (&mut out[start..], 0, 0);
        loop {
            while let Some(byte) = bytes.get(at) {
                let word = self.single[usize::from(*byte)];
                if word == 0 {
                    break;
                }
                *target.get_mut(end..)?.first_chunk_mut()? = word.to_le_bytes();
                (at, end) = (at + 1, end + (word >> 24) as usize);
            }
            match bytes.get(at) {
                None => break,
                Some(&SHIFT_OUT) => at += 1,
                Some(_) => return None,
            }
            loop {
                let lead = *bytes.get(at)?;
                if lead == SHIFT_IN {
                    at += 1;
                    break;
                }
                end = self.double(lead, *bytes.get(at + 1)?, target, end)?;
                at += 2;
            }
        }
        out.truncate(start + end);
        Some(())
    }

    /// Writes a double-byte code, and returns the next place.
    fn double(&self, lead: u8, trail: u8, target: &mut [u8], end: usize) -> Option<usize> {
        let slots = target.get_mut(end..)?;
        let unit = self.double.unit(lead, trail);
        if THREE_BYTES.iter().any(|range| range.contains(&unit)) {
            let unit = u32::from(unit);
            let bytes = 0x80_80E0 | unit >> 12 | (unit >> 6 & 0x3F) << 8 | (unit & 0x3F) << 16;
            *slots.first_chunk_mut()? = bytes.to_le_bytes();
            return Some(end + 3);
        }
        let mut write = |character: char, at: usize| Some(character.encode_utf8(slots.get_mut(at..)?).len());
        match self.double.decode(lead, trail)? {
            Characters::One(character) => Some(end + write(character, 0)?),
            Characters::Two(first, second) => {
                let length = write(first, 0)?;
                Some(end + length + write(second, length)?)
            }
        }
    }
}

pub(crate) fn utf8_to_mixed(to: &Mixed, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (start, ascii, double) = (out.len(), to.single.ascii_to_page(), to.double.encoder());
    // A shift and a byte for each byte is the most; a word more, for what is written behind the last character.
    out.resize(start + 2 * bytes.len() + WORD_BYTES, 0);
    let (target, mut at, mut end, mut is_shifted) = (&mut out[start..], 0, 0, false);
    while let Some(byte) = bytes.get(at) {
        let (mut single, mut code, mut length) = (0, 0, 1);
        if let Some(ascii) = ascii.get(usize::from(*byte)) {
            single = *ascii;
            if single == 0 && *byte != 0 {
                return None;
            }
        } else {
            let (character, bytes_of_it) = multi_byte(&bytes[at..])?;
            length = bytes_of_it;
            let next = &bytes[at + length..];
            let pair = match next.first().is_some_and(|lead| double.may_end_a_pair(*lead)) {
                true => multi_byte(next).and_then(|(next, more)| Some((double.pair(character, next)?, more))),
                false => None,
            };
            match (pair, to.single.encode_char(character)) {
                (Some((pair, more)), _) => (code, length) = (pair, length + more),
                (None, Some(byte)) => single = byte,
                (None, None) => code = double.code(character)?,
            }
        }
        // A shift is written in any case, and overwritten where none is needed.
        let (is_double, slots) = (code != 0, target.get_mut(end..)?);
        *slots.first_mut()? = if is_double { SHIFT_OUT } else { SHIFT_IN };
        let slots = slots.get_mut(usize::from(is_double != is_shifted)..)?;
        let code = if is_double { code.to_be_bytes() } else { [single, 0] };
        *slots.first_chunk_mut()? = code;
        end += usize::from(is_double != is_shifted) + 1 + usize::from(is_double);
        (at, is_shifted) = (at + length, is_double);
    }
    if is_shifted {
        *target.get_mut(end)? = SHIFT_IN;
        end += 1;
    }
    out.truncate(start + end);
    Some(())
}
