//! Walks over the items in the logs of a space, and over the changes of units in doubt. They serve to build
//! an index in memory.

use std::ops::{Bound, ControlFlow};

use crate::engine::{Direction, Span};
use crate::error::Result;
use crate::keys;
use crate::space::Logs;
use crate::store::{Core, Store};
use crate::twophase::GlobalId;
use crate::writes::Writes;

/// The number of items that are walked before the engine is asked again. So no read of the engine lasts long.
const ITEMS_AT_ONCE: usize = 4_096;

/// An item of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen<'a> {
    /// The name of its log.
    pub log: &'a [u8],
    /// Its position.
    pub position: u64,
    /// Its bytes, which are not copied; none if they are damaged.
    pub value: Option<&'a [u8]>,
}

/// One change of a log by a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogChange<'a> {
    /// All items that the log had are deleted.
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
        /// True if the position was empty before.
        added: bool,
    },
    /// An item is deleted.
    Removed {
        /// The name of the log.
        log: &'a [u8],
        /// Its position.
        position: u64,
    },
}

/// The changes of a unit in the logs of a space. The two ranges are those of the headers and of the items.
fn changes<'w>(writes: &'w Writes, logs: &Stretch, items: &Stretch) -> impl Iterator<Item = LogChange<'w>> {
    let cleared = writes.logs_in(logs).filter(|(_, change)| change.cleared);
    let cleared = cleared.map(|(key, _)| LogChange::Cleared { log: keys::log_name(key) });
    let items = writes.records_in(items).map(|(key, written)| {
        let (log, position) = (keys::item_log_name(key), keys::position(key));
        match &written.value {
            Some(value) => LogChange::Put { log, position, value, added: written.before_bytes == 0 },
            None => LogChange::Removed { log, position },
        }
    });
    cleared.chain(items)
}

/// A range of keys: from the first to before the second.
pub(crate) type Stretch = (Vec<u8>, Vec<u8>);

impl Store {
    /// Walks the committed items of the logs of a space: by log, then by position. Logs go by the length of
    /// their name, then by its bytes. `each` may end the walk; it must not use the store. The walk copies no
    /// values. Units may commit meanwhile; the walk sees the changes that lie ahead of it.
    ///
    /// # Errors
    /// Those of the disk. A damaged item is not an error: it comes without its bytes.
    pub fn walk(&self, logs: &Logs, each: impl FnMut(Seen<'_>) -> ControlFlow<()>) -> Result<()> {
        self.core().walk(logs, each)
    }

    /// Gives the changes of units in doubt in the logs of a space, unit by unit. Clears come first, then
    /// items in their order. `each` must not use the store.
    pub fn walk_in_doubt(&self, logs: &Logs, mut each: impl FnMut(&GlobalId, LogChange<'_>)) {
        let (headers, items) = (keys::logs(logs.0.id), keys::items_of_space(logs.0.id));
        for (id, writes) in self.core().twophase().writes_in_doubt() {
            changes(writes, &headers, &items).for_each(|change| each(id, change));
        }
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
