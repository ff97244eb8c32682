//! Records with keys, as one unit reads and changes them.

use std::ops::Bound;

use super::Unit;
use crate::engine::{Direction, Span};
use crate::error::{ErrorKind, Result};
use crate::keys;
use crate::locks::Mode;
use crate::space::{Keyed, Organization};
use crate::writes::weight;

/// A record that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its key, in the bytes of the program.
    pub key: Vec<u8>,
    /// Its bytes.
    pub value: Vec<u8>,
}

impl Unit {
    /// A record, with the unit's own changes. Others may change it afterwards, unless it is locked first.
    ///
    /// # Errors
    /// `Length` and `Misuse` for keys that the file cannot have; those of the disk.
    pub fn read(&self, file: &Keyed, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let key = self.record_key(file, key)?;
        let found = self.look(&key).map_err(|error| error.at(&file.0.definition.name))?;
        Ok(found.0)
    }

    /// Adds a record.
    ///
    /// # Errors
    /// `Duplicate` if it exists; `Busy` or `Locked` if another unit holds the key; `Length`, `Limit`,
    /// `Misuse`.
    pub fn insert(&mut self, file: &Keyed, key: &[u8], value: Vec<u8>) -> Result<()> {
        let key = self.record_key(file, key)?;
        self.check_value(&file.0, &key, &value)?;
        self.locked(&file.0, (&key, Mode::Exclusive), |unit| {
            let (found, before) = unit.look(&key)?;
            if found.is_some() {
                return Err(file.0.fault(ErrorKind::Duplicate, "a record with this key is there"));
            }
            unit.change(&file.0, |writes| writes.put(key.clone(), value, before))
        })
    }

    /// Gives a record another value.
    ///
    /// # Errors
    /// `NotFound` if it does not exist; else as [`Unit::insert`].
    pub fn rewrite(&mut self, file: &Keyed, key: &[u8], value: Vec<u8>) -> Result<()> {
        let key = self.record_key(file, key)?;
        self.check_value(&file.0, &key, &value)?;
        self.existing(file, &key, |unit, before| {
            unit.change(&file.0, |writes| writes.put(key.clone(), value, before))
        })
    }

    /// Deletes a record.
    ///
    /// # Errors
    /// As [`Unit::rewrite`].
    pub fn delete(&mut self, file: &Keyed, key: &[u8]) -> Result<()> {
        let key = self.record_key(file, key)?;
        self.check_room(&file.0, weight(&key, &[]))?;
        self.existing(file, &key, |unit, before| {
            unit.change(&file.0, |writes| writes.delete(key.clone(), before))
        })
    }

    /// The next record from a key on, in a direction. With [`Bound::Excluded`] it lies before or behind the
    /// key. With [`Bound::Included`] it may also have the key itself. With [`Bound::Unbounded`] it is the
    /// first or last of all. The key may be the start of a longer one. Each step sees the committed state of
    /// its moment; between steps nothing is held.
    ///
    /// # Errors
    /// `Length` for keys that are too long; those of the disk.
    pub fn browse(&self, file: &Keyed, from: Bound<&[u8]>, direction: Direction) -> Result<Option<Record>> {
        let place = |key: &[u8]| -> Result<Vec<u8>> {
            if !key.is_empty() {
                self.check_key(key).map_err(|error| error.at(&file.0.definition.name))?;
            }
            Ok(in_order(file, key))
        };
        let start = match from {
            Bound::Included(key) => Bound::Included(place(key)?),
            Bound::Excluded(key) => Bound::Excluded(place(key)?),
            Bound::Unbounded => Bound::Unbounded,
        };
        let start = start.as_ref().map(Vec::as_slice);
        let (lowest, highest) = keys::records(file.0.id);
        let (lowest, highest) = (Bound::Included(lowest.as_slice()), Bound::Excluded(highest.as_slice()));
        let or = |end| if start == Bound::Unbounded { end } else { start };
        let span = match direction {
            Direction::Forward => Span { from: or(lowest), to: highest, direction },
            Direction::Backward => Span { from: lowest, to: or(highest), direction },
        };
        let found = self.first(span, false).map_err(|error| error.at(&file.0.definition.name))?;
        Ok(found.map(|(key, value)| Record { key: as_given(file, &key), value }))
    }

    fn existing(
        &mut self,
        file: &Keyed,
        key: &[u8],
        change: impl FnOnce(&mut Self, u64) -> Result<()>,
    ) -> Result<()> {
        self.locked(&file.0, (key, Mode::Exclusive), |unit| {
            let (found, before) = unit.look(key)?;
            if found.is_none() {
                return Err(file.0.fault(ErrorKind::NotFound, "no record has this key"));
            }
            change(unit, before)
        })
    }

    /// A value as the unit sees it, and the bytes of key and value in the store, without the unit's changes.
    pub(super) fn look(&self, key: &[u8]) -> Result<(Option<Vec<u8>>, u64)> {
        if let Some(written) = self.writes.get(key) {
            return Ok((written.value.clone(), written.before_bytes));
        }
        let value = self.engine().get(key)?;
        let before = value.as_ref().map_or(0, |value| weight(key, value));
        Ok((value, before))
    }

    pub(super) fn record_key(&self, file: &Keyed, key: &[u8]) -> Result<Vec<u8>> {
        self.check_key(key).map_err(|error| error.at(&file.0.definition.name))?;
        if file.0.definition.organization == Organization::Relative && (key.len() != 4 || key == [0; 4]) {
            let message = format!("expected the number of a record from 1 in 4 bytes, found {key:02X?}");
            return Err(file.0.fault(ErrorKind::Misuse, &message));
        }
        Ok(in_order(file, key))
    }
}

fn in_order(file: &Keyed, key: &[u8]) -> Vec<u8> {
    match &file.0.order {
        None => keys::record(file.0.id, key),
        Some(order) => {
            let mut key = key.to_vec();
            order.apply(&mut key);
            keys::record(file.0.id, &key)
        }
    }
}

fn as_given(file: &Keyed, stored: &[u8]) -> Vec<u8> {
    let mut key = keys::record_key(stored).to_vec();
    if let Some(order) = &file.0.order {
        order.undo(&mut key);
    }
    key
}
