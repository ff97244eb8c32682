//! Changes of spaces: two spaces exchange their names, one changes its recovery, or one is deleted.
//!
//! Existing handles of such a space are not updated. The caller must make sure that no unit uses one of them.

use std::ops::Bound;
use std::sync::Arc;

use crate::commit::{Outcome, Submission};
use crate::engine::{Change, Direction, Force, Span};
use crate::error::{Error, ErrorKind, Result};
use crate::keys;
use crate::space::{Definition, Positions, Recovery, Space};
use crate::store::{Core, Store};
use crate::unit::Unit;
use crate::writes::{Writes, weight};

/// The number of records that one commit deletes when a space is discarded.
const DISCARD_RECORDS: usize = 10_000;

impl Store {
    /// Commits a unit. In the same step the spaces `name` and `by` exchange their names, and the space that
    /// is now called `name` gets `recovery`. After a crash the exchange and the unit's changes are both
    /// there, or neither.
    ///
    /// # Errors
    /// `Misuse` if one of the spaces does not exist; as [`Unit::syncpoint`].
    pub fn exchange(&self, unit: Unit, name: &str, recovery: Recovery, by: &str) -> Result<()> {
        let core = self.core();
        let mut spaces = core.spaces();
        let known = |name: &str| spaces.get(name).cloned().ok_or_else(|| unknown(name));
        let (old, new) = (known(name)?, known(by)?);
        let new = renamed(&new, name, recovery);
        let old = renamed(&old, by, old.definition.recovery);
        let system = [&new, &old].map(put).to_vec();
        let Unit { held, writes, coordination, .. } = unit;
        let outcome = Outcome::default();
        let told = outcome.clone();
        core.committer.submit(Submission::of_unit(writes, system, move |result| {
            drop((coordination, held));
            told.tell(result);
        }));
        core.committer.wait(&outcome)?;
        spaces.insert(name.to_owned(), Arc::new(new));
        spaces.insert(by.to_owned(), Arc::new(old));
        Ok(())
    }

    /// Gives a space another recovery. Its content is on disk afterwards, whatever recovery it had.
    ///
    /// # Errors
    /// `Misuse` if the space does not exist; the errors of a commit.
    pub fn set_recovery(&self, name: &str, recovery: Recovery) -> Result<()> {
        let core = self.core();
        let mut spaces = core.spaces();
        let space = renamed(spaces.get(name).ok_or_else(|| unknown(name))?, name, recovery);
        core.commit_system(vec![put(&space)], Force::Disk)?;
        spaces.insert(name.to_owned(), Arc::new(space));
        Ok(())
    }

    /// Deletes a space with all its content, if it exists. A crash may leave a part of it. Then it can be
    /// discarded again.
    ///
    /// # Errors
    /// The errors of a commit.
    pub fn discard(&self, name: &str) -> Result<()> {
        let core = self.core();
        let mut spaces = core.spaces();
        let Some(space) = spaces.get(name) else { return Ok(()) };
        core.clear_records(space)?;
        core.clear_logs(space)?;
        let (from, to) = keys::logs(space.id);
        let changes = vec![Change::Clear { from, to }, Change::Delete { key: keys::definition(name) }];
        core.commit_system(changes, Force::Disk)?;
        spaces.remove(name);
        Ok(())
    }
}

impl Core {
    fn clear_records(&self, space: &Space) -> Result<()> {
        let (from, to) = keys::records(space.id);
        loop {
            let mut writes = Writes::default();
            let mut after = Bound::Included(from.clone());
            while writes.count() < DISCARD_RECORDS {
                let from = after.as_ref().map(Vec::as_slice);
                let span = Span { from, to: Bound::Excluded(&to), direction: Direction::Forward };
                let Some((key, value)) = self.engine.first(span)? else { break };
                writes.delete(key.clone(), weight(&key, &value));
                after = Bound::Excluded(key);
            }
            if writes.is_empty() {
                return Ok(());
            }
            self.commit_now(writes, Force::Lazy)?;
        }
    }

    fn clear_logs(&self, space: &Space) -> Result<()> {
        let (from, to) = keys::logs(space.id);
        let mut writes = Writes::default();
        let mut after = Bound::Included(from);
        loop {
            let from = after.as_ref().map(Vec::as_slice);
            let span = Span { from, to: Bound::Excluded(&to), direction: Direction::Forward };
            let Some((log, _)) = self.engine.first(span)? else { break };
            writes.clear(&log, Positions::Unique);
            after = Bound::Excluded(log);
        }
        if writes.is_empty() { Ok(()) } else { self.commit_now(writes, Force::Lazy) }
    }
}

fn renamed(space: &Space, name: &str, recovery: Recovery) -> Space {
    let definition = Definition { name: name.to_owned(), recovery, ..space.definition.clone() };
    Space { id: space.id, definition, order: space.order.clone() }
}

fn put(space: &Space) -> Change {
    Change::Put { key: keys::definition(&space.definition.name), value: space.encode() }
}

fn unknown(name: &str) -> Error {
    Error::new(ErrorKind::Misuse, format!("{name}: the store has nothing of this name"))
}
