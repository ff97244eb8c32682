//! Listeners of queues: each message starts a program, a service, an operation of an API, or a web service.
//!
//! # Data path
//!
//! 1. [`Listeners::apply`] compares the listeners of a configuration with the running ones. Each
//!    new one gets a task on the thread of the listeners. Each removed one gets no more messages,
//!    and ends after its present messages.
//! 2. `dispatcher.rs` waits for a message (it never polls) and gets it in a unit of work. The
//!    message starts at once, or after the earlier message with the same key.
//! 3. `delivery.rs` calls the target, in the gateway and the region that serve at that time.
//! 4. `reply.rs` puts the result on the message's reply-to queue, in the unit that has got the
//!    message. The commit of that unit ends the message.
//!
//! # Guarantees
//!
//! A **program** of the region, as the target itself or behind a service, works in the unit that
//! has got the message. So message, work and reply commit together, or not at all. All other
//! targets are called **at least once**: if the process ends between their work and the commit, the
//! message comes again.
//!
//! If the target of a message **fails**, the message is backed out, and the backout counts. At the
//! threshold of its queue the queue manager moves the message. If a target **cannot be called now**
//! (it is stopped, full, or refuses the listener), the message goes back without a count. In both
//! cases the listener pauses. The pause doubles with each failure.
//!
//! With **order**, messages of one key are processed one after another. If one of them goes back to
//! its queue, the later ones go back first, so no message overtakes it.
//!
//! # Adding targets
//!
//! A new target for messages needs a kind of `queue_config::ListenerTarget` and an arm in
//! `Delivery::deliver`. It gets the message and gives its outcome as an `End`. SOAP is one
//! (`soap.rs`).
//!
//! Deliberately absent: definitions of queues, rights to put (see the queue manager's grants), HTTP
//! connections.

mod delivery;
mod dispatcher;
mod reply;
mod running;
mod soap;

use std::fmt;
use std::sync::Arc;

use gateway::Gateway;
use queue::Manager;
use queue_config::ListenerPlan;
use region::ProgramProvider;

pub use running::Listeners;

/// The parts of the process that serve at the time of each message.
pub trait Around: Send + Sync {
    /// The gateway.
    fn gateway(&self) -> Arc<Gateway>;

    /// The queue manager; none if there is none.
    fn manager(&self) -> Option<Manager>;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn Around + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Around")
    }
}

/// A loaded listener.
#[derive(Clone, Debug)]
pub struct LoadedListener {
    /// Its definition.
    pub plan: ListenerPlan,
    /// For a program: its provider in the region of the configuration.
    pub provider: Option<Arc<ProgramProvider>>,
}
