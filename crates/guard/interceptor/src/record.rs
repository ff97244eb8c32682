//! The records of requests: audit records and log entries, one JSON object a line.

mod line;

use std::borrow::Cow;

use http::{HeaderMap, HeaderName};
use serde::{Serialize, Serializer};

pub use self::line::line;
use crate::redact::Redaction;
use calendar::Utc;

/// The most headers of a request, and of a response, in an audit record. A record of SMF type 123
/// has the same number.
pub const AUDIT_HEADERS_MAX: usize = 4;

/// The most bytes of a header's value in an audit record, as in SMF type 123.
pub const AUDIT_HEADER_MAX_BYTES: usize = 64;

/// An audit record of a request: the fields of SMF type 123 subtype 1 version 2. Unknown values are
/// null, so every record has the same keys.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord<'a> {
    /// `request`.
    pub record: &'static str,
    /// The name of the gateway.
    pub server: &'a str,
    /// Its version.
    pub server_version: &'static str,
    /// The id that the answer has, or would have.
    pub request_id: &'a str,
    /// The trace's id. It leads to the records of other systems for the same request.
    pub tracking_token: Option<Cow<'a, str>>,
    /// The caller, as authenticated.
    pub user: Option<&'a str>,
    /// The user under which the system of record is called.
    pub mapped_user: Option<&'a str>,
    /// The address of the client.
    pub client_address: core::net::IpAddr,
    /// The API.
    pub api_name: Option<&'a str>,
    /// Its version.
    pub api_version: Option<&'a str>,
    /// The operation's id.
    pub operation: Option<&'a str>,
    /// The service that the operation calls.
    pub service_name: Option<&'a str>,
    /// The kind of its provider.
    pub service_provider: Option<&'a str>,
    /// The request's method.
    pub http_method: &'a str,
    /// Its path.
    pub uri: &'a str,
    /// Its query, with secrets hidden.
    pub query_string: Option<Cow<'a, str>>,
    /// The answer's status.
    pub http_status: u16,
    /// Why it failed.
    pub failure: Option<&'a str>,
    /// Bytes of the request's body.
    pub request_length: usize,
    /// Bytes of the response's body.
    pub response_length: usize,
    /// True if the provider did not answer in time.
    pub timed_out: bool,
    /// The system of record: a region, a queue manager, an endpoint group.
    pub sor_identifier: Option<&'a str>,
    /// The name of the connection to it.
    pub sor_reference: Option<&'a str>,
    /// The called part of it: a program, a queue, a transaction.
    pub sor_resource: Option<&'a str>,
    /// When the request's head was complete.
    pub time_in: Utc,
    /// When the call of the provider began; null if it was not called.
    pub time_sor_sent: Option<Utc>,
    /// When its answer had come.
    pub time_sor_received: Option<Utc>,
    /// When the answer was made.
    pub time_out: Utc,
    /// The configured headers of the request.
    pub request_headers: Headers<'a>,
    /// The configured headers of the response.
    pub response_headers: Headers<'a>,
}

/// An audit record of an act of administration.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AdministrationRecord<'a> {
    /// `administration`.
    pub record: &'static str,
    /// The name of the gateway.
    pub server: &'a str,
    /// Its version.
    pub server_version: &'static str,
    /// The user; null for the system itself: a signal, a changed file.
    pub user: Option<&'a str>,
    /// The user's address; null for the system itself.
    pub client_address: Option<core::net::IpAddr>,
    /// `deploy`, `start`, `stop`, `delete`, `reload` ...
    pub action: &'a str,
    /// The kind of the object: `api`, `service`, `configuration` ...
    pub kind: &'a str,
    /// Its name.
    pub name: Option<&'a str>,
    /// The answer's status; null if there was no answer.
    pub http_status: Option<u16>,
    /// True if the act was done.
    pub succeeded: bool,
    /// When the act was done or refused.
    pub time: Utc,
}

/// A request and its response in the log of requests.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogEntry<'a> {
    /// When the request's head was complete.
    pub timestamp: Utc,
    /// As in the audit record.
    pub request_id: &'a str,
    /// As in the audit record.
    pub user: Option<&'a str>,
    /// As in the audit record.
    pub mapped_user: Option<&'a str>,
    /// The request.
    pub request: LoggedRequest<'a>,
    /// The system that served it.
    pub sor: LoggedSystem<'a>,
    /// The response.
    pub response: LoggedResponse<'a>,
    /// True if the provider did not answer in time.
    pub timed_out: bool,
}

/// See [`LogEntry::request`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedRequest<'a> {
    /// The path.
    pub uri: &'a str,
    /// The method.
    pub method: &'a str,
    /// The query, with secrets hidden.
    pub query_string: Option<Cow<'a, str>>,
    /// All headers; secrets are `***`.
    pub headers: Headers<'a>,
    /// The body, with secrets hidden.
    pub body: Option<LoggedBody<'a>>,
    /// Bytes of the body.
    pub size: usize,
}

/// See [`LogEntry::sor`].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LoggedSystem<'a> {
    /// See [`AuditRecord::sor_identifier`].
    pub identifier: Option<&'a str>,
    /// See [`AuditRecord::sor_resource`].
    pub resource: Option<&'a str>,
    /// See [`AuditRecord::sor_reference`].
    pub reference: Option<&'a str>,
}

/// See [`LogEntry::response`].
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedResponse<'a> {
    /// The status.
    pub status_code: u16,
    /// All headers; secrets are `***`.
    pub headers: Headers<'a>,
    /// The body, with secrets hidden.
    pub body: Option<LoggedBody<'a>>,
    /// Bytes of the body.
    pub size: usize,
}

/// A body in the log. It is always text, so that readers find one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum LoggedBody<'a> {
    /// The text, whole or cut at the limit.
    Text(Cow<'a, str>),
    /// A text in place of the body, because the code cannot tell where its secrets are.
    Withheld(&'static str),
}

/// The text in place of a body whose secrets cannot be found.
pub const WITHHELD: &str = "(withheld: not JSON with readable fields)";

impl<'a> LoggedBody<'a> {
    /// A body with secrets hidden, cut to `max_bytes`. The mark `...` shows a cut.
    #[must_use]
    pub fn of(body: &'a [u8], redaction: &Redaction, max_bytes: usize) -> Option<Self> {
        if body.is_empty() {
            return None;
        }
        let Some(text) = redaction.body(body) else { return Some(LoggedBody::Withheld(WITHHELD)) };
        if text.len() <= max_bytes {
            return Some(LoggedBody::Text(text));
        }
        let end = text.floor_char_boundary(max_bytes);
        Some(LoggedBody::Text(Cow::Owned(format!("{}...", &text[..end]))))
    }
}

/// Headers in a record: an object of names and values. Commas join several values of one name.
#[derive(Clone, Debug)]
pub struct Headers<'a> {
    headers: &'a HeaderMap,
    /// Only these headers; none for all.
    names: Option<&'a [HeaderName]>,
    redaction: &'a Redaction,
    value_max_bytes: usize,
}

impl<'a> Headers<'a> {
    /// All headers.
    #[must_use]
    pub fn all(headers: &'a HeaderMap, redaction: &'a Redaction) -> Self {
        Self { headers, names: None, redaction, value_max_bytes: usize::MAX }
    }

    /// The headers of an audit record, each cut to [`AUDIT_HEADER_MAX_BYTES`].
    #[must_use]
    pub fn named(headers: &'a HeaderMap, names: &'a [HeaderName], redaction: &'a Redaction) -> Self {
        Self { headers, names: Some(names), redaction, value_max_bytes: AUDIT_HEADER_MAX_BYTES }
    }

    fn value(&self, name: &HeaderName) -> Cow<'a, str> {
        if self.redaction.hides(name) {
            return Cow::Borrowed(crate::redact::REDACTED);
        }
        let mut values =
            self.headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        let first = values.next().unwrap_or_default();
        let joined = values.fold(first, |joined, value| Cow::Owned(format!("{joined}, {value}")));
        if joined.len() <= self.value_max_bytes {
            return joined;
        }
        let end = joined.floor_char_boundary(self.value_max_bytes);
        Cow::Owned(joined[..end].to_owned())
    }
}

impl Serialize for Headers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pair = |name: &'_ HeaderName| (name.as_str().to_owned(), self.value(name));
        match self.names {
            Some(names) => {
                let there = names.iter().filter(|name| self.headers.contains_key(*name));
                serializer.collect_map(there.map(pair))
            }
            None => serializer.collect_map(self.headers.keys().map(pair)),
        }
    }
}
