//! The form of a record of the log. One wait for the disk writes one record.
//!
//! A record is a mark, a checksum, its number, the length of the changes, and the changes. Numbers are
//! big-endian. The checksum covers everything behind it, and a number that the store draws each time it is
//! opened. So neither a record of an earlier life nor the bytes of a message look like a record.

use super::super::Change;
use crate::error::Result;
use crate::fields::Reader;

const MARK: [u8; 4] = [0xC7, b'G', b'L', b'R'];
/// Bytes of the mark.
pub(super) const MARK_BYTES: usize = MARK.len();
const CHECKSUM_AT: usize = 4;
const NUMBER_AT: usize = 8;
const LENGTH_AT: usize = 16;
/// Bytes before the changes.
pub(super) const HEADER_BYTES: usize = 24;

fn checksum(draw: u64, covered: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&draw.to_be_bytes());
    hasher.update(covered);
    hasher.finalize().to_be_bytes()
}

/// A record that grows, with room for its header.
#[derive(Debug)]
pub(super) struct Gathering(Vec<u8>);

impl Default for Gathering {
    fn default() -> Self {
        Self(vec![0; HEADER_BYTES])
    }
}

impl Gathering {
    pub(super) fn is_empty(&self) -> bool {
        self.0.len() == HEADER_BYTES
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.len()
    }

    pub(super) fn truncate(&mut self, bytes: usize) {
        self.0.truncate(bytes.max(HEADER_BYTES));
    }

    pub(super) fn add(&mut self, change: &Change) {
        let (tag, first, second) = match change {
            Change::Put { key, value } => (0, key, Some(value)),
            Change::Add { key, value } => (1, key, Some(value)),
            Change::Delete { key } => (2, key, None),
            Change::Clear { from, to } => (3, from, Some(to)),
        };
        self.0.push(tag);
        for field in [Some(first), second].into_iter().flatten() {
            self.0.extend_from_slice(&(field.len() as u64).to_be_bytes());
            self.0.extend_from_slice(field);
        }
    }

    /// The record, complete.
    pub(super) fn seal(&mut self, number: u64, draw: u64) -> &[u8] {
        let length = (self.0.len() - HEADER_BYTES) as u64;
        self.0[..CHECKSUM_AT].copy_from_slice(&MARK);
        self.0[NUMBER_AT..LENGTH_AT].copy_from_slice(&number.to_be_bytes());
        self.0[LENGTH_AT..HEADER_BYTES].copy_from_slice(&length.to_be_bytes());
        let checksum = checksum(draw, &self.0[NUMBER_AT..]);
        self.0[CHECKSUM_AT..NUMBER_AT].copy_from_slice(&checksum);
        &self.0
    }
}

/// A record that was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found<'a> {
    pub(super) number: u64,
    pub(super) changes: &'a [u8],
}

/// The record at the start of some bytes, if it is whole and of this life.
pub(super) fn read(bytes: &[u8], draw: u64) -> Option<Found<'_>> {
    let header = bytes.get(..HEADER_BYTES).filter(|header| header.starts_with(&MARK))?;
    let number = |at: usize| header[at..at + 8].try_into().map(u64::from_be_bytes).ok();
    let length = usize::try_from(number(LENGTH_AT)?).ok()?;
    let end = HEADER_BYTES.checked_add(length)?;
    let covered = bytes.get(NUMBER_AT..end)?;
    let whole = checksum(draw, covered) == header[CHECKSUM_AT..NUMBER_AT];
    whole.then_some(Found { number: number(NUMBER_AT)?, changes: &bytes[HEADER_BYTES..end] })
}

/// True if the bytes begin like a record of any life.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MARK)
}

/// The number in a header, right or not.
pub(super) fn number(header: &[u8]) -> Option<u64> {
    let bytes = header.get(NUMBER_AT..LENGTH_AT)?;
    bytes.try_into().map(u64::from_be_bytes).ok()
}

/// The length behind the header of a record that begins here; none if no record begins here.
pub(super) fn length(header: &[u8]) -> Option<u64> {
    let bytes = header.get(LENGTH_AT..HEADER_BYTES).filter(|_| begins(header))?;
    bytes.try_into().map(u64::from_be_bytes).ok()
}

/// The place of the next mark of a record.
pub(super) fn next_mark(bytes: &[u8]) -> Option<usize> {
    let (mut rest, mut at) = (bytes, 0);
    loop {
        // The standard library looks for one byte faster than a loop here would.
        at += std::io::BufRead::skip_until(&mut rest, MARK[0]).unwrap_or(0);
        let start = at.checked_sub(1).filter(|start| bytes[*start] == MARK[0])?;
        if bytes[start..].starts_with(&MARK) {
            return Some(start);
        }
    }
}

/// The changes of a record.
pub(super) fn decode(changes: &[u8], mut each: impl FnMut(Change)) -> Result<()> {
    let mut reader = Reader::new("record of the log", changes);
    while !reader.is_at_end() {
        let tag = reader.byte()?;
        let first = reader.bytes()?.to_vec();
        each(match tag {
            0 => Change::Put { key: first, value: reader.bytes()?.to_vec() },
            1 => Change::Add { key: first, value: reader.bytes()?.to_vec() },
            2 => Change::Delete { key: first },
            3 => Change::Clear { from: first, to: reader.bytes()?.to_vec() },
            _ => return Err(reader.fault("a kind of change before it")),
        });
    }
    reader.end()
}

/// The bytes of a record without its changes, for counting.
pub(super) fn record_bytes(found: &Found<'_>) -> usize {
    HEADER_BYTES + found.changes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_whole_or_not_at_all() {
        let changes = [
            Change::Put { key: b"k".to_vec(), value: b"value".to_vec() },
            Change::Add { key: b"n".to_vec(), value: Vec::new() },
            Change::Delete { key: b"d".to_vec() },
            Change::Clear { from: b"a".to_vec(), to: b"b".to_vec() },
        ];
        let mut gathering = Gathering::default();
        assert!(gathering.is_empty());
        changes.iter().for_each(|change| gathering.add(change));
        let bytes = gathering.seal(7, 11).to_vec();
        let found = read(&bytes, 11).unwrap();
        assert_eq!((found.number, record_bytes(&found)), (7, bytes.len()));
        let mut back = Vec::new();
        decode(found.changes, |change| back.push(change)).unwrap();
        assert_eq!(back, changes);
        assert_eq!(read(&bytes, 12), None, "another life");
        for cut in 0..bytes.len() {
            assert_eq!(read(&bytes[..cut], 11), None);
        }
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&damaged, 11), None);
        }
        for cut in 1..found.changes.len() {
            let mut whole = 0;
            let cut = decode(&found.changes[..cut], |_| whole += 1);
            assert!(cut.is_err() || whole < changes.len());
        }
        assert_eq!(next_mark(&[&[0xC7, 0, 0][..], &bytes].concat()), Some(3));
    }
}
