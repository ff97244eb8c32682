//! A request that was let in, as the functions of the table see it, and what they answer.

use std::fmt::Display;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use failure::{Code, Failure};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, Response, StatusCode, Uri};
use http_body_util::Full;
use hyper::body::Body;
use security::{Action, Identity};

use crate::gateway::Gateway;
use crate::handler::collect;
use crate::live::Live;
use admission::Peer;
use switches::Kind;

pub(super) const JSON: &str = "application/json";
pub(super) const TEXT: &str = "text/plain; charset=utf-8";

/// An answer: status, content type and body.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) kind: &'static str,
    pub(super) body: Bytes,
}

impl Answer {
    /// An answer of this content type.
    pub(super) fn new(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Self {
        Self { status, kind, body: body.into() }
    }

    /// One of JSON.
    pub(super) fn json(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self::new(status, JSON, body)
    }

    /// One that people read.
    pub(super) fn text(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self::new(status, TEXT, body)
    }

    /// The answer as HTTP has it. No cache keeps it.
    pub(super) fn response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::new(self.body));
        *response.status_mut() = self.status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// An answer that something is waited for.
pub(super) type Pending<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// A request that was let in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) live: &'a Arc<Live>,
    /// The gateway that let it in.
    pub(super) gateway: &'a Arc<Gateway>,
    pub(super) peer: &'a Peer,
    pub(super) parts: &'a Parts,
    /// Who asks, if that is known.
    pub(super) identity: Option<&'a Arc<Identity>>,
    /// Whether health is told in full.
    pub(super) in_full: bool,
    /// The names in the path.
    pub(super) names: &'a [String],
}

impl<'a> Asked<'a> {
    /// The first name in the path; empty where the path has none.
    pub(super) fn name(&self) -> &'a str {
        self.names.first().map_or("", String::as_str)
    }

    /// The first value of a query parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<String> {
        parameter(self.parts.uri.query().unwrap_or_default(), name)
    }

    /// Whether the caller may do this with one of many.
    pub(super) fn may(&self, kind: Kind, name: &str, action: Action) -> bool {
        self.gateway.security.may(self.identity.map(|identity| &**identity), (kind, name), action)
    }

    /// The URL of a path, with scheme and host as the caller knows them.
    pub(super) fn url(&self, path: &str) -> String {
        let scheme = if self.peer.secure { "https" } else { "http" };
        match host(&self.parts.uri, &self.parts.headers) {
            Some(host) => format!("{scheme}://{host}{path}"),
            None => format!("{scheme}://localhost{path}"),
        }
    }
}

/// A body that is received when somebody wants it.
pub(super) trait Incoming: Send {
    /// Receives the body, within the time that bodies have.
    ///
    /// # Errors
    /// The body has more bytes than that, breaks off or comes too slowly.
    fn receive(
        &mut self,
        max_bytes: usize,
    ) -> Pin<Box<dyn Future<Output = Result<Bytes, Failure>> + Send + '_>>;
}

/// A body that nobody has received yet.
pub(super) struct Unread<B> {
    body: Option<B>,
    time: Duration,
}

impl<B> Unread<B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    pub(super) fn new(gateway: &Gateway, body: B) -> Self {
        Self { body: Some(body), time: Duration::from_millis(gateway.limits.body_read_timeout_ms) }
    }

    /// Receives the body, which is empty when it was received before.
    ///
    /// # Errors
    /// As [`Incoming::receive`] has them.
    pub(super) async fn all(&mut self, max_bytes: usize) -> Result<Bytes, Failure> {
        let Some(body) = self.body.take() else { return Ok(Bytes::new()) };
        let read = tokio::time::timeout(self.time, collect(body, max_bytes)).await;
        read.unwrap_or_else(|_| Err(Failure::new(Code::BodyTimeout)))
    }
}

impl<B> Incoming for Unread<B>
where
    B: Body<Data = Bytes> + Send,
    B::Error: Display,
{
    fn receive(
        &mut self,
        max_bytes: usize,
    ) -> Pin<Box<dyn Future<Output = Result<Bytes, Failure>> + Send + '_>> {
        Box::pin(self.all(max_bytes))
    }
}

/// The host and port for which a request is, as the caller knows them.
pub(super) fn host(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let named = || headers.get(HOST).and_then(|host| host.to_str().ok()?.parse().ok());
    uri.authority().cloned().or_else(named)
}

/// The first value of a query parameter.
pub(super) fn parameter(query: &str, name: &str) -> Option<String> {
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.filter(|(key, _)| *key == name).map(|(_, value)| decoded(value)).next()
}

/// A text of a URL without its escapes.
pub(super) fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}
