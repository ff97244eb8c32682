//! Listeners of queues: each message starts a program, a service, an operation of an API, or a web service.
//!
//! # Data path
//!
//! 1. [`Listeners::apply`] compares the listeners of a configuration with those that run. Each that is new gets a task on the
//!    thread of the listeners; each that is gone gets no more messages, and ends when those that it has are done.
//! 2. `dispatcher.rs` waits for a message (it never polls), gets it in a unit of work, and gives it a place: at once, or
//!    behind the message before it that has the same key.
//! 3. `delivery.rs` calls the target. The gateway and the region are those that serve at that time.
//! 4. `reply.rs` puts what comes back on the message's reply-to queue, in the unit that has got the message. The commit of
//!    that unit ends the message.
//!
//! # What holds
//!
//! The work of a **program** of the region, as a listener's own target or behind a service, is done in the unit that has
//! got the message. So message, work and reply are there together, or not at all. All other targets are called **at least
//! once**: if the process ends between their work and the commit, the message comes again.
//!
//! A message whose target **fails** is backed out, and counted; at the threshold of its queue the queue manager moves it. If
//! a target **cannot be called now** (it is stopped, full, or refuses the listener), the message goes back uncounted. After
//! both, the listener gets no message for a pause, which doubles with each failure.
//!
//! With **order**, messages of one key are worked on one after the other. When one of them goes back to its queue, those
//! behind it go back before it does, so that nothing overtakes it.
//!
//! # Where other targets go
//!
//! A front of its own for messages is a kind of `queue_config::ListenerTarget`, and an arm in
//! `Delivery::deliver`: it gets the message and says in an `End` what came of it. SOAP
//! is one (`soap.rs`).
//!
//! Deliberately absent: definitions of queues, who may put (the queue manager's grants say so), HTTP connections.

mod delivery;
mod dispatcher;
mod reply;
mod running;
mod soap;

use std::fmt::Debug;
use std::sync::Arc;

use gateway::Gateway;
use queue::Manager;
use queue_config::ListenerPlan;
use region::ProgramProvider;

pub use running::Listeners;

/// What listeners get of the process: what serves at the time of each message.
pub trait Around: Debug + Send + Sync {
    /// The gateway.
    fn gateway(&self) -> Arc<Gateway>;

    /// The queue manager; none if there is none.
    fn manager(&self) -> Option<Manager>;
}

/// A listener as it was loaded.
#[derive(Clone, Debug)]
pub struct LoadedListener {
    /// What it is.
    pub plan: ListenerPlan,
    /// Of a program: the way to it, in the region of the configuration.
    pub provider: Option<Arc<ProgramProvider>>,
}
