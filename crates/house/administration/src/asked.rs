//! An admitted request, as the functions of the table get it, and their answers.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use failure::Failure;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, Response, StatusCode, Uri};
use security::{Action, Identity, Kind};

use crate::process::{Gateway, Process};

pub(crate) const JSON: &str = "application/json";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";

/// An answer: status, content type and body.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The content type.
    pub kind: &'static str,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// An answer of this content type.
    #[must_use]
    pub fn new(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Self {
        Self { status, kind, body: body.into() }
    }

    /// An answer of JSON.
    #[must_use]
    pub fn json(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self::new(status, JSON, body)
    }

    /// An answer for people.
    #[must_use]
    pub fn text(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self::new(status, TEXT, body)
    }

    /// The answer as an HTTP response. Caches must not keep it.
    #[must_use]
    pub fn response<B: From<Bytes>>(self) -> Response<B> {
        let mut response = Response::new(B::from(self.body));
        *response.status_mut() = self.status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// An answer that comes later.
pub type Pending<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// An admitted request.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The process.
    pub process: &'a Arc<dyn Process>,
    /// The gateway that admitted it.
    pub gateway: &'a dyn Gateway,
    /// The head of the request.
    pub parts: &'a Parts,
    /// True if the connection has TLS.
    pub secure: bool,
    /// The caller, if known.
    pub identity: Option<&'a Identity>,
    /// True if the caller gets full health reports.
    pub in_full: bool,
    /// The names in the path, decoded.
    pub names: &'a [String],
}

impl<'a> Asked<'a> {
    /// The first name in the path; empty if there is none.
    pub(crate) fn name(&self) -> &'a str {
        self.names.first().map_or("", String::as_str)
    }

    /// The first value of a query parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        parameter(self.parts.uri.query().unwrap_or_default(), name)
    }

    /// Whether the caller has a right to one object.
    pub(crate) fn may(&self, kind: Kind, name: &str, action: Action) -> bool {
        self.gateway.may(self.identity, (kind, name), action)
    }

    /// The URL of a path, with the caller's scheme and host.
    pub(crate) fn url(&self, path: &str) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        match host(&self.parts.uri, &self.parts.headers) {
            Some(host) => format!("{scheme}://{host}{path}"),
            None => format!("{scheme}://localhost{path}"),
        }
    }
}

/// A body that is received on demand.
pub trait Incoming: Send {
    /// Receives the body, within the time limit of bodies.
    ///
    /// # Errors
    /// The body has more than `max_bytes`, breaks off or comes too slowly.
    fn receive(
        &mut self,
        max_bytes: usize,
    ) -> Pin<Box<dyn Future<Output = Result<Bytes, Failure>> + Send + '_>>;
}

/// The host and port of a request, in the caller's view.
#[must_use]
pub fn host(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let named = || headers.get(HOST).and_then(|host| host.to_str().ok()?.parse().ok());
    uri.authority().cloned().or_else(named)
}

/// The first value of a query parameter.
pub(crate) fn parameter(query: &str, name: &str) -> Option<String> {
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.filter(|(key, _)| *key == name).map(|(_, value)| decoded(value)).next()
}

/// A text of a URL with its escapes decoded.
pub(crate) fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}
