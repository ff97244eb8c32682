//! The embedded durable store under every recoverable thing: files, TS queues, queues of messages.
//!
//! A [`Store`] is one file with named spaces: [`Keyed`] files of records and [`Logs`] of items. A [`Unit`] of
//! work reads and changes any of them. Its changes are its own until [`Unit::syncpoint`], which puts all of
//! them on disk or none. Units that reach their syncpoint together share one wait for the disk. A unit that
//! spans stores is prepared in each ([`Unit::prepare`]) and decided in one ([`Unit::decide_commit`]).
//!
//! A unit locks what it changes. The store never waits for a lock itself: [`Unit::lock`] gives a [`Ticket`]
//! to a caller that wants to wait, and refuses at once a wait that would be a deadlock.
//!
//! # How it works
//!
//! The trait `Engine` draws a line. Above it, keys, collations, units, locks, logs and decisions are values
//! in memory, and there is no IO except in the thread that commits. Below it is redb, alone or with a log in
//! front ([`EngineKind`]). The store asks its engine for a value, the next pair of keys, a walk, and a batch.
//!
//! A `Unit` is a private set of writes, in the order of the store, so that reading goes through both at once.
//! At the syncpoint, the `Committer` gets the set. It makes one batch of all sets that wait, and waits for
//! the disk once. Then three things happen in this order: readers see the batch, locks are free, callers get
//! their outcomes. The next holder of a lock therefore reads the data that the last holder wrote. No
//! transaction of the engine lives longer than a batch.
//!
//! `Locks` knows no clock. A request that must wait is a [`Ticket`], and the caller decides how long to wait.
//! A request that would close a circle of waiting units is refused at once, so the victim is always the unit
//! that asks last.
//!
//! Besides locks, units share little state. The ends of logs (`Tails`) let units append side by side. Only
//! the committer changes the headers of logs.
//!
//! An index in memory over the items of logs is made by [`Store::walk`], which copies no values ([`Seen`]).
//! [`Unit::take`] reads and removes an item in one step, and [`Unit::remove`] does not read the body.
//! [`Store::counters`] counts for metrics.
//!
//! A prepared unit is a record in the store: its set and its locks. Opening the store takes the locks again
//! before any unit can begin. `docs/reference/store.md` has the guarantees and the format.

mod backup;
mod collation;
mod commit;
mod copy;
mod engine;
mod error;
mod fields;
mod keys;
mod locks;
mod options;
mod redefine;
mod salvage;
mod space;
mod store;
mod tails;
mod twophase;
mod unit;
mod walk;
mod writes;

pub use collation::Collation;
pub use commit::Counters;
pub use engine::{Direction, Disk};
pub use error::{Error, ErrorKind, Result, without_name};
pub use locks::{Answer, Locking, Mode, Ticket};
pub use options::{AfterCrash, Drive, EngineKind, KEY_BYTES_MAX, Opening, Options};
pub use salvage::{Loss, Salvaged, salvage};
pub use space::{Definition, Keyed, Logs, Organization, Positions, Recovery, relative_key};
pub use store::{FORMAT_VERSION, Store};
pub use twophase::{
    Authority, CommitDecision, Decision, GLOBAL_ID_BYTES_MAX, GlobalId, InDoubt, Preparation, Prepared,
    Resolution, Verdict, Vote,
};
pub use unit::{Extent, Item, Record, Unit};
pub use walk::{LogChange, Seen};
