//! From UTF-8 and UTF-16.

use super::{RUN, WORD_BYTES, alternate, contains, is_ascii, translated};
use crate::CodePage;
use crate::simd::{Cpu, SLACK_BYTES};
use crate::unicode::ByteOrder;

/// The bytes that are converted in one go if the text is not all ASCII.
const MIXED_RUN: usize = 4 * RUN;

/// The bytes that one step reads there. It is more than a word, because a character can begin anywhere in the
/// word.
const WINDOW_BYTES: usize = 16;

/// The high bits of the bytes of a word. They are set in bytes that are not ASCII.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

pub(crate) fn utf8_to_single(cpu: Cpu, to: &CodePage, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    if !to.has_all_ascii() {
        return None;
    }
    out.reserve(bytes.len() + SLACK_BYTES);
    let kernel = |bytes: &[u8], out: &mut _| cpu.utf8_to_bytes(to.reverse.latin1, bytes, out);
    let plain = |bytes: &[u8], most, out: &mut _| utf8_to_single_plain(to, bytes, most, out);
    alternate(cpu, bytes, out, kernel, plain)
}

fn utf8_to_single_plain(to: &CodePage, bytes: &[u8], most: usize, out: &mut Vec<u8>) -> Option<usize> {
    let start = out.len();
    let bytes = run_of(bytes, most);
    out.resize(start + bytes.len(), 0);
    let sink = Sink {
        word: |word: &[u8; WORD_BYTES]| translated(to.reverse.latin1, word),
        short: |unit| {
            let byte = to.reverse.unit_byte(unit);
            (byte, byte != 0)
        },
        character: |character, slots: &mut [u8]| {
            *slots.first_mut()? = to.encode_char(character)?;
            Some(1)
        },
    };
    let end = from_utf8(bytes, &mut out[start..], sink)?;
    out.truncate(start + end);
    Some(bytes.len())
}

/// About `most` bytes. If this is UTF-8, they end with a whole character.
fn run_of(bytes: &[u8], most: usize) -> &[u8] {
    let goes_on = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let end = (most..most.saturating_add(4)).find(|at| !goes_on(at)).unwrap_or(most);
    &bytes[..end.min(bytes.len())]
}

pub(crate) fn utf8_to_utf16(cpu: Cpu, order: ByteOrder, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    out.reserve(2 * bytes.len() + SLACK_BYTES);
    let kernel = |bytes: &[u8], out: &mut _| cpu.utf8_to_utf16(order, bytes, out);
    let plain = |bytes: &[u8], most, out: &mut _| utf8_to_utf16_plain(order, bytes, most, out);
    alternate(cpu, bytes, out, kernel, plain)
}

fn utf8_to_utf16_plain(order: ByteOrder, bytes: &[u8], most: usize, out: &mut Vec<u8>) -> Option<usize> {
    let start = out.len();
    let bytes = run_of(bytes, most);
    out.resize(start + 2 * bytes.len(), 0);
    let sink = Sink {
        word: |word: &[u8; WORD_BYTES]| word.map(|byte| order.bytes(byte.into())),
        short: |unit| (order.bytes(unit), true),
        character: |character: char, slots: &mut [[u8; 2]]| {
            let units = &mut [0; 2];
            let units = character.encode_utf16(units);
            for (slot, unit) in slots.get_mut(..units.len())?.iter_mut().zip(&*units) {
                *slot = order.bytes(*unit);
            }
            Some(units.len())
        },
    };
    let end = from_utf8(bytes, out[start..].as_chunks_mut().0, sink)?;
    out.truncate(start + 2 * end);
    Some(bytes.len())
}

/// The writers of characters: eight bytes as ASCII; a character below U+0800, if there is one; any character.
struct Sink<Word, Short, Character> {
    word: Word,
    short: Short,
    character: Character,
}

/// Converts to units of one or two bytes, and returns their number. `target` has one unit for each byte.
///
/// A step converts a word as if it were ASCII. Then it converts the character at the first other byte as if
/// it had two bytes. Only other characters need branches, so the CPU predicts all branches right in Western
/// text.
fn from_utf8<Unit: Copy>(
    bytes: &[u8],
    target: &mut [Unit],
    sink: Sink<
        impl Fn(&[u8; WORD_BYTES]) -> [Unit; WORD_BYTES],
        impl Fn(u16) -> (Unit, bool),
        impl Fn(char, &mut [Unit]) -> Option<usize>,
    >,
) -> Option<usize> {
    let (mut at, mut end) = (0, 0);
    while let Some(run) = bytes[at..].first_chunk::<RUN>() {
        if is_ascii(run) {
            let slots = target[end..].first_chunk_mut::<RUN>()?;
            for (slots, word) in slots.as_chunks_mut().0.iter_mut().zip(run.as_chunks().0) {
                *slots = (sink.word)(word);
            }
            (at, end) = (at + RUN, end + RUN);
            continue;
        }
        let run_end = at + MIXED_RUN;
        while at < run_end
            && let Some(window) = bytes[at..].first_chunk::<WINDOW_BYTES>()
        {
            let slots = target[end..].first_chunk_mut::<WINDOW_BYTES>()?;
            let word = window.first_chunk::<WORD_BYTES>()?;
            *slots.first_chunk_mut()? = (sink.word)(word);
            let high_bits = u64::from_le_bytes(*word) & HIGH_BITS;
            let ascii = high_bits.trailing_zeros() as usize / 8;
            let (is_short, has_more) = (ascii < WORD_BYTES, usize::from(ascii < WORD_BYTES));
            let [lead, second] = [window[ascii % WORD_BYTES], window[ascii % WORD_BYTES + 1]];
            if is_short & !(matches!(lead, 0xC2..=0xDF) & (second & 0xC0 == 0x80)) {
                let (character, length) = multi_byte(&bytes[at + ascii..])?;
                end += ascii + (sink.character)(character, &mut target[end + ascii..])?;
                at += ascii + length;
                continue;
            }
            let unit = u16::from(lead & 0x1F) << 6 | u16::from(second & 0x3F);
            let (one, is_known) = (sink.short)(unit);
            // The next step overwrites this unit behind a word of ASCII. At the end it is left out.
            slots[ascii % WINDOW_BYTES] = one;
            if is_short & !is_known {
                return None;
            }
            (at, end) = (at + ascii + 2 * has_more, end + ascii + has_more);
        }
    }
    for character in str::from_utf8(&bytes[at..]).ok()?.chars() {
        end += (sink.character)(character, &mut target[end..])?;
    }
    Some(end)
}

/// The character of two to four bytes, and its length.
pub(super) fn multi_byte(bytes: &[u8]) -> Option<(char, usize)> {
    let low_bits = |place: usize| {
        let byte = bytes.get(place).filter(|byte| **byte & 0xC0 == 0x80)?;
        Some(u32::from(byte & 0x3F))
    };
    let lead = u32::from(*bytes.first()?);
    let (number, least, length) = match lead {
        0xC2..0xE0 => ((lead & 0x1F) << 6 | low_bits(1)?, 0x80, 2),
        0xE0..0xF0 => ((lead & 0xF) << 12 | low_bits(1)? << 6 | low_bits(2)?, 0x800, 3),
        0xF0..0xF8 => {
            let number = (lead & 7) << 18 | low_bits(1)? << 12 | low_bits(2)? << 6 | low_bits(3)?;
            (number, 0x1_0000, 4)
        }
        _ => return None,
    };
    // This excludes the surrogates, and numbers beyond U+10FFFF.
    Some((char::from_u32(number).filter(|_| number >= least)?, length))
}

/// The first 256 characters have a table of their own; the others are looked up in two steps.
pub(crate) fn utf16_to_single(
    cpu: Cpu,
    order: ByteOrder,
    to: &CodePage,
    bytes: &[u8],
    out: &mut Vec<u8>,
) -> Option<()> {
    out.reserve(bytes.len() / 2 + SLACK_BYTES);
    let kernel = |bytes: &[u8], out: &mut _| cpu.utf16_to_bytes(to.reverse.latin1, order, bytes, out);
    let plain = |bytes: &[u8], most: usize, out: &mut _| {
        let run = &bytes[..bytes.len().min(most)];
        utf16_to_single_plain(order, to, run, out)?;
        Some(run.len())
    };
    alternate(cpu, bytes, out, kernel, plain)
}

fn utf16_to_single_plain(order: ByteOrder, to: &CodePage, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (units, []) = bytes.as_chunks::<2>() else { return None };
    for run in units.chunks(RUN) {
        let start = out.len();
        if run.iter().fold(0, |all, unit| all | order.unit(*unit)) < 0x100 {
            out.extend(run.iter().map(|unit| to.reverse.latin1[usize::from(order.unit(*unit) & 0xFF)]));
        } else {
            out.extend(run.iter().map(|unit| to.reverse.unit_byte(order.unit(*unit))));
        }
        let is_missing = |(unit, byte): (&[u8; 2], &u8)| *byte == 0 && *unit != [0; 2];
        if contains(&out[start..], 0) && run.iter().zip(&out[start..]).any(is_missing) {
            return None;
        }
    }
    Some(())
}

/// The next run, and the place for its result.
#[derive(Clone, Copy)]
struct Places {
    at: usize,
    end: usize,
}

pub(crate) fn utf16_to_utf8(cpu: Cpu, order: ByteOrder, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    out.reserve(bytes.len() + SLACK_BYTES);
    let kernel = |bytes: &[u8], out: &mut _| cpu.utf16_to_utf8(order, bytes, out);
    let plain = |bytes: &[u8], most: usize, out: &mut _| {
        let mut run = &bytes[..bytes.len().min(most)];
        // A pair of surrogates stays together.
        if let Some(last) = run.last_chunk()
            && matches!(order.unit(*last), 0xD800..0xDC00)
        {
            run = &bytes[..bytes.len().min(run.len() + 2)];
        }
        utf16_to_utf8_plain(order, run, out)?;
        Some(run.len())
    };
    alternate(cpu, bytes, out, kernel, plain)
}

fn utf16_to_utf8_plain(order: ByteOrder, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (units, []) = bytes.as_chunks::<2>() else { return None };
    let start = out.len();
    // The most is three bytes for each unit, plus a run, for runs that are not all ASCII.
    out.resize(start + 3 * units.len() + RUN, 0);
    let target = &mut out[start..];
    let mut places = Places { at: 0, end: 0 };
    while let Some(run) = units[places.at..].first_chunk::<RUN>() {
        let all = run.iter().fold(0, |all, unit| all | order.unit(*unit));
        if all < 0x80 {
            *target[places.end..].first_chunk_mut()? = run.map(|unit| order.unit(unit) as u8);
            places = Places { at: places.at + RUN, end: places.end + RUN };
            continue;
        }
        if all < 0x800 {
            for pair in run.as_chunks::<2>().0 {
                places.end = two_short_units(pair.map(|unit| order.unit(unit)), target, places.end)?;
            }
            places.at += RUN;
            continue;
        }
        let run_end = places.at + RUN;
        while places.at < run_end {
            places = one_utf16_to_utf8(order, units, places, target)?;
        }
    }
    while places.at < units.len() {
        places = one_utf16_to_utf8(order, units, places, target)?;
    }
    out.truncate(start + places.end);
    Some(())
}

/// Writes two characters below U+0800 at once, and zeros behind them, which the next characters overwrite.
fn two_short_units(units: [u16; 2], target: &mut [u8], end: usize) -> Option<usize> {
    let [first, second] = units.map(|unit| {
        let unit = u32::from(unit);
        let two = 0x80C0 | unit >> 6 | (unit & 0x3F) << 8;
        if unit < 0x80 { (unit, 1) } else { (two, 2) }
    });
    let bytes = first.0 | second.0 << (8 * first.1);
    *target.get_mut(end..)?.first_chunk_mut()? = bytes.to_le_bytes();
    Some(end + first.1 + second.1)
}

/// Converts the character at `places`, and returns the next places.
fn one_utf16_to_utf8(
    order: ByteOrder,
    units: &[[u8; 2]],
    Places { at, end }: Places,
    target: &mut [u8],
) -> Option<Places> {
    let first = order.unit(*units.get(at)?);
    let (character, length) = match char::from_u32(first.into()) {
        Some(character) => (character, 1),
        None => {
            let pair = [first, order.unit(*units.get(at + 1)?)];
            (char::decode_utf16(pair).next()?.ok()?, 2)
        }
    };
    let written = character.encode_utf8(target.get_mut(end..)?).len();
    Some(Places { at: at + length, end: end + written })
}
