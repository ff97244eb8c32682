//! Writes the line of an audit record piece by piece, because every request has one.

use serde::Serialize;

use super::{AuditRecord, Headers};
use calendar::Utc;

/// The bytes that most lines need.
const LINE_BYTES: usize = 1024;

impl AuditRecord<'_> {
    /// The record as a line, with its line end. The bytes are the same as those of [`line`].
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        let mut out = Line(Vec::with_capacity(LINE_BYTES));
        out.text("{\"record\":", self.record);
        out.text(",\"server\":", self.server);
        out.text(",\"serverVersion\":", self.server_version);
        out.text(",\"requestId\":", self.request_id);
        out.optional(",\"trackingToken\":", self.tracking_token.as_deref());
        out.optional(",\"user\":", self.user);
        out.optional(",\"mappedUser\":", self.mapped_user);
        out.value(",\"clientAddress\":", &self.client_address);
        out.optional(",\"apiName\":", self.api_name);
        out.optional(",\"apiVersion\":", self.api_version);
        out.optional(",\"operation\":", self.operation);
        out.optional(",\"serviceName\":", self.service_name);
        out.optional(",\"serviceProvider\":", self.service_provider);
        out.text(",\"httpMethod\":", self.http_method);
        out.text(",\"uri\":", self.uri);
        out.optional(",\"queryString\":", self.query_string.as_deref());
        out.value(",\"httpStatus\":", &self.http_status);
        out.optional(",\"failure\":", self.failure);
        out.value(",\"requestLength\":", &self.request_length);
        out.value(",\"responseLength\":", &self.response_length);
        out.value(",\"timedOut\":", &self.timed_out);
        out.optional(",\"sorIdentifier\":", self.sor_identifier);
        out.optional(",\"sorReference\":", self.sor_reference);
        out.optional(",\"sorResource\":", self.sor_resource);
        out.time(",\"timeIn\":", Some(self.time_in));
        out.time(",\"timeSorSent\":", self.time_sor_sent);
        out.time(",\"timeSorReceived\":", self.time_sor_received);
        out.time(",\"timeOut\":", Some(self.time_out));
        out.headers(",\"requestHeaders\":", &self.request_headers);
        out.headers(",\"responseHeaders\":", &self.response_headers);
        out.0.extend_from_slice(b"}\n");
        out.0
    }
}

/// A record or entry as a line, with its line end.
#[must_use]
pub fn line(record: &impl Serialize) -> Vec<u8> {
    let mut line = Line(Vec::with_capacity(LINE_BYTES));
    line.value("", record);
    line.0.push(b'\n');
    line.0
}

/// The line in progress. Each piece comes with the name of its field in JSON.
struct Line(Vec<u8>);

impl Line {
    fn value(&mut self, name: &str, value: &impl Serialize) {
        self.0.extend_from_slice(name.as_bytes());
        // Writing texts and numbers to a buffer cannot fail.
        let written = serde_json::to_writer(&mut self.0, value);
        debug_assert!(written.is_ok(), "{written:?}");
    }

    fn text(&mut self, name: &str, text: &str) {
        // Without a branch for each byte, so that the processor checks many bytes at once.
        let is_plain =
            text.bytes().fold(true, |plain, byte| plain & (byte >= b' ') & (byte != b'"') & (byte != b'\\'));
        if !is_plain {
            return self.value(name, &text);
        }
        self.0.reserve(name.len() + text.len() + 2);
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(b'"');
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(b'"');
    }

    fn optional(&mut self, name: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text(name, text),
            None => self.null(name),
        }
    }

    fn time(&mut self, name: &str, time: Option<Utc>) {
        match time {
            Some(time) => time.with_text(|text| self.text(name, text)),
            None => self.null(name),
        }
    }

    fn headers(&mut self, name: &str, headers: &Headers<'_>) {
        match headers.names {
            Some([]) => {
                self.0.extend_from_slice(name.as_bytes());
                self.0.extend_from_slice(b"{}");
            }
            _ => self.value(name, headers),
        }
    }

    fn null(&mut self, name: &str) {
        self.0.extend_from_slice(name.as_bytes());
        self.0.extend_from_slice(b"null");
    }
}
