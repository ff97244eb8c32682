//! Changes of spaces: two exchange their names, one changes its recovery, or one is deleted.
//!
//! Handles of such a space are not followed up. Whoever calls these functions sees to it that no unit uses one of them.

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

/// How many records go with one commit when a space is discarded.
const DISCARD_RECORDS: usize = 10_000;

impl Store {
    /// Commits a unit. In the same step a space takes the name of another one, with a recovery of its own, and that other
    /// one takes its name: after a crash both have happened, and the unit's changes, or nothing.
    ///
    /// # Errors
    /// `Misuse` if one of the names stands for nothing; as [`Unit::syncpoint`].
    pub fn exchange(&self, unit: Unit, (name, recovery): (&str, Recovery), by: &str) -> Result<()> {
        let core = self.core();
        let mut spaces = core.spaces();
        let known = |name: &str| spaces.get(name).cloned().ok_or_else(|| unknown(name));
        let (old, new) = (known(name)?, known(by)?);
        let new = renamed(&new, name, recovery);
        let old = renamed(&old, by, old.definition.recovery);
        let system = [&new, &old].map(put).to_vec();
        let Unit { held, writes, coordination } = unit;
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

    /// Gives a space another recovery. What it holds is on disk afterwards, whatever it was before.
    ///
    /// # Errors
    /// `Misuse` if the name stands for nothing; what committing says.
    pub fn set_recovery(&self, name: &str, recovery: Recovery) -> Result<()> {
        let core = self.core();
        let mut spaces = core.spaces();
        let space = renamed(spaces.get(name).ok_or_else(|| unknown(name))?, name, recovery);
        core.commit_system(vec![put(&space)], Force::Disk)?;
        spaces.insert(name.to_owned(), Arc::new(space));
        Ok(())
    }

    /// Deletes a space with all that it holds, if it is there. A crash may leave a part of it; then it can be discarded
    /// again.
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
