//! The embedded durable store under every recoverable thing: files, TS queues, queues of messages.
//!
//! A [`Store`] is one file with named spaces: [`Keyed`] files of records and [`Logs`] of items. A [`Unit`] of work reads
//! and changes any of them; its changes are its own until [`Unit::syncpoint`], which puts all of them on disk or none.
//! Units that reach their syncpoint together share one wait for the disk. A unit that spans stores is prepared in each
//! ([`Unit::prepare`]) and decided in one ([`Unit::decide_commit`]).
//!
//! What a unit changes it locks. The store never waits for a lock itself: [`Unit::lock`] gives a [`Ticket`] to whoever
//! wants to, and refuses at once what would be a deadlock.
//!
//! Everything but the module `engine`, and the thread that commits, is logic without IO.

mod collation;
mod commit;
mod engine;
mod error;
mod fields;
mod keys;
mod locks;
mod options;
mod redefine;
mod space;
mod store;
mod tails;
mod twophase;
mod unit;
mod writes;

pub use collation::Collation;
pub use engine::{Direction, Disk};
pub use error::{Error, ErrorKind, Result};
pub use locks::{Answer, Locking, Mode, Ticket};
pub use options::{AfterCrash, Drive, KEY_BYTES_MAX, Opening, Options};
pub use space::{Definition, Keyed, Logs, Organization, Positions, Recovery, relative_key};
pub use store::{FORMAT_VERSION, Store};
pub use twophase::{
    Authority, CommitDecision, Decision, GLOBAL_ID_BYTES_MAX, GlobalId, InDoubt, Preparation, Prepared,
    Resolution, Verdict, Vote,
};
pub use unit::{Extent, Item, Record, Unit};
