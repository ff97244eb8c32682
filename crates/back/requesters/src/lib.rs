//! API requesters: operations of remote APIs that programs call with records, and services whose records go over HTTP.
//!
//! # The path of a request
//!
//! 1. A record comes to `remote::HttpProvider::call` (a service) or to [`Requester::call`] (an API requester).
//! 2. [`RecordRequest`] reads the fields that are parameters from their slots, and writes the rest as JSON. All
//!    plans are made when the configuration is loaded.
//! 3. `remote::Connection::exchange` waits for a place, adds credentials and sends. It sends again where that does
//!    no harm, never past the caller's deadline.
//! 4. The status chooses a [`RecordResponse`] ([`ByStatus`]). Its function `record` makes the record.
//!
//! The configuration alone says which host is called. Data can only become a part of the path, a value of the query, a
//! header or the body. `remote::PathTemplate`, `push_query` and `header_value` are the only ways in.
//!
//! The crate `remote` knows no record, and a program's call knows no HTTP. Between them are the traits
//! `remote::PayloadsOverHttp` and `service::ApiRequester`.
//!
//! An operation by records is a [`RecordOperation`]. One whose structures have data areas ([`AreaOperation`], for the Host API) goes the same way, with the crate
//! `channel` in place of a bind. Its elements are rows of containers. Only a program with BAQPUTN and BAQGETN can name
//! them.
//!
//! A program with EXEC CICS WEB writes whole requests itself. A [`WebClient`] sends them, below the same connections.
//!
//! An operation of a SOAP server is a [`SoapPlan`], with the messages of the crate `soap_requester`. Programs call it with the
//! containers of CICS's web services ([`Requester::invoke`]).
//!
//! # Words
//!
//! A **connection** is to one server; it is of the crate `remote`. An **API requester** is a remote API with its operations,
//! which uses a connection. The field has this word from z/OS Connect.

mod areas;
pub mod config;
mod invoke;
mod kind;
mod records;
mod requester;
mod statuses;
mod text;
mod web;

pub use areas::{AreaOperation, AreaParameter, AreaRequest, AreaResponse, MemberPath};
pub use kind::{HttpWay, KIND};
pub use records::{
    Body, RECORD_TYPE, RecordOperation, RecordParameter, RecordRequest, RecordResponse, usual_headers,
};
pub use requester::{OperationPlan, Requester, RequesterOperation, SoapPlan};
pub use statuses::{ByStatus, Statuses};
pub use web::{UriMap, WebClient, WebFailure, is_allowed, url_of};
