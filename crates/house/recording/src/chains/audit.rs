//! Writes an audit record of each request and of each act of administration.

use std::net::IpAddr;
use std::time::SystemTime;

use calendar::Utc;
use http::{HeaderMap, HeaderName, StatusCode};
use interceptor::record::{AdministrationRecord, AuditRecord, Headers, line};
use interceptor::redact::Redaction;

use super::Seen;
use crate::journal::Journal;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The interceptor.
#[derive(Debug)]
pub(crate) struct Audit {
    /// The file of the records.
    pub(crate) journal: Journal,
    /// The name of the gateway in the records.
    pub(crate) server: String,
    /// Headers of requests that are recorded.
    pub(crate) request_headers: Vec<HeaderName>,
    /// Headers of answers that are recorded.
    pub(crate) response_headers: Vec<HeaderName>,
    /// The rules for hiding.
    pub(crate) redaction: Redaction,
    /// True if it also records requests that were refused before any interceptor was asked.
    pub(crate) early_failures: bool,
}

/// An act of administration.
#[derive(Clone, Copy, Debug)]
pub struct Administration<'a> {
    /// The user; none for the system itself.
    pub user: Option<&'a str>,
    /// The client's address; none for the system itself.
    pub address: Option<IpAddr>,
    /// The action.
    pub action: &'a str,
    /// The kind of the object.
    pub kind: &'a str,
    /// The name of the object; none for all.
    pub name: Option<&'a str>,
    /// The status of the answer; none without an answer.
    pub status: Option<StatusCode>,
    /// True if the action was done.
    pub succeeded: bool,
}

impl Administration<'_> {
    /// The system has loaded the configuration again.
    pub fn reload(succeeded: bool) -> Self {
        let (user, address, name, status) = (None, None, None, None);
        Self { user, address, action: "reload", kind: "configuration", name, status, succeeded }
    }
}

impl Audit {
    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }

    pub(super) fn early_failures(&self) -> bool {
        self.early_failures
    }

    /// The record of a request.
    pub(super) fn line(&self, seen: &Seen<'_>, response: &HeaderMap) -> Vec<u8> {
        let user = seen.identity.map(|identity| &*identity.name);
        let (call, times, query) = (seen.call.as_ref(), seen.times, seen.parts.uri.query());
        let api = call.and_then(|call| call.api);
        let record = AuditRecord {
            record: "request",
            server: &self.server,
            server_version: VERSION,
            request_id: seen.id,
            tracking_token: seen.trace.as_deref().map(Into::into),
            user,
            mapped_user: user,
            client_address: seen.address,
            api_name: api.map(|api| api.name),
            api_version: api.map(|api| api.version),
            operation: api.map(|api| api.operation),
            service_name: call.map(|call| call.services),
            service_provider: call.and_then(|call| call.provider),
            http_method: seen.parts.method.as_str(),
            uri: seen.parts.uri.path(),
            query_string: query.map(|query| self.redaction.query(query)),
            http_status: seen.status.as_u16(),
            failure: seen.failure.map(failure::Code::as_str),
            request_length: seen.request_bytes,
            response_length: seen.response_bytes,
            timed_out: seen.failure == Some(failure::Code::ProviderTimeout),
            sor_identifier: call.and_then(|call| call.system.identifier),
            sor_reference: call.and_then(|call| call.system.reference),
            sor_resource: call.and_then(|call| call.system.resource),
            time_in: times.arrived,
            time_sor_sent: times.sent,
            time_sor_received: times.received,
            time_out: times.answered,
            request_headers: Headers::named(&seen.parts.headers, &self.request_headers, &self.redaction),
            response_headers: Headers::named(response, &self.response_headers, &self.redaction),
        };
        record.line()
    }

    /// Writes the record of an act of administration.
    pub(super) fn administration(&self, act: &Administration<'_>) {
        let record = AdministrationRecord {
            record: "administration",
            server: &self.server,
            server_version: VERSION,
            user: act.user,
            client_address: act.address,
            action: act.action,
            kind: act.kind,
            name: act.name,
            http_status: act.status.map(|status| status.as_u16()),
            succeeded: act.succeeded,
            time: now(),
        };
        self.journal.put_now(line(&record), None);
    }
}

/// The time now.
pub fn now() -> Utc {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().into()
}
