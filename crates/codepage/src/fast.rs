//! The loops of a [`Converter`](crate::Converter) for data that is right. Each appends to `out` and returns
//! `None` if the data is not right or has a character the other side does not have; `out` then has anything.

use crate::CodePage;
use crate::reverse::UNDEFINED;
use crate::unicode::ByteOrder;

/// How many bytes are converted between two looks for bytes that could not be.
const BLOCK_BYTES: usize = 4096;

/// One load of the UTF-8 loops.
const WORD_BYTES: usize = 8;

/// The high bits of the bytes of a word: set in those that are not ASCII.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// The bytes of one single-byte page as bytes of another.
#[derive(Debug)]
pub(crate) struct ByteTable {
    bytes: [u8; 256],
    /// What the bytes without a counterpart become: a byte that nothing else becomes. There is one, since two
    /// bytes that have a counterpart never have the same, except for the few one-way bytes, which only leave
    /// more of them free.
    nothing: Option<u8>,
}

impl ByteTable {
    pub(crate) fn new(from: &CodePage, to: &CodePage) -> ByteTable {
        let counterparts: [Option<u8>; 256] = std::array::from_fn(|byte| {
            let unit = from.to_unicode()[byte];
            let character = char::from_u32(unit.into()).filter(|_| unit != UNDEFINED)?;
            to.encode_char(character)
        });
        let has_none = counterparts.contains(&None);
        let unused = (0..=255).rev().find(|byte| !counterparts.contains(&Some(*byte)));
        let nothing = unused.filter(|_| has_none);
        ByteTable { bytes: counterparts.map(|byte| byte.or(nothing).unwrap_or_default()), nothing }
    }

    pub(crate) fn convert(&self, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
        for block in bytes.chunks(BLOCK_BYTES) {
            let start = out.len();
            out.extend(block.iter().map(|byte| self.bytes[usize::from(*byte)]));
            if let Some(nothing) = self.nothing
                && contains(&out[start..], nothing)
            {
                return None;
            }
        }
        Some(())
    }
}

/// Without an early end, so that the compiler compares many at once.
fn contains(bytes: &[u8], wanted: u8) -> bool {
    bytes.iter().fold(false, |found, byte| found | (*byte == wanted))
}

/// The UTF-8 bytes of each byte's character, from the lowest byte up, with their count in the highest one.
/// The count 0 marks a byte without a character.
pub(crate) fn utf8_table(from: &CodePage) -> [u32; 256] {
    std::array::from_fn(|byte| {
        let unit = from.to_unicode()[byte];
        let Some(character) = char::from_u32(unit.into()).filter(|_| unit != UNDEFINED) else { return 0 };
        let mut bytes = [0; 4];
        let length = character.encode_utf8(&mut bytes).len();
        u32::from_le_bytes(bytes) | (length as u32) << 24
    })
}

pub(crate) fn single_to_utf8(table: &[u32; 256], bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let mut end = out.len();
    for block in bytes.chunks(BLOCK_BYTES) {
        out.resize(end + 3 * block.len() + 1, 0);
        let (target, mut at, mut is_missing) = (&mut out[end..], 0, false);
        for byte in block {
            let word = table[usize::from(*byte)];
            target[at..at + 4].copy_from_slice(&word.to_le_bytes());
            at += (word >> 24) as usize;
            is_missing |= word == 0;
        }
        end += at;
        if is_missing {
            return None;
        }
    }
    out.truncate(end);
    Some(())
}

/// The unit of each byte's character; U+FFFD for none.
pub(crate) fn utf16_table(from: &CodePage, order: ByteOrder) -> [[u8; 2]; 256] {
    from.to_unicode().map(|unit| order.bytes(unit))
}

pub(crate) fn single_to_utf16(table: &[[u8; 2]; 256], bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    const MISSING: [[u8; 2]; 2] = [UNDEFINED.to_be_bytes(), UNDEFINED.to_le_bytes()];
    for block in bytes.chunks(BLOCK_BYTES) {
        let start = out.len();
        out.resize(start + 2 * block.len(), 0);
        let mut is_missing = false;
        for (target, byte) in out[start..].as_chunks_mut().0.iter_mut().zip(block) {
            *target = table[usize::from(*byte)];
            is_missing |= MISSING.contains(target);
        }
        if is_missing {
            return None;
        }
    }
    Some(())
}

/// Eight bytes are converted as if they were ASCII; those from the first that is not are then done again.
pub(crate) fn utf8_to_single(to: &CodePage, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let text = str::from_utf8(bytes).ok()?;
    if !to.has_all_ascii() {
        return None;
    }
    let latin1 = to.reverse.latin1;
    let start = out.len();
    out.resize(start + bytes.len(), 0);
    let (target, mut at, mut end) = (&mut out[start..], 0, 0);
    while let Some(word) = bytes[at..].first_chunk::<WORD_BYTES>() {
        let slots = target[end..].first_chunk_mut::<WORD_BYTES>()?;
        *slots = word.map(|byte| latin1[usize::from(byte)]);
        let ascii = ascii_length(word);
        (at, end) = (at + ascii, end + ascii);
        if ascii < WORD_BYTES {
            let (character, length) = multi_byte(&bytes[at..])?;
            target[end] = to.encode_char(character)?;
            (at, end) = (at + length, end + 1);
        }
    }
    for character in text[at..].chars() {
        target[end] = to.encode_char(character)?;
        end += 1;
    }
    out.truncate(start + end);
    Some(())
}

/// How many bytes of a word are ASCII, up to the first that is not.
fn ascii_length(word: &[u8; WORD_BYTES]) -> usize {
    (u64::from_le_bytes(*word) & HIGH_BITS).trailing_zeros() as usize / 8
}

/// The character of two to four bytes at the start of bytes that are known to be UTF-8, and their count.
fn multi_byte(bytes: &[u8]) -> Option<(char, usize)> {
    let low_bits = |position: usize| bytes.get(position).map(|byte| u32::from(byte & 0x3F));
    let lead = u32::from(*bytes.first()?);
    let (number, length) = match lead {
        0..0xE0 => ((lead & 0x1F) << 6 | low_bits(1)?, 2),
        0xE0..0xF0 => ((lead & 0xF) << 12 | low_bits(1)? << 6 | low_bits(2)?, 3),
        _ => ((lead & 7) << 18 | low_bits(1)? << 12 | low_bits(2)? << 6 | low_bits(3)?, 4),
    };
    Some((char::from_u32(number)?, length))
}

pub(crate) fn utf16_to_single(
    order: ByteOrder,
    to: &CodePage,
    bytes: &[u8],
    out: &mut Vec<u8>,
) -> Option<()> {
    let (units, []) = bytes.as_chunks::<2>() else { return None };
    let mut is_missing = false;
    out.extend(units.iter().map(|unit| {
        let unit = order.unit(*unit);
        let byte = to.reverse.unit_byte(unit);
        is_missing |= byte == 0 && unit != 0;
        byte
    }));
    (!is_missing).then_some(())
}

pub(crate) fn utf8_to_utf16(order: ByteOrder, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let text = str::from_utf8(bytes).ok()?;
    let start = out.len();
    out.resize(start + 2 * bytes.len(), 0);
    let (target, mut at, mut end) = (out[start..].as_chunks_mut::<2>().0, 0, 0);
    while let Some(word) = bytes[at..].first_chunk::<WORD_BYTES>() {
        let slots = target[end..].first_chunk_mut::<WORD_BYTES>()?;
        *slots = word.map(|byte| order.bytes(byte.into()));
        let ascii = ascii_length(word);
        (at, end) = (at + ascii, end + ascii);
        if ascii < WORD_BYTES {
            let (character, length) = multi_byte(&bytes[at..])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                target[end] = order.bytes(*unit);
                end += 1;
            }
            at += length;
        }
    }
    for unit in text[at..].encode_utf16() {
        target[end] = order.bytes(unit);
        end += 1;
    }
    out.truncate(start + 2 * end);
    Some(())
}

pub(crate) fn utf16_to_utf8(order: ByteOrder, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (units, []) = bytes.as_chunks::<2>() else { return None };
    let start = out.len();
    // Three bytes a unit is the most; a word more, for the words that are not all ASCII.
    out.resize(start + 3 * units.len() + WORD_BYTES, 0);
    let (target, mut at, mut end) = (&mut out[start..], 0, 0);
    while let Some(word) = units[at..].first_chunk::<WORD_BYTES>() {
        let word = word.map(|unit| order.unit(unit));
        let slots = target[end..].first_chunk_mut::<WORD_BYTES>()?;
        *slots = word.map(|unit| unit as u8);
        if word.iter().fold(0, |all, unit| all | unit) < 0x80 {
            (at, end) = (at + WORD_BYTES, end + WORD_BYTES);
            continue;
        }
        for _ in 0..WORD_BYTES / 2 {
            let (character, length) = utf16_character(order, &units[at..])?;
            end += character.encode_utf8(&mut target[end..]).len();
            at += length;
        }
    }
    while at < units.len() {
        let (character, length) = utf16_character(order, &units[at..])?;
        end += character.encode_utf8(&mut target[end..]).len();
        at += length;
    }
    out.truncate(start + end);
    Some(())
}

/// The character at the start of the units, and how many it has.
fn utf16_character(order: ByteOrder, units: &[[u8; 2]]) -> Option<(char, usize)> {
    let first = order.unit(*units.first()?);
    if let Some(character) = char::from_u32(first.into()) {
        return Some((character, 1));
    }
    let pair = [first, order.unit(*units.get(1)?)];
    Some((char::decode_utf16(pair).next()?.ok()?, 2))
}
