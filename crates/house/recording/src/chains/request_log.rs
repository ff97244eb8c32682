//! Records requests and responses, with secrets hidden.

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use interceptor::record::{Headers, LogEntry, LoggedBody, LoggedRequest, LoggedResponse, LoggedSystem, line};
use interceptor::redact::Redaction;

use super::{Seen, whole};
use crate::journal::Journal;

/// Writes the log of requests.
#[derive(Debug)]
pub(crate) struct RequestLog {
    /// The file of the entries.
    pub(crate) journal: Journal,
    /// The rules for hiding.
    pub(crate) redaction: Redaction,
    /// The shown bytes of a body; 0 shows none.
    pub(crate) body_max_bytes: usize,
}

impl RequestLog {
    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }

    pub(super) fn wants_bodies(&self) -> bool {
        self.body_max_bytes > 0
    }

    /// The entry of a request.
    pub(super) fn line(
        &self,
        seen: &Seen<'_>,
        body: Option<&Bytes>,
        response: &Response<Full<Bytes>>,
    ) -> Vec<u8> {
        let answer = if body.is_some() { whole(response) } else { Bytes::new() };
        let shown = |body| LoggedBody::of(body, &self.redaction, self.body_max_bytes);
        let user = seen.identity.map(|identity| &*identity.name);
        let system = seen.call.map(|call| call.system).unwrap_or_default();
        let entry = LogEntry {
            timestamp: seen.times.arrived,
            request_id: seen.id,
            user,
            mapped_user: user,
            request: LoggedRequest {
                uri: seen.parts.uri.path(),
                method: seen.parts.method.as_str(),
                query_string: seen.parts.uri.query().map(|query| self.redaction.query(query)),
                headers: Headers::all(&seen.parts.headers, &self.redaction),
                body: body.and_then(|body| shown(body)),
                size: seen.request_bytes,
            },
            sor: LoggedSystem {
                identifier: system.identifier,
                resource: system.resource,
                reference: system.reference,
            },
            response: LoggedResponse {
                status_code: seen.status.as_u16(),
                headers: Headers::all(response.headers(), &self.redaction),
                body: shown(&answer),
                size: seen.response_bytes,
            },
            timed_out: seen.failure == Some(failure::Code::ProviderTimeout),
        };
        line(&entry)
    }
}
