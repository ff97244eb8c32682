//! Queue managers in a configuration: `[queue_manager]` with its queues, to a manager that runs.
//!
//! [`QueueManagerSection::read`] checks what is written, and makes a [`QueueManagerPlan`]. [`Running`] opens the manager on the
//! process's store when the first plan comes. Later plans only change its definitions, so queues, waits and messages in
//! memory outlive a reload. It also has the clock: a thread discards what has expired.
//!
//! A **dropped** queue has lost its definition; its messages stay until it is defined again.
//!
//! A **listener** gets the messages of a queue; each starts a program, a service or an operation. Here it is only read.
//!
//! Deliberately absent: REST and rights.

mod exchange;
mod late;
mod listener;
mod provider;
mod running;
mod section;
mod subscription;
mod topic;
mod trigger;
mod written;

pub use exchange::QueueExchange;
pub use listener::{ListenerPlan, ListenerTarget, OrderBy, ProgramTarget, WrittenListener};
pub use provider::KIND;
pub use running::{QueueSlot, QueueUse, Running, now};
pub use section::{QueueManagerPlan, QueueManagerSection};
pub use written::WrittenQueue;
