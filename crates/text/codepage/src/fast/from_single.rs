//! From single-byte pages.

use super::mixed::utf8_word;
use super::{RUN, WORD_BYTES, alternate, contains, is_ascii, translated};
use crate::CodePage;
use crate::reverse::UNDEFINED;
use crate::simd::{Cpu, PairTable, SLACK_BYTES, Utf8Pairs};
use crate::unicode::ByteOrder;
use std::sync::OnceLock;

/// The bytes that are converted between two checks for bytes that cannot be converted.
const BLOCK_BYTES: usize = 4096;

/// Shorter data is converted byte by byte, because the large table would only push other data out of the
/// caches.
const PAIRS_MIN_BYTES: usize = 256;

/// The bytes of one single-byte page as bytes of another.
#[derive(Debug)]
pub(crate) struct ByteTable {
    bytes: [u8; 256],
    /// The same for two bytes at once, as little-endian numbers. It is built at the first use, if there are
    /// no kernels. It takes 128 KB, but text touches a sixth of it or less. It is half as fast again as
    /// single bytes.
    pairs: OnceLock<Box<[u16; 1 << 16]>>,
    /// The byte for bytes without a counterpart. It is the counterpart of no other byte. Such a byte exists,
    /// because two bytes never have the same counterpart, except for a few one-way bytes, which only leave
    /// more bytes free.
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
        let bytes = counterparts.map(|byte| byte.or(nothing).unwrap_or_default());
        ByteTable { bytes, pairs: OnceLock::new(), nothing }
    }

    fn pairs(&self) -> &[u16; 1 << 16] {
        self.pairs.get_or_init(|| {
            let mut pairs = Box::new([0; 1 << 16]);
            for (pair, slot) in (0..=u16::MAX).zip(pairs.iter_mut()) {
                *slot = u16::from_le_bytes(pair.to_le_bytes().map(|byte| self.bytes[usize::from(byte)]));
            }
            pairs
        })
    }

    pub(crate) fn convert(&self, cpu: Cpu, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
        match cpu.append_until(&self.bytes, self.nothing, bytes, out) {
            // There is no kernel, or it can convert nothing at the start. Then the loops end too.
            0 => self.convert_plain(bytes, out),
            done => (done == bytes.len()).then_some(()),
        }
    }

    fn convert_plain(&self, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
        for block in bytes.chunks(BLOCK_BYTES) {
            let start = out.len();
            let mut rest = block;
            if block.len() >= PAIRS_MIN_BYTES {
                let (pairs, (words, odd)) = (self.pairs(), block.as_chunks::<WORD_BYTES>());
                rest = odd;
                out.resize(start + WORD_BYTES * words.len(), 0);
                for (slots, word) in out[start..].as_chunks_mut::<WORD_BYTES>().0.iter_mut().zip(words) {
                    for (slots, pair) in slots.as_chunks_mut::<2>().0.iter_mut().zip(word.as_chunks::<2>().0)
                    {
                        *slots = pairs[usize::from(u16::from_le_bytes(*pair))].to_le_bytes();
                    }
                }
            }
            out.extend(rest.iter().map(|byte| self.bytes[usize::from(*byte)]));
            if let Some(nothing) = self.nothing
                && contains(&out[start..], nothing)
            {
                return None;
            }
        }
        Some(())
    }
}

/// The UTF-8 bytes of a page's characters.
#[derive(Debug)]
pub(crate) struct Utf8Table {
    /// The byte of the ASCII characters; FF for all others and for none.
    ascii: [u8; 256],
    /// In the form of [`utf8_word`].
    words: [u32; 256],
    pairs: Utf8Pairs,
}

impl Utf8Table {
    pub(crate) fn new(from: &CodePage) -> Utf8Table {
        let ascii = from.to_unicode().map(|unit| if unit < 0x80 { unit as u8 } else { 0xFF });
        let words = from.to_unicode().map(utf8_word);
        Utf8Table { ascii, words, pairs: Utf8Pairs::new(from.to_unicode()) }
    }

    pub(crate) fn convert(&self, cpu: Cpu, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
        out.reserve(bytes.len() + bytes.len() / 2 + SLACK_BYTES);
        let kernel = |bytes: &[u8], out: &mut _| cpu.bytes_to_utf8(&self.pairs, bytes, out);
        let plain = |bytes: &[u8], most: usize, out: &mut _| {
            let run = &bytes[..bytes.len().min(most)];
            self.convert_plain(run, out)?;
            Some(run.len())
        };
        alternate(cpu, bytes, out, kernel, plain)
    }

    fn convert_plain(&self, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let start = out.len();
        // The most is three bytes for each character, plus a word, because the last pair writes more.
        out.resize(start + 3 * bytes.len() + WORD_BYTES, 0);
        let (target, mut at, mut end) = (&mut out[start..], 0, 0);
        while let Some(run) = bytes[at..].first_chunk::<RUN>() {
            let mut ascii = [0; RUN];
            for (slots, word) in ascii.as_chunks_mut().0.iter_mut().zip(run.as_chunks().0) {
                *slots = translated(&self.ascii, word);
            }
            if is_ascii(&ascii) {
                *target[end..].first_chunk_mut()? = ascii;
                (at, end) = (at + RUN, end + RUN);
                continue;
            }
            // If one character is not ASCII, more will follow. So not every run is checked.
            let (pairs, _) = bytes[at..].as_chunks::<2>();
            let pairs = &pairs[..pairs.len().min(2 * RUN)];
            for pair in pairs {
                end = self.pair(*pair, target, end)?;
            }
            at += 2 * pairs.len();
        }
        for byte in &bytes[at..] {
            let word = self.words[usize::from(*byte)];
            target[end..end + 4].copy_from_slice(&word.to_le_bytes());
            end += (word >> 24) as usize;
            if word == 0 {
                return None;
            }
        }
        out.truncate(start + end);
        Some(())
    }

    /// Writes two characters at once, and zeros behind them, which the next characters overwrite.
    fn pair(&self, pair: [u8; 2], target: &mut [u8], end: usize) -> Option<usize> {
        let [first, second] = pair.map(|byte| self.words[usize::from(byte)]);
        if first == 0 || second == 0 {
            return None;
        }
        let length = first >> 24;
        let bytes = u64::from(first & 0xFF_FFFF) | u64::from(second & 0xFF_FFFF) << (8 * (length & 3));
        *target.get_mut(end..)?.first_chunk_mut()? = bytes.to_le_bytes();
        Some(end + (length + (second >> 24)) as usize)
    }
}

/// The UTF-16 units of a page's characters.
#[derive(Debug)]
pub(crate) struct Utf16Table {
    /// As little-endian numbers of the written units.
    units: [u16; 256],
    order: ByteOrder,
    bytes: PairTable,
    /// The unit for a missing character, if the page lacks any.
    missing: Option<u16>,
}

impl Utf16Table {
    pub(crate) fn new(from: &CodePage, order: ByteOrder) -> Utf16Table {
        let written = |unit| u16::from_le_bytes(order.bytes(unit));
        let missing = from.to_unicode().contains(&UNDEFINED).then_some(written(UNDEFINED));
        let (units, bytes) = (from.to_unicode().map(written), PairTable::new(from.to_unicode()));
        Utf16Table { units, order, bytes, missing }
    }

    pub(crate) fn convert(&self, cpu: Cpu, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
        out.reserve(2 * bytes.len() + SLACK_BYTES);
        let done = cpu.bytes_to_utf16(&self.bytes, self.order, bytes, out);
        self.convert_plain(&bytes[done..], out)
    }

    fn convert_plain(&self, bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
        for block in bytes.chunks(BLOCK_BYTES) {
            let start = out.len();
            out.resize(start + 2 * block.len(), 0);
            let (fours, rest) = block.as_chunks::<4>();
            let (slots, rest_slots) = out[start..].split_at_mut(8 * fours.len());
            for (slots, four) in slots.as_chunks_mut::<8>().0.iter_mut().zip(fours) {
                let [a, b, c, d] = four.map(|byte| u64::from(self.units[usize::from(byte)]));
                *slots = (a | b << 16 | c << 32 | d << 48).to_le_bytes();
            }
            for (slots, byte) in rest_slots.as_chunks_mut::<2>().0.iter_mut().zip(rest) {
                *slots = self.units[usize::from(*byte)].to_le_bytes();
            }
            let units = out[start..].as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
            if let Some(missing) = self.missing
                && units.fold(false, |found, unit| found | (unit == missing))
            {
                return None;
            }
        }
        Some(())
    }
}
