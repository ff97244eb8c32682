//! Reads a damaged log: every whole record behind the last checkpoint, even if records between them are
//! missing.

use std::collections::BTreeMap;

use super::overlay::Overlay;
use super::replay::greatest;
use super::{read_position, record};
use crate::engine::Edit;
use crate::error::Result;

/// The least bytes of a part.
pub(crate) const PART_BYTES_MIN: u64 = super::GROWTH_BYTES;

/// The changes of the found records.
#[derive(Default)]
pub(crate) struct Rest {
    overlay: Overlay,
    /// The number of missing records before a found one.
    pub(crate) missing: u64,
}

impl Rest {
    /// Reads the parts of a log. `mark` is the value of the record with the start of the log.
    ///
    /// # Errors
    /// `Corrupt` if `mark` is not such a value.
    pub(crate) fn read(parts: &[Vec<u8>], mark: &[u8]) -> Result<Self> {
        let position = read_position(mark)?;
        let greatest = greatest(parts, position.number);
        let mut records: BTreeMap<u64, &[u8]> = BTreeMap::new();
        for (_, found) in parts.iter().flat_map(|part| record::whole(part, position.draw, greatest)) {
            if found.number > position.number {
                records.entry(found.number).or_insert(found.changes);
            }
        }
        let mut rest = Self { overlay: Overlay::default(), missing: 0 };
        let mut before = position.number;
        for (number, changes) in records {
            rest.missing += number - before - 1;
            before = number;
            record::decode(changes, |change| rest.overlay.apply(change))?;
        }
        Ok(rest)
    }

    /// True if the log hides this key of the file beneath.
    pub(crate) fn hides(&self, key: &[u8]) -> bool {
        self.overlay.hides(key)
    }

    /// The pairs that the log has put.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.overlay.edits().filter_map(|edit| match edit {
            Edit::Put { key, value } => Some((key, value)),
            Edit::Delete { .. } | Edit::Clear { .. } => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Gathering;
    use super::*;
    use crate::engine::Change;

    #[test]
    fn records_behind_a_damaged_one_are_read() {
        let mut part = Vec::new();
        for number in 4..=7u8 {
            let mut gathering = Gathering::default();
            gathering.add(&Change::Put { key: vec![number], value: vec![number; 3] });
            part.extend_from_slice(gathering.seal(number.into(), 9));
        }
        let bytes = part.len() / 4;
        part[bytes + 30] ^= 1;
        let mark: Vec<u8> = [4u64.to_be_bytes(), 9u64.to_be_bytes()].concat();
        let rest = Rest::read(&[Vec::new(), part], &mark).unwrap();
        assert_eq!(rest.missing, 1);
        assert_eq!(rest.pairs().collect::<Vec<_>>(), [(&[6][..], &[6; 3][..]), (&[7], &[7; 3])]);
        assert!(rest.hides(&[6]) && !rest.hides(&[4]));
        assert!(Rest::read(&[], &mark[1..]).is_err());
    }
}
