//! The queue manager: messages put and got in units of work, kept in the store.
//!
//! A [`Manager`] is opened on a store with its definitions of queues. A [`Session`] puts, gets,
//! browses and waits. Its changes belong to a [`Scope`]: a unit of the store, with the [`Changes`]
//! of queues in it. A [`Work`] is a unit of one session. If the caller brings its own unit,
//! messages commit together with files and TS queues.
//!
//! # How it works
//!
//! A persistent message is an item of the queue's log in the store. Other messages are only in
//! memory. For both, an `Index` in memory has the order and the ids. The manager builds it when it
//! opens. A put makes an entry that nobody can get. After the commit of its unit, the entry becomes
//! ready. A get takes the entry, and removes the item in its unit. After the commit, the entry is
//! forgotten. After a backout, the entry is ready again at its old place, and the backout counts.
//! At the queue's threshold the manager moves the message to the backout queue.
//!
//! A unit may be in doubt when the manager opens. Its puts and gets keep their places in the index,
//! as if the unit were open. Each sweep asks the store whether the unit has ended.
//!
//! A caller that waits for a message has a [`Waiter`]. A message that becomes ready goes to the
//! first waiter that it fits. Nobody else can get it. The manager calls the waiter's function, and
//! [`Waiter::get`] takes the message in a unit. If a waiter is dropped, its message goes to the
//! next.
//!
//! Senders may want reports of their messages. The unit that puts a message also puts its report of
//! arrival. The unit that gets it puts the report of delivery, and the unit that discards it the
//! report of expiry. So a report exists exactly if its event has happened.
//!
//! A message that can go nowhere else goes to the dead-letter queue, with MQDLH before its body. So it is
//! known where it should have gone, and [`Manager::retry`] can send it there.
//!
//! # Words
//! A queue is **local**, an **alias** of another, or a **model** from which queues are made. A **dropped** queue has lost
//! its definition and keeps its messages. The **depth** counts all messages, also those that are not committed.
//!
//! Deliberately absent: clocks (callers bring the [`message::Moment`]), threads, networks, HTTP, rights.

mod changes;
mod codec;
mod dead_letter;
mod definition;
mod error;
mod finding;
mod ids;
mod index;
mod inquiry;
mod manager;
mod news;
mod operate;
mod publish;
mod reports;
mod retry;
mod session;
mod subscription;
mod sweep;
mod topics;
mod triggers;
mod waiter;

pub use changes::{Changes, Scope, Work};
pub use dead_letter::Destination;
pub use definition::{
    Attributes, Definition, Definitions, LENGTH_BYTES_MAX, Limits, Origin, Process, QueueKind, Trigger,
    TriggerType,
};
pub use error::{OpenError, refusal};
pub use inquiry::{Counters, Inquiry};
pub use manager::{Manager, Notice};
pub use news::News;
pub use publish::Published;
pub use retry::{Retried, STAYS_MAX};
pub use session::{Browsed, DeadLetter, Position, Put, Session, Within};
pub use subscription::{
    HeldQueue, HeldSubscription, Registration, SUBSCRIPTION_NAME_BYTES_MAX, Subscription,
    SubscriptionPriority,
};
pub use sweep::{ReservationId, Swept};
pub use topics::{TOPIC_BYTES_MAX, Topic, is_topic};
pub use triggers::{TriggerEvent, Triggering};
pub use waiter::Waiter;
