//! The desk at which requests for the queue manager are done: who may, and what comes of it.
//!
//! The front (`handler::messaging`) reads a request to an [`Operation`] and gives it to [`Desk::run`]. `rights` says whether
//! the caller may. `run` puts, gets, waits and reserves. `define` shows, makes and changes queues.

mod define;
mod rights;
mod run;

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use ::messaging::{Attempt, Outcome, Resource, Trouble};
use admission::{Peer, Refusal, Security};
use http::HeaderMap;
use message::MessageId;
use queue::Manager;
use security::{Access, Identity};

pub(crate) use rights::Rights;
pub use rights::{Grant, Right};

/// What the messaging interface is made of.
#[derive(Debug)]
pub struct MessagingSettings {
    /// The place among the APIs of the one that stands for it.
    pub api: usize,
    /// Who may do what with which queues; none is everybody who may call.
    pub grants: Vec<Grant>,
    /// What one client can make it hold.
    pub limits: MessagingLimits,
    /// Reservations that were confirmed lately: those of before go on.
    pub confirmed: Arc<Confirmed>,
}

/// What one client can make the messaging interface hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessagingLimits {
    /// Bytes of a request's body, and so of a message.
    pub message_max_bytes: usize,
    /// The longest wait for a message; requests that ask for more wait this long.
    pub wait_max_ms: u32,
    /// Messages of a list.
    pub list_max: u32,
    /// The longest time for which a message is reserved.
    pub reserve_max_ms: u32,
}

impl Default for MessagingLimits {
    fn default() -> Self {
        Self { message_max_bytes: 4 << 20, wait_max_ms: 300_000, list_max: 10_000, reserve_max_ms: 300_000 }
    }
}

/// Reservations that were confirmed lately.
#[derive(Debug, Default)]
pub struct Confirmed(Mutex<(HashSet<MessageId>, VecDeque<MessageId>)>);

/// How many confirmations are remembered.
const CONFIRMED_MAX: usize = 10_000;

impl Confirmed {
    fn has(&self, id: MessageId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.contains(&id)
    }

    fn add(&self, id: MessageId) {
        let mut confirmed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, order) = &mut *confirmed;
        if all.insert(id) {
            order.push_back(id);
        }
        if order.len() > CONFIRMED_MAX
            && let Some(oldest) = order.pop_front()
        {
            all.remove(&oldest);
        }
    }
}

/// Does what requests ask of the queue manager.
pub(crate) struct Desk {
    /// The name of the queue manager.
    name: String,
    /// The place among the APIs of the one that stands for it.
    pub(crate) api: usize,
    pub(crate) limits: MessagingLimits,
    rights: Rights,
    manager: Manager,
    confirmed: Arc<Confirmed>,
}

/// Who asks.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) security: &'a Security,
    /// The rules of the interface.
    pub(crate) access: &'a Access,
    pub(crate) peer: &'a Peer,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) identity: Option<&'a Arc<Identity>>,
}

/// Why an operation was not done.
pub(crate) enum Stopped {
    /// The caller's credentials or rights.
    Refused(Refusal),
    /// Anything else.
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

/// What operations are called in lists, metrics and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Login,
    Managers,
    Queues,
    Mqsc,
    Message,
    List,
    Batch,
    Reservation,
    Topic,
}

impl Task {
    /// All of them, in the order of the API's operations.
    const ALL: [(Task, &'static str); 9] = [
        (Self::Login, "login"),
        (Self::Managers, "qmgr"),
        (Self::Queues, "queue"),
        (Self::Mqsc, "mqsc"),
        (Self::Message, "message"),
        (Self::List, "messagelist"),
        (Self::Batch, "messages"),
        (Self::Reservation, "reservation"),
        (Self::Topic, "topic"),
    ];

    pub(crate) fn of(resource: &Resource<'_>) -> Self {
        match resource {
            Resource::Login => Self::Login,
            Resource::Managers(_) => Self::Managers,
            Resource::Queues(..) => Self::Queues,
            Resource::Mqsc(_) => Self::Mqsc,
            Resource::Message(..) => Self::Message,
            Resource::List(..) => Self::List,
            Resource::Batch(..) => Self::Batch,
            Resource::Reservation(..) => Self::Reservation,
            Resource::Topic(..) => Self::Topic,
        }
    }

    /// Its place among the operations.
    pub(crate) fn index(self) -> usize {
        Self::ALL.iter().position(|(task, _)| *task == self).unwrap_or_default()
    }

    /// Whether it is for those who may call; the others are for whoever has another role.
    pub(crate) fn needs_invoke(self) -> bool {
        matches!(self, Self::Message | Self::List | Self::Batch | Self::Reservation | Self::Topic)
    }
}

/// The names of the operations of the API that stands for the interface, in their order.
pub fn messaging_operations() -> impl Iterator<Item = &'static str> {
    Task::ALL.iter().map(|(_, name)| *name)
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("name", &self.name).field("rights", &self.rights).finish_non_exhaustive()
    }
}

impl Desk {
    /// What another desk goes on with when the configuration changes.
    pub(crate) fn confirmed(&self) -> &Arc<Confirmed> {
        &self.confirmed
    }

    pub(crate) fn new(settings: MessagingSettings, manager: Manager) -> Self {
        let MessagingSettings { api, grants, limits, confirmed } = settings;
        let name = manager.definitions().name.as_str().to_owned();
        Self { name, api, limits, rights: Rights::new(grants), manager, confirmed }
    }

    /// The name of the queue manager.
    pub(crate) fn manager_name(&self) -> &str {
        &self.name
    }
}

/// What could not be done, as trouble.
fn troubled<'a>(verb: &'a str, name: &'a str) -> impl Fn(message::Refusal) -> Stopped + 'a {
    move |refusal| Stopped::Trouble(Trouble::refused(Attempt { verb, name }, &refusal))
}

/// What a request has to hear.
type Done = Result<Outcome, Stopped>;
