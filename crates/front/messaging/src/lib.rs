//! The messaging REST interface of queue managers, as clients of IBM MQ speak it: versions 1 to 3.
//!
//! A request goes this way:
//!
//! 1. [`Request::route`] finds the [`Resource`] of the path, and checks the method.
//! 2. [`Request::check_origin`] keeps pages of other sites out.
//! 3. [`Request::operation`] reads query, headers and body to an [`Operation`].
//! 4. Somebody else does it, and says what came of it: an [`Outcome`], or a [`Trouble`].
//! 5. [`Outcome::answer`] and [`Trouble::answer`] give status, headers and body.
//!
//! A **resource** is what a path leads to. A **selection** says which message is meant, by ids of 24 bytes. A **reservation**
//! keeps a message for a client until that confirms. **MQSC** is the language of commands (`mqsc`).
//! Where IBM's documents say nothing, answers follow recorded answers of IBM's
//! server. Reservations, batches and bodies
//! of bytes are ours.
//!
//! Deliberately absent: queues, waiting, who may do what, HTTP connections, clocks.

mod admin;
mod answer;
mod batch;
mod descriptor;
mod id;
mod media;
mod mqsc;
mod property;
mod query;
mod queue;
mod refused;
mod request;
mod resource;
mod trouble;
mod unique;

/// Where the description of the interface is.
pub const DOCUMENT_PATH: &str = "/ibmmq/rest/openapi.json";
/// The description of the interface: OpenAPI 3.1.
pub const DOCUMENT: &str = include_str!("openapi.json");

pub use admin::{QueueBody, Shown, foreign};
pub use answer::{Answer, Delivered, Listed, Outcome, RESERVATION};
pub use batch::BATCH_MAX;
pub use id::of_text;
pub use media::{BINARY, Media};
pub use mqsc::{
    Asked, Command, Display, Done, Failed, Filter, Form, Item, MQSC_BYTES_MAX, Operator, Reply, Verb, Wanted,
    What, kept, usual,
};
pub use property::{PROPERTIES_HEADER_BYTES_MAX, PROPERTIES_MAX};
pub use query::{Query, WAIT_MAX_MS};
pub use queue::{Change, Kind, Manager, Process, Queue, State, Subscription, Topic, TriggerType, fits};
pub use refused::Attempt;
pub use request::{CSRF, Get, Head, Login, Operation, Queues, Request, Subscriptions, unknown_reservation};
pub use resource::{ROOT, Resource, Version};
pub use trouble::{Codes, JSON, LANGUAGE, Trouble};
