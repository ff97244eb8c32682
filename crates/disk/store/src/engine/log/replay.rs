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
    for (number, bytes) in segments.iter().enumerate() {
        if let Some(found) = later(bytes, position.draw, replayed.number) {
            let message = format!(
                "store: the log is damaged: record {} is expected in part {} at offset {}, or at the beginning of a part; \
                 record {found} stands behind it, in part {}",
                replayed.number + 1,
                place.0 + 1,
                place.1,
                number + 1
            );
            return Err(Error::new(ErrorKind::Corrupt, message));
        }
    }
    Ok(replayed)
}

/// The number of a whole record, if it is later than `last`.
fn later(bytes: &[u8], draw: u64, last: u64) -> Option<u64> {
    let mut from = 0;
    while let Some(offset) = record::next_mark(&bytes[from..]) {
        from += offset;
        if let Some(found) = record::read(&bytes[from..], draw).filter(|found| found.number > last) {
            return Some(found.number);
        }
        from += 1;
    }
    None
}
