//! Alternate indexes: the records of a file by another field of theirs.
//!
//! An index is a space of the store with an entry for each record of its base file, which is written and backed out with the
//! record. Entries with one key are in the order in which they were made (z/OS DFSMS, "Using a path to access records"): what
//! follows the key in an entry's own key is a number of [`NUMBER_BYTES`] digits, which keep their order in every collation.

use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use store::{Definition, Direction, ErrorKind, Keyed, Organization, Recovery, Result, Unit};
use wire::Name;

use super::PathDefinition;
use super::records::{Found, Records};
use crate::resources::durable::Opened;

/// The digits behind a key that need not be unique.
pub(crate) const NUMBER_BYTES: usize = 20;

/// An alternate index of a file.
#[derive(Debug)]
pub(crate) struct Index {
    entries: Keyed,
    pub(super) name: Name<8>,
    key_offset: usize,
    key_bytes: usize,
    pub(super) unique: bool,
    /// The number of the entry that was made last.
    last_number: AtomicU64,
}

/// An entry: its own key, and the key of its record.
type Entry = (Vec<u8>, Vec<u8>);

impl Index {
    pub(super) fn open(name: Name<8>, path: &PathDefinition, opened: &Opened) -> Result<Self> {
        let PathDefinition { key_offset, key_bytes, unique, .. } = *path;
        let entries = opened.store.keyed(&Self::definition(name, path))?;
        Ok(Self { entries, name, key_offset, key_bytes, unique, last_number: AtomicU64::new(0) })
    }

    /// How the store keeps the entries of a path.
    pub(super) fn definition(name: Name<8>, path: &PathDefinition) -> Definition {
        Definition {
            name: format!("path.{}", String::from_utf8_lossy(&name).trim_end()),
            organization: Organization::KeySequenced(path.collation),
            recovery: Recovery::Recoverable,
        }
    }

    /// The alternate key in a record. None if the record ends before: then it has no entry.
    pub(super) fn key_in<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        record.get(self.key_offset..self.key_offset + self.key_bytes)
    }

    fn key_of<'e>(&self, entry: &'e [u8]) -> &'e [u8] {
        entry.get(..self.key_bytes).unwrap_or(entry)
    }

    /// True if another record has the key, in an index where only one may.
    pub(super) fn is_taken(&self, unit: &Unit, key: &[u8]) -> Result<bool> {
        Ok(self.unique && unit.read(&self.entries, key)?.is_some())
    }

    /// Asks for the lock on a key that only one record may have.
    pub(super) fn lock(&self, unit: &mut Unit, key: &[u8]) -> Result<store::Locking> {
        unit.lock(&self.entries, key, store::Mode::Exclusive)
    }

    /// Adds the entry of a record.
    pub(super) fn add(&self, unit: &mut Unit, record: &[u8], base: &[u8]) -> Result<()> {
        let Some(key) = self.key_in(record) else { return Ok(()) };
        if self.unique {
            return unit.insert(&self.entries, key, base.to_vec());
        }
        loop {
            let entry = [key, format!("{:020}", self.next_number()).as_bytes()].concat();
            match unit.insert(&self.entries, &entry, base.to_vec()) {
                // Made before the clock was put back, or by somebody else just now.
                Err(error) if matches!(error.kind(), ErrorKind::Duplicate | ErrorKind::Busy) => {}
                done => return done,
            }
        }
    }

    /// Removes the entry of a record.
    pub(super) fn remove(&self, unit: &mut Unit, record: &[u8], base: &[u8]) -> Result<()> {
        let Some(key) = self.key_in(record) else { return Ok(()) };
        if self.unique {
            return unit.delete(&self.entries, key);
        }
        let mut entry = self.entry(unit, Bound::Included(key), Direction::Forward)?;
        while let Some((place, found)) = entry.filter(|(place, _)| self.key_of(place) == key) {
            if found == base {
                return unit.delete(&self.entries, &place);
            }
            entry = self.entry(unit, Bound::Excluded(&place), Direction::Forward)?;
        }
        let message =
            format!("the index {} lacks the entry of a record", String::from_utf8_lossy(&self.name));
        tracing::error!("{message}");
        Ok(())
    }

    /// Later than all numbers of before, as far as the clock goes; no two are alike.
    fn next_number(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        let later = |last: u64| Some(now.max(last + 1));
        match self.last_number.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later) {
            Ok(last) | Err(last) => now.max(last + 1),
        }
    }

    fn entry(&self, unit: &Unit, from: Bound<&[u8]>, direction: Direction) -> Result<Option<Entry>> {
        let found = unit.browse(&self.entries, from, direction)?;
        Ok(found.map(|record| (record.key, record.value)))
    }

    /// The first entry at or after a key.
    fn first_of(&self, unit: &Unit, key: &[u8]) -> Result<Option<Entry>> {
        self.entry(unit, Bound::Included(key), Direction::Forward)
    }

    fn follows(&self, unit: &Unit, place: &[u8]) -> Result<Option<Entry>> {
        if self.unique {
            return Ok(None);
        }
        let next = self.entry(unit, Bound::Excluded(place), Direction::Forward)?;
        Ok(next.filter(|(next, _)| self.key_of(next) == self.key_of(place)))
    }

    /// The next entry backwards: from key to key, but of one key the entries go forwards.
    fn back(&self, unit: &Unit, from: Bound<&[u8]>) -> Result<Option<Entry>> {
        let before = match from {
            Bound::Excluded(place) => match self.follows(unit, place)? {
                Some(next) => return Ok(Some(next)),
                None => self.entry(unit, Bound::Excluded(self.key_of(place)), Direction::Backward)?,
            },
            Bound::Included(place) if !self.unique && place.len() <= self.key_bytes => {
                let first = self.first_of(unit, place)?;
                match first.filter(|(first, _)| self.key_of(first) == place) {
                    Some(first) => return Ok(Some(first)),
                    None => self.entry(unit, Bound::Excluded(place), Direction::Backward)?,
                }
            }
            from => return self.entry(unit, from, Direction::Backward),
        };
        match before {
            Some((place, _)) if !self.unique => self.first_of(unit, self.key_of(&place)),
            before => Ok(before),
        }
    }

    /// The next record of the base by this index, from an entry's key or the beginning of one on.
    pub(super) fn browse(
        &self,
        unit: &Unit,
        records: &Records,
        from: Bound<&[u8]>,
        direction: Direction,
    ) -> Result<Option<Found>> {
        let mut from = from.map(<[u8]>::to_vec);
        loop {
            let bound = from.as_ref().map(Vec::as_slice);
            let entry = match direction {
                Direction::Forward => self.entry(unit, bound, direction)?,
                Direction::Backward => self.back(unit, bound)?,
            };
            let Some((place, key)) = entry else { return Ok(None) };
            if let Some(record) = self.record(unit, records, &place, &key)? {
                let more_follow = self.follows(unit, &place)?.is_some();
                return Ok(Some(Found { place: Some(place), key, record, more_follow }));
            }
            from = Bound::Excluded(place);
        }
    }

    /// The record of an entry. None if another task has just committed that the record has another key, or is
    /// gone.
    pub(super) fn record(
        &self,
        unit: &Unit,
        records: &Records,
        place: &[u8],
        key: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        let record = records.read(unit, key)?;
        Ok(record.filter(|record| self.key_in(record) == Some(self.key_of(place))))
    }

    /// The alternate key of an entry.
    pub(super) fn id<'e>(&self, place: &'e [u8]) -> &'e [u8] {
        self.key_of(place)
    }

    /// Removes some entries; false if there were none.
    pub(super) fn clear_some(&self, unit: &mut Unit, most: usize) -> Result<bool> {
        let mut last: Option<Vec<u8>> = None;
        for count in 0..most {
            // Goes on after the last one, so that entries that the unit has deleted are passed only once.
            let from = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
            let Some((place, _)) = self.entry(unit, from, Direction::Forward)? else {
                return Ok(count > 0);
            };
            unit.delete(&self.entries, &place)?;
            last = Some(place);
        }
        Ok(true)
    }

    /// All entries as they are, for tests that compare them with the records.
    #[cfg(test)]
    pub(super) fn all(&self, unit: &Unit) -> Vec<(Vec<u8>, Vec<u8>)> {
        let (mut all, mut from) = (Vec::new(), Bound::Unbounded);
        while let Some((place, key)) =
            self.entry(unit, from.as_ref().map(Vec::as_slice), Direction::Forward).expect("the disk")
        {
            all.push((self.key_of(&place).to_vec(), key));
            from = Bound::Excluded(place);
        }
        all
    }
}
