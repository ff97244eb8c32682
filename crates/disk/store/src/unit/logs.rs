//! Logs of items, as one unit reads and changes them.

use std::ops::Bound;

use super::Unit;
use crate::commit::read_header;
use crate::engine::{Direction, Span};
use crate::error::{Error, ErrorKind, Result};
use crate::keys;
use crate::locks::{Locking, Mode, Patience};
use crate::space::{Logs, Organization, Positions, Space};
use crate::tails::Wish;
use crate::writes::weight;

/// An item that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its position: from 1 in logs; the number of bytes before it in an entry-sequenced file.
    pub position: u64,
    /// Its bytes.
    pub value: Vec<u8>,
}

/// The size of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Items.
    pub count: u64,
    /// The position that the next item gets, as far as this unit knows.
    pub next: u64,
}

/// A log in the store's terms.
struct Place<'a> {
    space: &'a Space,
    positions: Positions,
    log: Vec<u8>,
    name: &'a [u8],
}

impl Place<'_> {
    fn item(&self, position: u64) -> Vec<u8> {
        keys::item(self.space.id, self.name, position)
    }

    /// The position of the first item.
    fn start(&self) -> u64 {
        u64::from(self.space.definition.organization != Organization::EntrySequenced)
    }

    /// The distance of the next position from that of an item.
    fn step(&self, value: &[u8]) -> u64 {
        match self.space.definition.organization {
            Organization::EntrySequenced => (value.len() as u64).max(1),
            _ => 1,
        }
    }
}

fn missing(place: &Place<'_>) -> Error {
    place.space.fault(ErrorKind::NotFound, "the log has no item at this position")
}

impl Unit {
    /// Adds an item at the end, and gives its position. Dense logs need the lock on the log. In others any
    /// number of units may add, and a backed-out item leaves a gap.
    ///
    /// # Errors
    /// `Busy` or `Locked` if another unit holds the log; `Length`, `Limit`, `Misuse`.
    pub fn append(&mut self, logs: &Logs, name: &[u8], value: Vec<u8>) -> Result<u64> {
        let place = self.place(logs, name)?;
        self.check_value(&logs.0, &place.item(0), &value)?;
        let mode = if place.positions == Positions::Dense { Mode::Exclusive } else { Mode::Shared };
        self.locked(&logs.0, (&place.log, mode), |unit| {
            let position = unit.position(&place, &value)?;
            let next = position.saturating_add(place.step(&value));
            let appended = unit.change(&logs.0, |writes| {
                writes.put(place.item(position), value, 0);
                writes.appended(&place.log, place.positions, next);
            });
            if !logs.0.is_recoverable() && place.positions == Positions::Unique {
                unit.held.core.tails().release(&place.log);
            }
            appended.map(|()| position)
        })
    }

    /// An item, with the unit's own changes.
    ///
    /// # Errors
    /// `Length`, `Misuse`; those of the disk.
    pub fn item(&self, logs: &Logs, name: &[u8], position: u64) -> Result<Option<Vec<u8>>> {
        let place = self.place(logs, name)?;
        Ok(self.look_item(&place, &place.item(position))?.0)
    }

    /// Gives an item another value. In an entry-sequenced file it must have the same length.
    ///
    /// # Errors
    /// `NotFound` if the item does not exist; else as [`Unit::append`].
    pub fn replace(&mut self, logs: &Logs, name: &[u8], position: u64, value: Vec<u8>) -> Result<()> {
        let place = self.place(logs, name)?;
        let key = place.item(position);
        self.check_value(&logs.0, &key, &value)?;
        self.at_item(&place, &key, |unit, (old, before)| {
            if logs.0.definition.organization == Organization::EntrySequenced && old.len() != value.len() {
                let message =
                    format!("expected {} bytes, as the record has, found {}", old.len(), value.len());
                return Err(logs.0.fault(ErrorKind::Length, &message));
            }
            unit.change(&logs.0, |writes| writes.put(key.clone(), value, before))
        })
    }

    /// Deletes an item of a log that may have gaps. It does not read the item, so it deletes damaged ones
    /// too.
    ///
    /// # Errors
    /// `NotFound` if the item does not exist; `Misuse` for dense logs and entry-sequenced files; else as
    /// [`Unit::append`].
    pub fn remove(&mut self, logs: &Logs, name: &[u8], position: u64) -> Result<()> {
        let place = self.gapped(logs, name)?;
        let key = place.item(position);
        self.check_room(&logs.0, weight(&key, &[]))?;
        self.at_locked_item(&place, &key, |unit| {
            let before = unit.measure_item(&place, &key)?.ok_or_else(|| missing(&place))?;
            unit.change(&logs.0, |writes| writes.delete(key.clone(), before))
        })
    }

    /// Takes back an item that this unit has added. It needs no lock and no room in the unit. False if the unit has
    /// not added the item.
    ///
    /// # Errors
    /// `Misuse` for dense logs and entry-sequenced files; `Length`.
    pub fn take_back(&mut self, logs: &Logs, name: &[u8], position: u64) -> Result<bool> {
        let key = self.gapped(logs, name)?.item(position);
        let own = self.writes.get(&key);
        let is_own = own.is_some_and(|written| written.value.is_some() && written.before_bytes == 0);
        if is_own {
            self.writes.delete(key, 0);
        }
        Ok(is_own)
    }

    /// Deletes an item of a log that may have gaps, and returns it.
    ///
    /// # Errors
    /// As [`Unit::remove`]; `Corrupt` if the item is damaged, and then it stays.
    pub fn take(&mut self, logs: &Logs, name: &[u8], position: u64) -> Result<Vec<u8>> {
        let place = self.gapped(logs, name)?;
        let key = place.item(position);
        self.check_room(&logs.0, weight(&key, &[]))?;
        self.at_item(&place, &key, |unit, (value, before)| {
            unit.change(&logs.0, |writes| writes.delete(key.clone(), before)).map(|()| value)
        })
    }

    /// Takes the first item that no other unit holds out of a log that may have gaps. Returns `None` if no such item
    /// exists.
    ///
    /// # Errors
    /// As [`Unit::remove`].
    pub fn take_first(&mut self, logs: &Logs, name: &[u8]) -> Result<Option<Item>> {
        let place = self.gapped(logs, name)?;
        let mut from = Bound::Unbounded;
        while let Some(item) = self.browse_place(&place, from, Direction::Forward)? {
            match self.remove(logs, name, item.position) {
                Ok(()) => return Ok(Some(item)),
                // Another unit holds it, or has taken it since it was read.
                Err(error)
                    if matches!(error.kind(), ErrorKind::Busy | ErrorKind::Locked | ErrorKind::NotFound) => {}
                Err(error) => return Err(error),
            }
            from = Bound::Excluded(item.position);
        }
        Ok(None)
    }

    /// The next item from a position on, like [`Unit::browse`] for records.
    ///
    /// # Errors
    /// As [`Unit::item`].
    pub fn browse_items(
        &self,
        logs: &Logs,
        name: &[u8],
        from: Bound<u64>,
        direction: Direction,
    ) -> Result<Option<Item>> {
        let place = self.place(logs, name)?;
        self.browse_place(&place, from, direction)
    }

    /// Deletes all items of a log: DELETEQ. A dense log then begins with 1 again.
    ///
    /// # Errors
    /// `NotFound` if it has no items; `Busy` or `Locked` if another unit holds it; `Misuse` for
    /// entry-sequenced files.
    pub fn clear(&mut self, logs: &Logs, name: &[u8]) -> Result<()> {
        let place = self.place(logs, name)?;
        if logs.0.definition.organization == Organization::EntrySequenced {
            return Err(logs.0.fault(ErrorKind::Misuse, "records of an entry-sequenced file stay"));
        }
        self.locked(&logs.0, (&place.log, Mode::Exclusive), |unit| {
            if unit.extent_of(&place)?.count == 0 {
                return Err(logs.0.fault(ErrorKind::NotFound, "the log has no items"));
            }
            unit.change(&logs.0, |writes| writes.clear(&place.log, place.positions))
        })
    }

    /// The size of a log, with the unit's own changes. A missing log is empty.
    ///
    /// # Errors
    /// As [`Unit::item`].
    pub fn extent(&self, logs: &Logs, name: &[u8]) -> Result<Extent> {
        self.extent_of(&self.place(logs, name)?)
    }

    /// The name of the next log behind `after`, by its bytes. Additions and clears of this unit do not count.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn next_log(&self, logs: &Logs, after: Option<&[u8]>) -> Result<Option<Vec<u8>>> {
        let (lowest, highest) = keys::logs(logs.0.id);
        let after = after.map(|name| keys::log(logs.0.id, name));
        let from = after.as_deref().map_or(Bound::Included(lowest.as_slice()), Bound::Excluded);
        let span = Span { from, to: Bound::Excluded(&highest), direction: Direction::Forward };
        let found = self.engine().first(span)?;
        Ok(found.map(|(key, _)| keys::log_name(&key).to_vec()))
    }

    pub(super) fn log_key(&self, logs: &Logs, name: &[u8]) -> Result<Vec<u8>> {
        self.place(logs, name).map(|place| place.log)
    }

    fn place<'a>(&self, logs: &'a Logs, name: &'a [u8]) -> Result<Place<'a>> {
        let space = &*logs.0;
        let positions = match space.definition.organization {
            Organization::Logs(positions) => {
                self.check_key(name).map_err(|error| error.at(&space.definition.name))?;
                positions
            }
            _ if name.is_empty() => Positions::Unique,
            _ => return Err(space.fault(ErrorKind::Misuse, "an entry-sequenced file has no logs with names")),
        };
        Ok(Place { space, positions, log: keys::log(space.id, name), name })
    }

    fn gapped<'a>(&self, logs: &'a Logs, name: &'a [u8]) -> Result<Place<'a>> {
        match logs.0.definition.organization {
            Organization::Logs(Positions::Unique) => self.place(logs, name),
            _ => Err(logs
                .0
                .fault(ErrorKind::Misuse, "single items are only deleted in logs that may have gaps")),
        }
    }

    /// Runs a change of one existing item, with the locks for it.
    fn at_item<T>(
        &mut self,
        place: &Place<'_>,
        key: &[u8],
        change: impl FnOnce(&mut Self, (Vec<u8>, u64)) -> Result<T>,
    ) -> Result<T> {
        self.at_locked_item(place, key, |unit| match unit.look_item(place, key)? {
            (Some(value), before) => change(unit, (value, before)),
            (None, _) => Err(missing(place)),
        })
    }

    /// Runs a change with the locks for one item.
    fn at_locked_item<T>(
        &mut self,
        place: &Place<'_>,
        key: &[u8],
        change: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if place.positions == Positions::Dense {
            return self.locked(place.space, (&place.log, Mode::Exclusive), change);
        }
        self.locked(place.space, (&place.log, Mode::Shared), |unit| {
            unit.locked(place.space, (key, Mode::Exclusive), change)
        })
    }

    /// The bytes of key and value of an item in the store, without the unit's changes; none if the unit does
    /// not see the item.
    fn measure_item(&self, place: &Place<'_>, key: &[u8]) -> Result<Option<u64>> {
        if let Some(written) = self.writes.get(key) {
            return Ok(written.value.is_some().then_some(written.before_bytes));
        }
        if self.is_cleared(place) {
            return Ok(None);
        }
        let length = self.engine().length(key).map_err(|error| error.at(&place.space.definition.name))?;
        Ok(length.map(|length| length + key.len() as u64))
    }

    fn position(&mut self, place: &Place<'_>, value: &[u8]) -> Result<u64> {
        if place.positions == Positions::Dense {
            return Ok(self.extent_of(place)?.next);
        }
        let recoverable = place.space.is_recoverable();
        let first = !recoverable || !self.held.tails.contains(&place.log);
        let core = &self.held.core;
        let wish = Wish { log: &place.log, step: place.step(value), first };
        let committed = || Ok(read_header(&*core.engine, &place.log)?.next.max(place.start()));
        let position = core.tails().reserve(&wish, committed)?;
        if first && recoverable {
            self.held.tails.insert(place.log.clone());
        }
        Ok(position)
    }

    fn is_cleared(&self, place: &Place<'_>) -> bool {
        self.writes.log(&place.log).is_some_and(|change| change.cleared)
    }

    /// As [`Unit::look`]. If the unit has cleared the log, only items that it has added since are left.
    fn look_item(&self, place: &Place<'_>, key: &[u8]) -> Result<(Option<Vec<u8>>, u64)> {
        if self.is_cleared(place) {
            return Ok((self.writes.get(key).and_then(|written| written.value.clone()), 0));
        }
        self.look(key).map_err(|error: Error| error.at(&place.space.definition.name))
    }

    fn browse_place(
        &self,
        place: &Place<'_>,
        from: Bound<u64>,
        direction: Direction,
    ) -> Result<Option<Item>> {
        let (lowest, highest) = keys::items(&place.log);
        let start = from.map(|position| place.item(position));
        let start = start.as_ref().map(Vec::as_slice);
        let or = |end| if start == Bound::Unbounded { end } else { start };
        let (from, to) = (Bound::Included(lowest.as_slice()), Bound::Excluded(highest.as_slice()));
        let span = match direction {
            Direction::Forward => Span { from: or(from), to, direction },
            Direction::Backward => Span { from, to: or(to), direction },
        };
        let found = self.first(span, self.is_cleared(place));
        let found = found.map_err(|error| error.at(&place.space.definition.name))?;
        Ok(found.map(|(key, value)| Item { position: keys::position(&key), value }))
    }

    fn extent_of(&self, place: &Place<'_>) -> Result<Extent> {
        let header = read_header(self.engine(), &place.log)?;
        let change = self.writes.log(&place.log);
        let committed = if self.is_cleared(place) { 0 } else { header.count };
        let count = committed.saturating_add_signed(self.writes.items_added(&place.log));
        let own = change.map_or(0, |change| change.next);
        let next = match (place.positions, self.is_cleared(place)) {
            (Positions::Dense, true) => own,
            _ => header.next.max(own),
        };
        Ok(Extent { count, next: next.max(place.start()) })
    }

    /// Asks for the lock on one item of a log that may have gaps, or on a record of an entry-sequenced file.
    ///
    /// # Errors
    /// As [`Unit::lock`]; `Misuse` for dense logs, which are locked as a whole.
    pub fn lock_item(&mut self, logs: &Logs, name: &[u8], position: u64, mode: Mode) -> Result<Locking> {
        let place = self.place(logs, name)?;
        if place.positions == Positions::Dense {
            return Err(logs.0.fault(ErrorKind::Misuse, "dense logs are locked as a whole"));
        }
        // Refused at once if a unit is clearing the log, because then no item is left to wait for.
        self.request((&place.log, Mode::Shared), Patience::Refuse)
            .and_then(|_| self.request((&place.item(position), mode), Patience::Wait))
            .map_err(|error| error.at(&logs.0.definition.name))
    }

    /// Gives the lock on one item up. An item that the unit has changed stays locked.
    ///
    /// # Errors
    /// As [`Unit::item`].
    pub fn unlock_item(&mut self, logs: &Logs, name: &[u8], position: u64) -> Result<()> {
        let key = self.place(logs, name)?.item(position);
        if self.writes.get(&key).is_none() {
            self.held.core.locks.release(self.held.unit, &key);
        }
        Ok(())
    }

    /// Gives the lock on a whole log up, unless the unit has changed something in it.
    ///
    /// # Errors
    /// As [`Unit::item`].
    pub fn unlock_log(&mut self, logs: &Logs, name: &[u8]) -> Result<()> {
        let log = self.log_key(logs, name)?;
        if self.writes.log(&log).is_none() && !self.writes.has_items(&log) {
            self.held.core.locks.release(self.held.unit, &log);
        }
        Ok(())
    }
}
