//! Calls of remote APIs by programs: by name, path and method, with a record in and a record out. Each record
//! may name data areas.
//!
//! The data has the shape of z/OS Connect's BAQCSTUB: an API's name, a path, a method, and an error that is
//! in one of three places.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::Caller;

/// The called operation of an API requester.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiOperation<'a> {
    /// By its name.
    Named(&'a str),
    /// By its method, and its path with the parameters in braces. The API's base path may be included.
    /// Escaped characters, as in BAQ-APIPATH (`%2Fitems%2F%7Bid%7D`), are accepted too.
    At {
        /// BAQ-APIMETHOD.
        method: &'a str,
        /// BAQ-APIPATH.
        path: &'a str,
    },
}

/// A call of a remote API.
#[derive(Clone, Copy, Debug)]
pub struct ApiCall<'a> {
    /// The API requester's name: BAQ-APINAME.
    pub api: &'a str,
    /// The operation.
    pub operation: ApiOperation<'a>,
    /// The user of the program; none if nobody needed to be known.
    pub caller: Option<Caller<'a>>,
    /// The time that the program waits, from now. The requester's own limit holds too.
    pub time_left: Duration,
}

/// The longest name of a data area, in characters: fields that hold one are PIC X(16) in the structures that z/OS
/// Connect generates.
pub const DATA_AREA_NAME_CHARACTERS_MAX: usize = 16;

/// A data area of z/OS Connect's Host API: the elements of a dynamic array, or the one value of a response. A
/// field of the record, or of an element of another area, names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataArea {
    /// Its name, of at most [`DATA_AREA_NAME_CHARACTERS_MAX`] characters, without blanks behind it.
    pub name: String,
    /// The bytes of one element, at least 1. All elements have the same length.
    pub element_bytes: usize,
    /// The elements, one behind the other, in their order.
    pub bytes: Vec<u8>,
}

impl DataArea {
    /// The number of elements.
    #[must_use]
    pub fn elements(&self) -> usize {
        self.bytes.len() / self.element_bytes.max(1)
    }
}

/// The data that a program gives to a remote API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiRequest {
    /// The record; empty if the operation has no input.
    pub record: Vec<u8>,
    /// The data areas that the record names. None if the caller, like BAQCSTUB, can neither give nor get
    /// areas.
    pub areas: Option<Vec<DataArea>>,
}

impl From<Vec<u8>> for ApiRequest {
    /// A record of a caller without data areas.
    fn from(record: Vec<u8>) -> Self {
        Self { record, areas: None }
    }
}

/// The answer of a remote API, in a record of the requester's layout for the status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiAnswer {
    /// The status of the remote API.
    pub status: u16,
    /// The record; empty if the requester has no layout for the status.
    pub record: Vec<u8>,
    /// The data areas that the record names; none if the caller gave none.
    pub areas: Vec<DataArea>,
}

/// The place where a call of a remote API failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiErrorKind {
    /// In the API: it answered with a status for which the requester has no response (BAQ-ERROR-IN-API).
    Api,
    /// In the gateway: the operation is unknown or stopped, the API was not reached, records or JSON did not fit
    /// (BAQ-ERROR-IN-ZCEE).
    Gateway,
    /// Before the gateway: the call itself makes no sense (BAQ-ERROR-IN-STUB).
    Stub,
}

/// A failed call of a remote API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// Where.
    pub kind: ApiErrorKind,
    /// BAQ-STATUS-CODE: the API's status, or the equivalent one for the other places.
    pub status: u16,
    /// BAQ-STATUS-MESSAGE: what happened, for a person.
    pub message: String,
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.kind {
            ApiErrorKind::Api => "in the API",
            ApiErrorKind::Gateway => "in the gateway",
            ApiErrorKind::Stub => "in the call",
        };
        write!(f, "error {place}, status {}: {}", self.status, self.message)
    }
}

impl std::error::Error for ApiError {}

/// The end of a call of a remote API.
pub type ApiFuture = Pin<Box<dyn Future<Output = Result<ApiAnswer, ApiError>> + Send>>;

/// Calls remote APIs for programs.
pub trait ApiRequester: Send + Sync {
    /// Sends the operation's request. The future may be dropped when nobody waits any more.
    fn call_api(&self, call: ApiCall<'_>, request: ApiRequest) -> ApiFuture;
}

// A bound by `Debug` would keep the code that shows whole configurations.
impl fmt::Debug for dyn ApiRequester + '_ {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ApiRequester")
    }
}
