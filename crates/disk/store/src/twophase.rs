//! Units that commit in several stores, or in none: two-phase commit with presumed abort.
//!
//! The **coordinator** is the store whose decision counts. When all participants have prepared, it writes one
//! record, with its own changes and the names of the participants. No record means abort, so aborts cost it
//! nothing. A **participant** that has prepared keeps changes and locks until it gets the decision, over a
//! restart too. The unit is in doubt while no coordinator is connected. A store in the **middle** is both: it
//! prepares after its own participants, keeps their names with its record, and takes over the decision that
//! it gets.

mod coordinator;
mod participant;
mod record;
mod recovery;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::error::{Error, ErrorKind, Result};
use crate::writes::Writes;

pub use coordinator::{CommitDecision, Verdict};
pub use participant::{Authority, InDoubt, Preparation, Prepared, Resolution, Vote};

pub(crate) use coordinator::Coordination;
use participant::PreparedUnit;
pub(crate) use recovery::recover;

/// The longest id of a distributed unit, in bytes.
pub const GLOBAL_ID_BYTES_MAX: usize = 128;

/// The id of a distributed unit in all stores that it touches. The coordinator makes it, and never makes the same id
/// twice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalId(Box<[u8]>);

impl GlobalId {
    /// An id of 1 to [`GLOBAL_ID_BYTES_MAX`] bytes.
    ///
    /// # Errors
    /// `Length`.
    pub fn new(bytes: &[u8]) -> Result<GlobalId> {
        if bytes.is_empty() || bytes.len() > GLOBAL_ID_BYTES_MAX {
            let message =
                format!("global id: expected 1 to {GLOBAL_ID_BYTES_MAX} bytes, found {}", bytes.len());
            return Err(Error::new(ErrorKind::Length, message));
        }
        Ok(GlobalId(bytes.into()))
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for GlobalId {
    /// Text if the id is text, else hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.iter().all(u8::is_ascii_graphic) {
            return self.0.iter().try_for_each(|byte| write!(f, "{}", char::from(*byte)));
        }
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

/// The end of a distributed unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Everywhere.
    Commit,
    /// Nowhere.
    Abort,
}

/// The distributed units that a store knows.
#[derive(Default)]
pub(crate) struct TwoPhase {
    /// As a participant: units that have prepared.
    prepared: BTreeMap<GlobalId, PreparedUnit>,
    /// As a participant: decisions that operators took before the coordinator's came.
    forced: BTreeMap<GlobalId, Decision>,
    /// As a coordinator: units that are not decided.
    undecided: BTreeSet<GlobalId>,
    /// As a coordinator: units that were committed, with the participants that have not confirmed.
    committed: BTreeMap<GlobalId, BTreeSet<String>>,
    /// The store has been closed, and no longer knows its units.
    closed: bool,
}

impl TwoPhase {
    /// Forgets all units, which hold the store, and takes no more.
    pub(crate) fn close(&mut self) -> Self {
        std::mem::replace(self, Self { closed: true, ..Self::default() })
    }

    /// The changes of units that have prepared and have no decision yet.
    pub(crate) fn writes_in_doubt(&self) -> impl Iterator<Item = (&GlobalId, &Writes)> {
        self.prepared.iter().filter(|(_, unit)| unit.is_in_doubt()).map(|(id, unit)| (id, &*unit.writes))
    }
}

fn fault(id: &GlobalId, kind: ErrorKind, message: &str) -> Error {
    Error::new(kind, format!("unit {id}: {message}"))
}
