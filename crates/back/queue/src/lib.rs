//! The queue manager: messages put and got in units of work, kept in the store.
//!
//! A [`Manager`] is opened on a store with its definitions of queues. A [`Session`] puts, gets, browses and waits. What it
//! changes belongs to a [`Scope`]: a unit of the store, and [`Changes`] to the queues that go with it. A [`Work`] is a
//! unit of a session's own. So messages commit together with files and TS queues if the caller brings its unit.
//!
//! # How it works
//!
//! A persistent message is an item of the queue's log in the store. Others are in memory only. For both, an `Index` in
//! memory has the order and the ids; it is built when the manager opens. A put makes an entry that nobody can get; when
//! its unit has committed, the entry becomes ready. A get takes the entry, and removes the item in its unit. When the unit
//! has committed, the entry is forgotten. When the unit is backed out, the entry is ready again at its old place, and the
//! backout is counted. At the queue's threshold the manager moves the message to the backout queue.
//!
//! A unit may be in doubt when the manager opens. What it has put or got keeps its place in the index, as if the unit were
//! open. Each sweep asks the store whether the unit has been told.
//!
//! Whoever waits for a message has a [`Waiter`]. A message that becomes ready goes to the first waiter that it fits, so
//! nobody else can get it; the waiter's function is called, and [`Waiter::get`] takes the message in a unit. A waiter that
//! is dropped gives its message to the next.
//!
//! A sender may want reports of his message. The report that it has arrived is put in the unit that puts the message; the one
//! that it was delivered in the unit that gets it; the one that it has expired in the unit that discards it. So a report is
//! there exactly when what it tells is true.
//!
//! # Words
//! A queue is **local**, an **alias** of another, or a **model** from which queues are made. A **dropped** queue has lost
//! its definition and keeps its messages. The **depth** counts all messages, also those that are not committed.
//!
//! Deliberately absent: clocks (callers bring the [`message::Moment`]), threads, networks, HTTP, who may do what.

mod changes;
mod codec;
mod definition;
mod error;
mod finding;
mod ids;
mod index;
mod inquiry;
mod manager;
mod news;
mod operate;
mod reports;
mod session;
mod sweep;
mod topics;
mod triggers;
mod waiter;

pub use changes::{Changes, Scope, Work};
pub use definition::{
    Attributes, Definition, Definitions, LENGTH_BYTES_MAX, Limits, Origin, Process, QueueKind, Trigger,
    TriggerType,
};
pub use error::{OpenError, refusal};
pub use inquiry::{Counters, Inquiry};
pub use manager::{Manager, Notice};
pub use news::News;
pub use session::{Browsed, DeadLetter, Position, Put, Session};
pub use sweep::{ReservationId, Swept};
pub use topics::{Subscription, TOPIC_BYTES_MAX, is_topic};
pub use triggers::{TriggerEvent, Triggering};
pub use waiter::Waiter;
