//! Messages of queues as values, for all code that puts, gets or shows them.
//!
//! A caller makes a [`NewMessage`] and puts it on a queue that a [`QueueName`] names. A queue manager
//! completes its [`Descriptor`] and gives a [`Message`] to the receiver. A [`Selection`] says which message a
//! caller wants. A failure is a [`Refusal`] with a [`Reason`], which has its number and name in IBM MQ.
//!
//! # Words
//! **Persistent** messages outlive a restart of the queue manager. **Expiry** is the time that a message has
//! until it is discarded; the descriptor holds the moment. **Backout count** is the number of backed-out gets
//! of the message. **CCSID** and **encoding** are the forms of the text and the numbers in the body.
//!
//! This crate does no IO and knows no clock: a [`Moment`] is a parameter.

mod descriptor;
mod id;
mod name;
mod property;
mod reason;
mod report;
mod selection;

pub use descriptor::{
    ApplicationKind, Ccsid, Descriptor, Encoding, Expiry, Format, Kind, Message, Moment, NewMessage,
    Persistence, Priority, ReplyTo,
};
pub use id::{CorrelationId, ID_BYTES, IdError, MessageId};
pub use name::{ManagerName, NAME_CHARACTERS_MAX, NameError, QueueName};
pub use property::{Property, PropertyError, PropertyValue};
pub use reason::{Reason, Refusal};
pub use report::{REPORT_DATA_BYTES, Report, ReportKind, feedback};
pub use selection::Selection;
