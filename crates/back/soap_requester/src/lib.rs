//! SOAP servers of others. Programs call their operations with records, and services stand for them.
//!
//! # The path of a request
//!
//! 1. A service of the kind `soap` ([`KIND`]) stands in front of an operation. `remote::HttpProvider::call` takes its record.
//! 2. [`SoapOperation`] has all plans, which are made when the configuration is loaded. `soap::RemoteOperation` writes the envelope
//!    straight from the record.
//! 3. `remote::Connection::exchange` waits for a place, adds credentials and sends, as for REST. A message is sent again only if it
//!    was certainly not carried out, or if the operation is `idempotent`.
//! 4. [`SoapOperation::payload`] reads the answer in one pass to its record. A fault is [`NoRecord::Fault`].
//!
//! A program's call may go through a requester pipeline: [`PipedCall`] drives a `pipeline::Run`, whose programs see the message on its way
//! out and back, in one task of their own.
//!
//! A [`Transport`] takes messages to a server: HTTP ([`HttpRoute`]), or two queues of the queue manager
//! ([`QueueRoute`], whose address is a [`JmsUri`]). [`SoapOperation::call`] takes any. A [`Route`] is one of
//! these two, for code that knows it only at run time.
//!
//! The configuration alone says which host or queue is called. [`config::SoapSection`] says what the messages are.
//!
//! Deliberately absent: who may call a service.

mod call;
pub mod config;
mod jms;
mod kind;
mod operation;
mod transport;

pub use call::{CallError, PipedCall, RequesterPipeline, Within};
pub use jms::{JmsForm, JmsUri};
pub use kind::{KIND, Messages};
pub use operation::{NoRecord, SoapOperation};
pub use transport::{HttpRoute, Pattern, QueueRoute, Route, Transport};
