//! What is written down and asked around each call: chains of interceptors, journals and traces.
//!
//! **Data path.** An API with interceptors has a [`chains::Chain`]. Before a call, [`chains::Chain::before`] asks each
//! interceptor in order: the audit and the request log take room for a line, a server or a module of WebAssembly may set
//! headers or stop the request. After the call, [`chains::Chain::after`] tells those that were asked, in the opposite order.
//! The audit and the request log make a line and put it into a journal, a bounded queue in front of one thread
//! for each file. [`traces::Traces`] gives each request its context and sends its spans to a collector from a queue of its own.
//! An API without interceptors has no chain, and a configuration without traces has none: requests pay nothing for them.
//!
//! **Words.** An *interceptor* sees requests before and after their calls; crate `interceptor` has what it sees and writes, as
//! bytes and values, and this crate runs it. A *journal* is a file of lines that interceptors write. *Room* is a place in a
//! journal's queue, taken before the call. A *span* is the part of a trace that one request or one call is.
//!
//! [`config`] has the sections of all this.
//!
//! Deliberately absent: what a request is and how it is answered. The one who runs it says what was asked and how it ended.

pub mod chains;
pub mod config;
mod journal;
pub mod traces;

pub use journal::Journals;
