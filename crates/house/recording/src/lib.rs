//! Records and questions around each call: chains of interceptors, journals and traces.
//!
//! **Data path.** An API with interceptors has a [`chains::Chain`]. Before a call,
//! [`chains::Chain::before`] asks each interceptor in order. The audit and the request log reserve
//! room for a line. A server or a module of WebAssembly may set headers or stop the request. After
//! the call, [`chains::Chain::after`] reports to the same interceptors, in the opposite order. The
//! audit and the request log put a line into a journal, a bounded queue in front of one thread for
//! each file. [`traces::Traces`] gives each request its context, and sends its spans to a collector
//! from a separate queue. Without interceptors or traces, requests cost nothing more.
//!
//! **Words.** An *interceptor* sees requests before and after their calls. The crate `interceptor`
//! defines its inputs and outputs as bytes and values, and this crate runs it. A *journal* is a
//! file of lines that interceptors write. *Room* is a place in a journal's queue, reserved before
//! the call. A *span* is the part of a trace for one request or one call.
//!
//! [`config`] has the sections for all of this.
//!
//! Deliberately absent: the meaning of a request, and its answer. The caller of this crate reports
//! the request and its end.

pub mod chains;
pub mod config;
mod journal;
pub mod traces;

pub use journal::Journals;
