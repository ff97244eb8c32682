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
fn number(header: &[u8]) -> Option<u64> {
    let bytes = header.get(NUMBER_AT..LENGTH_AT)?;
    bytes.try_into().map(u64::from_be_bytes).ok()
}

/// The length behind the header of a record that begins here; none if no record begins here.
pub(super) fn length(header: &[u8]) -> Option<u64> {
    let bytes = header.get(LENGTH_AT..HEADER_BYTES).filter(|_| begins(header))?;
    bytes.try_into().map(u64::from_be_bytes).ok()
}

/// The place of the next mark of a record.
fn next_mark(bytes: &[u8]) -> Option<usize> {
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

/// The whole records of this life in some bytes, with their places. Their numbers are at most `greatest`. Bytes within
/// a whole record are not looked at.
///
/// The bytes of a message may look like many headers of long records. Each byte goes into one checksum all the same:
/// that of a part follows from those of all bytes before its start and before its end.
pub(super) fn whole(bytes: &[u8], draw: u64, greatest: u64) -> Vec<(usize, Found<'_>)> {
    let (mut claims, mut from) = (Vec::new(), 0);
    while let Some(offset) = next_mark(&bytes[from..]) {
        let at = from + offset;
        claims.extend(claim(bytes, at, greatest));
        from = at + 1;
    }
    let mut places: Vec<usize> =
        claims.iter().flat_map(|claim: &Claim| [claim.at + NUMBER_AT, claim.end]).collect();
    places.sort_unstable();
    places.dedup();
    let before = checksums(bytes, &places);
    let start = crc32fast::hash(&draw.to_be_bytes());
    let mut found: Vec<(usize, Found<'_>)> = Vec::new();
    let mut free = 0;
    for Claim { at, end, number } in claims {
        if at < free {
            continue;
        }
        let covered = at + NUMBER_AT..end;
        let [first, last] = [covered.start, covered.end]
            .map(|place| places.binary_search(&place).map_or(0, |nth| before[nth]));
        let checksum = last ^ behind(first ^ start, covered.len());
        if checksum.to_be_bytes() == bytes[at + CHECKSUM_AT..at + NUMBER_AT] {
            found.push((at, Found { number, changes: &bytes[at + HEADER_BYTES..end] }));
            free = end;
        }
    }
    found
}

/// A header that may begin a record.
struct Claim {
    at: usize,
    end: usize,
    number: u64,
}

fn claim(bytes: &[u8], at: usize, greatest: u64) -> Option<Claim> {
    let header = bytes.get(at..at + HEADER_BYTES)?;
    let number = number(header).filter(|number| *number <= greatest)?;
    let length = usize::try_from(length(header)?).ok()?;
    let end = (at + HEADER_BYTES).checked_add(length).filter(|end| *end <= bytes.len())?;
    Some(Claim { at, end, number })
}

/// The checksums of the bytes before each place. The places ascend.
fn checksums(bytes: &[u8], places: &[usize]) -> Vec<u32> {
    let (mut hasher, mut done) = (crc32fast::Hasher::new(), 0);
    let mut checksum = |place: &usize| {
        hasher.update(&bytes[done..*place]);
        done = *place;
        hasher.clone().finalize()
    };
    places.iter().map(&mut checksum).collect()
}

/// The share of a checksum in that of the same bytes with `length` more behind them.
fn behind(checksum: u32, length: usize) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(checksum);
    hasher.combine(&crc32fast::Hasher::new_with_initial_len(0, length as u64));
    hasher.finalize()
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
    fn whole_records_are_found_among_other_bytes_and_no_others() {
        let record = |number: u8| {
            let mut gathering = Gathering::default();
            gathering.add(&Change::Delete { key: vec![number; usize::from(number) * 7] });
            gathering.seal(number.into(), 11).to_vec()
        };
        // A record within a record, a damaged one, one of another number than allowed, and a cut one.
        let mut outer = Gathering::default();
        outer.add(&Change::Put { key: record(1), value: record(2) });
        let outer = outer.seal(3, 11).to_vec();
        let mut damaged = [vec![0xC7; 5], record(4), record(5)].concat();
        damaged[40] ^= 1;
        let cut = record(7);
        let bytes = [vec![1; 9], outer.clone(), damaged, record(9), record(6), cut[..cut.len() - 1].to_vec()]
            .concat();
        let found = whole(&bytes, 11, 8);
        assert_eq!(found.iter().map(|(_, found)| found.number).collect::<Vec<_>>(), [3, 5, 6]);
        assert_eq!(found[0].0, 9);
        for (at, one) in found {
            assert_eq!(read(&bytes[at..], 11), Some(one));
        }
        assert_eq!(whole(&bytes, 12, 8), []);
        assert_eq!(whole(&[], 11, 8), []);
    }

    /// Each header claims all bytes behind it. A checksum for each would take minutes.
    #[test]
    fn headers_by_the_thousand_cost_each_byte_once() {
        let mut gathering = Gathering::default();
        let mut header = gathering.seal(2, 7)[..HEADER_BYTES].to_vec();
        header[LENGTH_AT..].copy_from_slice(&(4u64 << 20).to_be_bytes());
        let mut bytes: Vec<u8> = header.iter().copied().cycle().take(12 << 20).collect();
        let at = bytes.len();
        bytes.extend_from_slice(gathering.seal(3, 7));
        assert_eq!(whole(&bytes, 7, 100), [(at, Found { number: 3, changes: &[] })]);
    }

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
