//! The desk for requests to the queue manager: checks rights and does the work.
//!
//! The front (`handler::messaging`) reads a request into an [`Operation`] and gives it to
//! [`Desk::run`]. `rights` checks the caller's rights. `run` puts, gets, waits and reserves.
//! `confirmed` remembers confirmed reservations. `define` shows, makes and changes queues.

mod confirmed;
mod define;
mod rights;
mod run;
mod waiting;

use std::sync::Arc;

use ::messaging::{Attempt, Outcome, Resource, Trouble};
use admission::{Peer, Refusal, Security, Standing};
use http::HeaderMap;
use queue::Manager;
use security::{Access, Identity};

use crate::gateway::Gateway;

use confirmed::Confirmed;
pub(crate) use rights::Rights;
pub use rights::{Grant, Right};

/// The settings of the messaging interface.
#[derive(Debug)]
pub struct MessagingSettings {
    /// The index of its API.
    pub api: usize,
    /// The rights to queues; none gives all rights to everybody who may call.
    pub grants: Vec<Grant>,
    /// Limits for each client.
    pub limits: MessagingLimits,
    /// Recently confirmed reservations. They outlive a change of the configuration.
    pub confirmed: Arc<Confirmed>,
}

/// Limits of the messaging interface for each client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessagingLimits {
    /// The most bytes of a request's body, and so of a message.
    pub message_max_bytes: usize,
    /// The longest wait for a message. Requests for a longer wait get this one.
    pub wait_max_ms: u32,
    /// The most messages of a list.
    pub list_max: u32,
    /// The longest time of a reservation.
    pub reserve_max_ms: u32,
}

impl Default for MessagingLimits {
    fn default() -> Self {
        Self { message_max_bytes: 4 << 20, wait_max_ms: 300_000, list_max: 10_000, reserve_max_ms: 300_000 }
    }
}

/// Carries out requests to the queue manager.
pub(crate) struct Desk {
    /// The name of the queue manager.
    name: String,
    /// The index of its API.
    pub(crate) api: usize,
    pub(crate) limits: MessagingLimits,
    rights: Rights,
    manager: Manager,
    confirmed: Arc<Confirmed>,
}

/// The caller of an operation.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    /// The gateway of the request, which may no longer serve.
    pub(crate) gateway: &'a Gateway,
    pub(crate) security: &'a Security,
    /// The access rules of the interface.
    pub(crate) access: &'a Access,
    pub(crate) peer: &'a Peer,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) identity: Option<&'a Arc<Identity>>,
    /// How a caller that may wait was authenticated.
    pub(crate) standing: &'a Standing,
}

/// Why an operation was not done.
pub(crate) enum Stopped {
    /// The caller's credentials or rights are not enough.
    Refused(Refusal),
    /// Another reason.
    Trouble(Trouble),
}

impl From<Trouble> for Stopped {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The names of operations in lists, metrics and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Login,
    Managers,
    Queues,
    Channels,
    Subscriptions,
    Mqsc,
    Message,
    List,
    Batch,
    Reservation,
    Topic,
    Installations,
}

impl Task {
    /// All of them, in the order of the API's operations.
    const ALL: [(Task, &'static str); 12] = [
        (Self::Login, "login"),
        (Self::Managers, "qmgr"),
        (Self::Queues, "queue"),
        (Self::Mqsc, "mqsc"),
        (Self::Message, "message"),
        (Self::List, "messagelist"),
        (Self::Batch, "messages"),
        (Self::Reservation, "reservation"),
        (Self::Topic, "topic"),
        (Self::Installations, "installation"),
        (Self::Channels, "channel"),
        (Self::Subscriptions, "subscription"),
    ];

    pub(crate) fn of(resource: &Resource<'_>) -> Self {
        match resource {
            Resource::Login => Self::Login,
            Resource::Managers(_) => Self::Managers,
            Resource::Queues(..) => Self::Queues,
            Resource::Channels(..) => Self::Channels,
            Resource::Subscriptions(..) => Self::Subscriptions,
            Resource::Mqsc(_) => Self::Mqsc,
            Resource::Message(..) => Self::Message,
            Resource::List(..) => Self::List,
            Resource::Batch(..) => Self::Batch,
            Resource::Reservation(..) => Self::Reservation,
            Resource::Topic(..) => Self::Topic,
            Resource::Installations(_) => Self::Installations,
        }
    }

    /// Its index among the operations.
    pub(crate) fn index(self) -> usize {
        Self::ALL.iter().position(|(task, _)| *task == self).unwrap_or_default()
    }

    /// Whether its requests may wait, if they get messages.
    pub(crate) fn may_wait(self) -> bool {
        matches!(self, Self::Message | Self::Batch)
    }

    /// Whether it looks at queues or changes them, which needs another role or a grant.
    pub(crate) fn administers(self) -> bool {
        matches!(self, Self::Queues | Self::Channels | Self::Subscriptions | Self::Mqsc)
    }

    /// Whether it needs the role Invoke. The others need other roles.
    pub(crate) fn needs_invoke(self) -> bool {
        matches!(self, Self::Message | Self::List | Self::Batch | Self::Reservation | Self::Topic)
    }
}

/// The names of the operations of the interface's API, in their order.
pub fn messaging_operations() -> impl Iterator<Item = &'static str> {
    Task::ALL.iter().map(|(_, name)| *name)
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("name", &self.name).field("rights", &self.rights).finish_non_exhaustive()
    }
}

impl Desk {
    /// The confirmations, for the desk of a changed configuration.
    pub(crate) fn confirmed(&self) -> &Arc<Confirmed> {
        &self.confirmed
    }

    pub(crate) fn new(settings: MessagingSettings, manager: Manager) -> Self {
        let MessagingSettings { api, grants, limits, confirmed } = settings;
        let name = manager.definitions().name.as_str().to_owned();
        Self { name, api, limits, rights: Rights::new(grants), manager, confirmed }
    }

    /// Checks that a caller may look at some queue or change it.
    pub(crate) fn check_administers(
        &self,
        access: &Access,
        security: &Security,
        identity: Option<&Arc<Identity>>,
    ) -> Result<(), Refusal> {
        self.rights.check_administers(access, security, identity)
    }

    /// The name of the queue manager.
    pub(crate) fn manager_name(&self) -> &str {
        &self.name
    }
}

/// Turns a refusal into trouble.
fn troubled<'a>(verb: &'a str, name: &'a str) -> impl Fn(message::Refusal) -> Stopped + 'a {
    move |refusal| Stopped::Trouble(Trouble::refused(Attempt { verb, name }, &refusal))
}

/// The result of an operation.
type Done = Result<Outcome, Stopped>;
