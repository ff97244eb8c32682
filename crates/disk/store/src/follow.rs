//! Followers: an index in memory hears what is in the logs of a space, and then each change, in the order of the commits.

use std::ops::{Bound, ControlFlow};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::engine::{Direction, Span};
use crate::error::Result;
use crate::keys;
use crate::space::Logs;
use crate::store::{Core, Store};
use crate::writes::Writes;

/// How many items are walked before the engine is asked again: no read of the engine lasts long.
const ITEMS_AT_ONCE: usize = 4_096;

/// An item that a walk has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen<'a> {
    /// The name of its log.
    pub log: &'a [u8],
    /// Its position.
    pub position: u64,
    /// Its bytes, which are not copied; none if they are not those that were written.
    pub value: Option<&'a [u8]>,
}

/// One change of a log by a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogChange<'a> {
    /// All items that the log had are gone.
    Cleared {
        /// The name of the log.
        log: &'a [u8],
    },
    /// An item was added or replaced.
    Put {
        /// The name of the log.
        log: &'a [u8],
        /// Its position.
        position: u64,
        /// Its bytes.
        value: &'a [u8],
        /// True if there was no item at this position.
        added: bool,
    },
    /// An item is gone.
    Removed {
        /// The name of the log.
        log: &'a [u8],
        /// Its position.
        position: u64,
    },
}

/// Hears what is in the logs of a space, and what units change there.
///
/// The store calls it on the thread that commits, so it must be quick, and must not commit or wait for a unit. In
/// `applied` it may read, in `found` it must not use the store. When it hears of a change, the change is on disk and can be read; the locks of the unit are not free yet, and
/// its caller has not been told. What was written without a wait for the disk, as spaces that are not recoverable are, it
/// hears when it can be read. It hears of a unit that was prepared when the unit is resolved, whoever decides.
pub trait Follower: Send + Sync {
    /// An item that is there when following begins: by log, then by position.
    fn found(&self, item: Seen<'_>);
    /// A unit was applied, with at least one change in the space. Clears come first, then items in their order.
    fn applied(&self, unit: &Applied<'_>);
}

/// What a unit has changed in the logs of one space.
#[derive(Clone, Copy)]
pub struct Applied<'a> {
    writes: &'a Writes,
    entry: &'a Entry,
}

impl Applied<'_> {
    /// The changes.
    pub fn changes(&self) -> impl Iterator<Item = LogChange<'_>> {
        let cleared = self.writes.logs_in(&self.entry.logs).filter(|(_, change)| change.cleared);
        let cleared = cleared.map(|(key, _)| LogChange::Cleared { log: keys::log_name(key) });
        let items = self.writes.records_in(&self.entry.items).map(|(key, written)| {
            let (log, position) = (keys::item_log_name(key), keys::position(key));
            match &written.value {
                Some(value) => LogChange::Put { log, position, value, added: written.before_bytes == 0 },
                None => LogChange::Removed { log, position },
            }
        });
        cleared.chain(items)
    }

    fn is_empty(&self) -> bool {
        self.changes().next().is_none()
    }
}

/// A stretch of keys: from the first to before the second.
pub(crate) type Stretch = (Vec<u8>, Vec<u8>);

struct Entry {
    /// Where the headers of its logs stand, and where their items stand.
    logs: Stretch,
    items: Stretch,
    follower: Weak<dyn Follower>,
}

/// The followers of a store.
#[derive(Default)]
pub(crate) struct Followers(Mutex<Vec<Entry>>);

impl Followers {
    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells those who follow that a unit was applied.
    pub(crate) fn tell(&self, writes: &Writes) {
        if writes.is_empty() {
            return;
        }
        for entry in &*self.entries() {
            let applied = Applied { writes, entry };
            if applied.is_empty() {
                continue;
            }
            if let Some(follower) = entry.follower.upgrade() {
                follower.applied(&applied);
            }
        }
    }
}

impl Store {
    /// Tells a follower all items of the logs of a space, and from then on each change, without a gap. Units of others
    /// do not commit until all items are told. Following ends when the caller drops the follower.
    ///
    /// The walk copies no values and holds no more than a few pages; a damaged item is told without its bytes.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn follow(&self, logs: &Logs, follower: &Arc<impl Follower + 'static>) -> Result<()> {
        let core = self.core();
        core.committer.while_nothing_commits(|| {
            core.walk(logs, |item| {
                follower.found(item);
                ControlFlow::Continue(())
            })?;
            let weak: Weak<dyn Follower> = Arc::downgrade(follower) as Weak<dyn Follower>;
            let (logs, items) = (keys::logs(logs.0.id), keys::items_of_space(logs.0.id));
            let mut entries = core.committer.followers.entries();
            entries.retain(|entry| entry.follower.strong_count() > 0);
            entries.push(Entry { logs, items, follower: weak });
            Ok(())
        })
    }

    /// Walks the committed items of the logs of a space: by log, then by position. Logs go by the length of their name,
    /// then by its bytes. `each` may end the walk; it must not use the store. It copies no values. Units may commit meanwhile; what they change
    /// behind the walk is seen.
    ///
    /// # Errors
    /// Those of the disk. A damaged item is no error: it comes without its bytes.
    pub fn walk(&self, logs: &Logs, each: impl FnMut(Seen<'_>) -> ControlFlow<()>) -> Result<()> {
        self.core().walk(logs, each)
    }
}

impl Core {
    fn walk(&self, logs: &Logs, mut each: impl FnMut(Seen<'_>) -> ControlFlow<()>) -> Result<()> {
        let (mut from, to) = keys::items_of_space(logs.0.id);
        let mut first = true;
        loop {
            let after =
                if first { Bound::Included(from.as_slice()) } else { Bound::Excluded(from.as_slice()) };
            let span = Span { from: after, to: Bound::Excluded(&to), direction: Direction::Forward };
            let (mut left, mut last, mut ended) = (ITEMS_AT_ONCE, Vec::new(), false);
            self.engine.scan(span, &mut |key, value| {
                let item = Seen { log: keys::item_log_name(key), position: keys::position(key), value };
                ended = each(item).is_break();
                left -= 1;
                if left == 0 {
                    last = key.to_vec();
                }
                if ended || left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if ended || left > 0 {
                return Ok(());
            }
            (from, first) = (last, false);
        }
    }
}
