//! Between mixed pages and UTF-8.

use super::WORD_BYTES;
use super::from_unicode::multi_byte;
use crate::double_byte::{Characters, DoubleByte};
use crate::mixed::{Mixed, SHIFT_IN, SHIFT_OUT};
use crate::reverse::UNDEFINED;

/// The characters with three bytes in UTF-8 and one unit in a table.
const THREE_BYTES: [std::ops::Range<u16>; 2] = [0x800..0xD800, 0xE000..UNDEFINED];

/// The UTF-8 of a mixed page.
#[derive(Debug)]
pub(crate) struct MixedTable {
    /// In the form of [`utf8_word`] for the single bytes. The shifts have none.
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
        // The most is three bytes for each byte, plus a word, because the last character writes more.
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
    // The most is a shift and a byte for each byte, plus a last shift.
    out.resize(start + 2 * bytes.len() + WORD_BYTES, 0);
    let (target, mut at, mut end, mut is_shifted) = (&mut out[start..], 0, 0, false);
    let shift = |target: &mut [u8], end: &mut usize, shift| {
        *target.get_mut(*end)? = shift;
        *end += 1;
        Some(())
    };
    while let Some(byte) = bytes.get(at) {
        if *byte < 0x80 {
            if is_shifted {
                shift(target, &mut end, SHIFT_IN)?;
                is_shifted = false;
            }
            let run = bytes[at..].iter().zip(target.get_mut(end..)?);
            let mut done = 0;
            for (byte, slot) in run.take_while(|(byte, _)| **byte < 0x80) {
                *slot = ascii[usize::from(*byte & 0x7F)];
                if *slot == 0 && *byte != 0 {
                    return None;
                }
                done += 1;
            }
            (at, end) = (at + done, end + done);
            continue;
        }
        let (character, mut length) = three_bytes(&bytes[at..]).or_else(|| multi_byte(&bytes[at..]))?;
        let next = &bytes[at + length..];
        let mut code = double.code(character);
        let mut single = to.single.encode_char(character);
        if next.first().is_some_and(|lead| double.may_end_a_pair(*lead))
            && let Some((second, more)) = multi_byte(next)
            && let Some(pair) = double.pair(character, second)
        {
            (single, code, length) = (None, Some(pair), length + more);
        }
        if is_shifted == single.is_some() {
            shift(target, &mut end, if is_shifted { SHIFT_IN } else { SHIFT_OUT })?;
            is_shifted = !is_shifted;
        }
        match single {
            Some(byte) => {
                *target.get_mut(end)? = byte;
                end += 1;
            }
            None => {
                *target.get_mut(end..)?.first_chunk_mut()? = code?.to_be_bytes();
                end += 2;
            }
        }
        at += length;
    }
    if is_shifted {
        shift(target, &mut end, SHIFT_IN)?;
    }
    out.truncate(start + end);
    Some(())
}

/// As [`multi_byte`], for usual characters of three bytes.
fn three_bytes(bytes: &[u8]) -> Option<(char, usize)> {
    let &[lead @ 0xE1..=0xEC, second @ 0x80..=0xBF, third @ 0x80..=0xBF, ..] = bytes else { return None };
    let number = u32::from(lead & 0xF) << 12 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F);
    Some((char::from_u32(number)?, 3))
}
