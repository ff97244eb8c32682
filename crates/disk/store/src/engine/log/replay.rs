//! Reads the log when a store is opened: the records behind the last checkpoint, in order, up to a torn end.

use super::overlay::Overlay;
use super::record;
use crate::error::{Error, ErrorKind, Result};

/// The position of the file beneath, and the sign by which the log's records are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// The number of the last record that the file beneath has.
    pub(super) number: u64,
    /// The drawn number of this life's records.
    pub(super) draw: u64,
}

/// The result of reading the log.
#[derive(Debug)]
pub(super) struct Replayed {
    pub(super) overlay: Overlay,
    /// The number of the last record.
    pub(super) number: u64,
}

/// Reads the records behind a position.
///
/// The first record stands at the start of a segment. Each other record stands behind the one before it, or
/// at the start of the other segment. The last record may be torn: it was being written, and nobody got the
/// answer that it was on disk. A record is only written when the one before it is on disk. So if a whole
/// record follows a damaged one, the damaged one was on disk, and the log has lost it.
///
/// # Errors
/// `Corrupt` if a record in the middle is damaged, with its place.
pub(super) fn replay(segments: &[Vec<u8>; 2], position: Position) -> Result<Replayed> {
    let mut replayed = Replayed { overlay: Overlay::default(), number: position.number };
    let next = |number: u64, place: (usize, usize)| {
        let bytes = segments[place.0].get(place.1..)?;
        record::read(bytes, position.draw).filter(|found| found.number == number)
    };
    let mut place = (0, 0);
    loop {
        let number = replayed.number + 1;
        let places = [place, (0, 0), (1, 0)];
        let Some((at, found)) = places.into_iter().find_map(|at| next(number, at).map(|found| (at, found)))
        else {
            break;
        };
        record::decode(found.changes, |change| replayed.overlay.apply(change))?;
        place = (at.0, at.1 + record::record_bytes(&found));
        replayed.number = number;
    }
    let greatest = greatest(segments, replayed.number);
    for (number, bytes) in segments.iter().enumerate() {
        let whole = record::whole(bytes, position.draw, greatest);
        if let Some((_, found)) = whole.iter().find(|(_, found)| found.number > replayed.number) {
            let message = format!(
                "store: the log is damaged: record {} is expected in part {} at offset {}, or at the beginning of a part; \
                 record {} stands behind it, in part {}",
                replayed.number + 1,
                place.0 + 1,
                place.1,
                found.number,
                number + 1
            );
            return Err(Error::new(ErrorKind::Corrupt, message));
        }
    }
    Ok(replayed)
}

/// No record behind the one with this number can have a greater number, because the log is too short.
pub(super) fn greatest(parts: &[Vec<u8>], number: u64) -> u64 {
    let most = parts.iter().map(Vec::len).sum::<usize>() / record::HEADER_BYTES;
    number.saturating_add(most as u64)
}

#[cfg(test)]
mod tests {
    use super::super::super::Change;
    use super::super::record::Gathering;
    use super::*;

    fn sealed(value: Vec<u8>, number: u64) -> Vec<u8> {
        let mut gathering = Gathering::default();
        gathering.add(&Change::Put { key: b"k".to_vec(), value });
        gathering.seal(number, 7).to_vec()
    }

    /// Each of these headers claims the rest of the segment. Checksums over all of them would take minutes.
    #[test]
    fn headers_within_a_message_cost_no_checksums() {
        let mut header = sealed(Vec::new(), 2)[..record::HEADER_BYTES].to_vec();
        header[16..].copy_from_slice(&(4u64 << 20).to_be_bytes());
        let hostile: Vec<u8> = header.iter().copied().cycle().take(12 << 20).collect();
        let position = Position { number: 0, draw: 7 };
        let one = sealed(hostile, 1);
        let replayed = replay(&[one.clone(), Vec::new()], position).expect("a whole record");
        assert_eq!(replayed.number, 1);
        // A record behind a damaged one is still found.
        let mut lost = one;
        lost.extend(sealed(vec![0; 100], 2));
        let damaged = lost.len() - 50;
        lost[damaged] ^= 1;
        lost.extend(sealed(Vec::new(), 3));
        assert_eq!(
            replay(&[lost, Vec::new()], position).expect_err("one is lost").kind(),
            ErrorKind::Corrupt
        );
    }
}
