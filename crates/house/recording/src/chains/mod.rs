//! Running interceptors: the chain of an API around each of its calls.
//!
//! A chain is made when the configuration is loaded. An API without interceptors has no chain, and
//! its requests cost nothing more.

mod asker;
mod audit;
mod external;
#[cfg(feature = "wasm")]
mod module;
mod request_log;
mod settings;

use std::collections::VecDeque;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use calendar::Utc;
use failure::{Code, Failure};
use http::request::Parts;
use http::{HeaderMap, HeaderName, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use security::Identity;
use service::SystemOfRecord;

use crate::journal::{Journal, Room};
pub(crate) use asker::{OnFailure, Terms};
pub(crate) use audit::Audit;
pub use audit::{Administration, now};
pub(crate) use external::{External, ExternalSettings};
#[cfg(feature = "wasm")]
pub(crate) use module::ModuleInterceptor;
pub(crate) use request_log::RequestLog;
pub(crate) use settings::{AuditSettings, Configured, Kind, LogSettings};
pub use settings::{Chains, InterceptorSettings};

/// One interceptor.
#[derive(Debug)]
pub(crate) enum Interceptor {
    /// Writes audit records.
    Audit(Audit),
    /// Writes requests and responses.
    Log(RequestLog),
    /// Asks another server.
    External(Box<External>),
    /// Asks a module of WebAssembly.
    #[cfg(feature = "wasm")]
    Module(Box<ModuleInterceptor>),
}

/// The interceptors of an API, in the order in which they run before a call.
#[derive(Debug)]
pub struct Chain {
    interceptors: Box<[Arc<Interceptor>]>,
    /// True if an interceptor records the request's body after the call.
    keeps_body: bool,
    /// Headers that only interceptors may set.
    own_headers: Box<[HeaderName]>,
}

/// The state of a chain for one request.
#[derive(Debug, Default)]
pub struct Passage {
    /// The number of interceptors that were asked before the call. The same ones hear of its end.
    reached: usize,
    /// Room for the lines of those interceptors that reserve it before the call, by their index.
    rooms: Vec<(usize, Room)>,
    /// The request's body, if an interceptor wants it after the call.
    body: Bytes,
    /// The request's headers with the changes of interceptors; none if no interceptor may change
    /// them.
    headers: Option<HeaderMap>,
}

impl Passage {
    /// The headers for mappings and policies, if they differ from the request's.
    pub fn take_headers(&mut self) -> Option<HeaderMap> {
        self.headers.take()
    }
}

/// A request before its call, for interceptors.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'r> {
    /// The request's id.
    pub id: &'r str,
    /// The head of the request.
    pub parts: &'r Parts,
    /// The caller; none if unknown.
    pub identity: Option<&'r Identity>,
    /// The called operation; none if unknown.
    pub call: Option<Called<'r>>,
}

/// A request that an interceptor has stopped.
#[derive(Debug)]
pub struct Stop {
    /// The reason.
    pub failure: Failure,
    /// The status, if it differs from that of the failure.
    pub status: Option<StatusCode>,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self { failure, status: None }
    }
}

/// A request after its call, for interceptors.
#[derive(Debug)]
pub struct Seen<'r> {
    /// The request's id.
    pub id: &'r str,
    /// The id of its trace, in hexadecimal; none without traces.
    pub trace: Option<String>,
    /// The client's address.
    pub address: IpAddr,
    /// The head of the request.
    pub parts: &'r Parts,
    /// The caller; none if unknown.
    pub identity: Option<&'r Identity>,
    /// The called operation; none if unknown.
    pub call: Option<Called<'r>>,
    /// The code, if the request failed.
    pub failure: Option<Code>,
    /// The status of the answer.
    pub status: StatusCode,
    /// Bytes of the request's body.
    pub request_bytes: usize,
    /// Bytes of the answer's body.
    pub response_bytes: usize,
    /// The times of the request.
    pub times: Times,
}

/// The call of a request.
#[derive(Clone, Copy, Debug)]
pub struct Called<'r> {
    /// None if a service is called directly.
    pub api: Option<CalledApi<'r>>,
    /// The names of all services, with commas between them.
    pub services: &'r str,
    /// The kind of the provider, or of the first call's provider; none without calls.
    pub provider: Option<&'static str>,
    /// The system of record, as the provider describes it.
    pub system: SystemOfRecord<'r>,
}

/// The called operation.
#[derive(Clone, Copy, Debug)]
pub struct CalledApi<'r> {
    /// The API's name.
    pub name: &'r str,
    /// The API's version.
    pub version: &'r str,
    /// The operation's id.
    pub operation: &'r str,
}

/// The times of a request.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// When the request's head was complete.
    pub arrived: Utc,
    /// When the first call of a provider began; none without a call.
    pub sent: Option<Utc>,
    /// When the last call of a provider ended.
    pub received: Option<Utc>,
    /// When the answer was ready.
    pub answered: Utc,
}

impl Chain {
    /// The chain of these interceptors; none if there are none.
    pub(crate) fn new(interceptors: Vec<Arc<Interceptor>>) -> Option<Self> {
        let mut own_headers = Vec::new();
        let mut keeps_body = false;
        for interceptor in &interceptors {
            match &**interceptor {
                Interceptor::Audit(_) => {}
                Interceptor::Log(log) => keeps_body |= log.wants_bodies(),
                Interceptor::External(external) => own_headers.extend_from_slice(external.may_set_headers()),
                #[cfg(feature = "wasm")]
                Interceptor::Module(module) => own_headers.extend_from_slice(module.may_set_headers()),
            }
        }
        let (interceptors, own_headers) = (interceptors.into(), own_headers.into());
        let chain = Self { interceptors, keeps_body, own_headers };
        (!chain.interceptors.is_empty()).then_some(chain)
    }

    /// Asks the interceptors, in order, until one stops the request.
    pub async fn before(&self, asked: &Asked<'_>, passage: &mut Passage, body: &Bytes) -> Result<(), Stop> {
        if self.keeps_body {
            passage.body = body.clone();
        }
        if !self.own_headers.is_empty() {
            let mut headers = asked.parts.headers.clone();
            for name in &self.own_headers {
                headers.remove(name);
            }
            passage.headers = Some(headers);
        }
        for (place, interceptor) in self.interceptors.iter().enumerate() {
            // The interceptor that stops a request also gets the call at its end, as in z/OS
            // Connect.
            passage.reached = place + 1;
            let room = match &**interceptor {
                Interceptor::Audit(audit) => audit.journal().reserve(),
                Interceptor::Log(log) => log.journal().reserve(),
                Interceptor::External(external) => {
                    external.before(asked, body, &mut passage.headers).await?;
                    Ok(None)
                }
                #[cfg(feature = "wasm")]
                Interceptor::Module(module) => {
                    module.before(asked, body, &mut passage.headers)?;
                    Ok(None)
                }
            };
            match room {
                Ok(room) => passage.rooms.extend(room.map(|room| (place, room))),
                Err(_) => return Err(Failure::new(Code::NotRecorded).into()),
            }
        }
        Ok(())
    }

    /// Reports the end to each interceptor that was asked, in the opposite order. If the request
    /// failed before any was asked, all get the report.
    pub async fn after(&self, passage: Passage, seen: &Seen<'_>, response: &Response<Full<Bytes>>) {
        let mut lines = self.told(passage, seen, response);
        while let Some(Line { journal, line, room }) = lines.0.pop_front() {
            journal.put(line, room).await;
        }
    }

    /// The same for a request whose caller does not wait any more. Nothing waits for room.
    pub fn abandoned(&self, passage: Passage, seen: &Seen<'_>, response: &Response<Full<Bytes>>) {
        drop(self.told(passage, seen, response));
    }

    /// Tells the interceptors. Gives the lines of those that write some.
    fn told(&self, passage: Passage, seen: &Seen<'_>, response: &Response<Full<Bytes>>) -> Lines<'_> {
        let mut lines = Lines(VecDeque::new());
        let Passage { reached, mut rooms, body, .. } = passage;
        let is_early = reached == 0;
        let reached = if is_early { self.interceptors.len() } else { reached };
        for (place, interceptor) in self.interceptors[..reached].iter().enumerate().rev() {
            let at = rooms.iter().position(|(taken, _)| *taken == place);
            let room = at.map(|at| rooms.swap_remove(at).1);
            match &**interceptor {
                Interceptor::Audit(audit) if is_early && !audit.early_failures() => {}
                Interceptor::Audit(audit) => {
                    let line = audit.line(seen, response.headers());
                    lines.0.push_back(Line { journal: audit.journal(), line, room });
                }
                // This one only gets reports of calls about which it was asked.
                Interceptor::External(_) if is_early => {}
                Interceptor::External(external) => external.after(seen),
                #[cfg(feature = "wasm")]
                Interceptor::Module(_) if is_early => {}
                #[cfg(feature = "wasm")]
                Interceptor::Module(module) => module.after(seen),
                Interceptor::Log(log) => {
                    let body = log.wants_bodies().then_some(&body);
                    let line = log.line(seen, body, response);
                    lines.0.push_back(Line { journal: log.journal(), line, room });
                }
            }
        }
        lines
    }

    /// Reports an act of administration to the interceptors that record it.
    pub fn administration(&self, act: &Administration<'_>) {
        for interceptor in &self.interceptors {
            if let Interceptor::Audit(audit) = &**interceptor {
                audit.administration(act);
            }
        }
    }
}

/// A line about a request, and its room if that is reserved.
struct Line<'c> {
    journal: &'c Journal,
    line: Vec<u8>,
    room: Option<Room>,
}

/// Lines about a request. Those that are left when this is dropped do not wait for room: a caller
/// that leaves must not take its record along.
struct Lines<'c>(VecDeque<Line<'c>>);

impl Drop for Lines<'_> {
    fn drop(&mut self) {
        self.0.drain(..).for_each(|Line { journal, line, room }| journal.put_now(line, room));
    }
}

/// The bytes of a body that is complete.
fn whole(response: &Response<Full<Bytes>>) -> Bytes {
    let mut body = response.body().clone();
    // It waits for nothing.
    match pin!(body.frame()).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
        _ => Bytes::new(),
    }
}
