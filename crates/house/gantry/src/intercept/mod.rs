//! Interceptors as they run: the chain of an API around each of its calls.
//!
//! A chain is put together when the configuration is loaded. An API without interceptors has none, and its requests
//! pay nothing.

mod asker;
mod audit;
mod external;
#[cfg(feature = "wasm")]
mod module;
mod request_log;
mod settings;

use std::sync::Arc;

use bytes::Bytes;
use calendar::Utc;
use failure::{Code, Failure};
use http::request::Parts;
use http::{HeaderMap, HeaderName, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use security::Identity;
use service::SystemOfRecord;

use crate::journal::Room;
use crate::security::Peer;
pub(crate) use asker::{OnFailure, Terms};
pub(crate) use audit::{Administration, Audit, now};
pub(crate) use external::{External, ExternalSettings};
#[cfg(feature = "wasm")]
pub(crate) use module::ModuleInterceptor;
pub(crate) use request_log::RequestLog;
pub(crate) use settings::{AuditSettings, Chains, Configured, InterceptorSettings, Kind, LogSettings};

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
pub(crate) struct Chain {
    interceptors: Box<[Arc<Interceptor>]>,
    /// Whether one of them writes the request's body down after the call.
    keeps_body: bool,
    /// Headers that interceptors alone may set.
    own_headers: Box<[HeaderName]>,
}

/// What a chain keeps of one request.
#[derive(Debug, Default)]
pub(crate) struct Passage {
    /// How many interceptors have been asked before the call: these are told after it.
    reached: usize,
    /// Room for the lines of the interceptors that take it before the call, by their place.
    rooms: Vec<(usize, Room)>,
    /// The request's body, if one wants it after the call.
    body: Bytes,
    /// The request's headers as interceptors have set them; none if none of them may.
    headers: Option<HeaderMap>,
}

impl Passage {
    /// The headers for mappings and policies, if they are not those that came.
    pub(crate) fn take_headers(&mut self) -> Option<HeaderMap> {
        self.headers.take()
    }
}

/// A request as interceptors see it before its call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'r> {
    pub(crate) id: &'r str,
    pub(crate) parts: &'r Parts,
    pub(crate) identity: Option<&'r Identity>,
    pub(crate) call: Option<Called<'r>>,
}

/// A request that an interceptor does not let through.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) failure: Failure,
    /// In place of the status that goes with the failure.
    pub(crate) status: Option<StatusCode>,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self { failure, status: None }
    }
}

/// A request as interceptors see it after its call.
#[derive(Debug)]
pub(crate) struct Seen<'r> {
    pub(crate) id: &'r str,
    pub(crate) trace: Option<String>,
    pub(crate) peer: &'r Peer,
    pub(crate) parts: &'r Parts,
    pub(crate) identity: Option<&'r Identity>,
    pub(crate) call: Option<Called<'r>>,
    pub(crate) failure: Option<Code>,
    pub(crate) status: StatusCode,
    pub(crate) request_bytes: usize,
    pub(crate) response_bytes: usize,
    pub(crate) times: Times,
}

/// What a request calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called<'r> {
    /// None for a direct call of a service.
    pub(crate) api: Option<CalledApi<'r>>,
    /// The names of all services, with commas between them.
    pub(crate) services: &'r str,
    pub(crate) provider: Option<&'static str>,
    pub(crate) system: SystemOfRecord<'r>,
}

/// The operation that a request is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CalledApi<'r> {
    pub(crate) name: &'r str,
    pub(crate) version: &'r str,
    pub(crate) operation: &'r str,
}

/// When a request passed which point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) arrived: Utc,
    pub(crate) sent: Option<Utc>,
    pub(crate) received: Option<Utc>,
    pub(crate) answered: Utc,
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

    /// Asks each interceptor, in order, until one stops the request.
    pub(crate) async fn before(
        &self,
        asked: &Asked<'_>,
        (passage, body): (&mut Passage, &Bytes),
    ) -> Result<(), Stop> {
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
            // The one that stops a request is told of its end too, as z/OS Connect does it.
            passage.reached = place + 1;
            let room = match &**interceptor {
                Interceptor::Audit(audit) => audit.journal().reserve(),
                Interceptor::Log(log) => log.journal().reserve(),
                Interceptor::External(external) => {
                    external.before(asked, (body, &mut passage.headers)).await?;
                    Ok(None)
                }
                #[cfg(feature = "wasm")]
                Interceptor::Module(module) => {
                    module.before(asked, (body, &mut passage.headers))?;
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

    /// Tells each interceptor that was asked, in the opposite order; of a request that failed before any was asked, all
    /// of them.
    pub(crate) async fn after(&self, passage: Passage, seen: &Seen<'_>, response: &Response<Full<Bytes>>) {
        let Passage { reached, mut rooms, body, .. } = passage;
        let is_early = reached == 0;
        let reached = if is_early { self.interceptors.len() } else { reached };
        for (place, interceptor) in self.interceptors[..reached].iter().enumerate().rev() {
            let at = rooms.iter().position(|(taken, _)| *taken == place);
            let room = at.map(|at| rooms.swap_remove(at).1);
            match &**interceptor {
                Interceptor::Audit(audit) if is_early && !audit.early_failures() => {}
                Interceptor::Audit(audit) => audit.write(seen, response.headers(), room).await,
                // It is told of the ends of those calls alone for which it was asked.
                Interceptor::External(_) if is_early => {}
                Interceptor::External(external) => external.after(seen),
                #[cfg(feature = "wasm")]
                Interceptor::Module(_) if is_early => {}
                #[cfg(feature = "wasm")]
                Interceptor::Module(module) => module.after(seen),
                Interceptor::Log(log) => {
                    let body = log.wants_bodies().then_some(&body);
                    log.write(seen, (body, response), room).await;
                }
            }
        }
    }

    /// Tells those who record it of an act of administration.
    pub(crate) fn administration(&self, act: &Administration<'_>) {
        for interceptor in &self.interceptors {
            if let Interceptor::Audit(audit) = &**interceptor {
                audit.administration(act);
            }
        }
    }
}

/// The bytes of a body that is there as a whole.
async fn whole(response: &Response<Full<Bytes>>) -> Bytes {
    let frame = response.body().clone().frame().await;
    frame.and_then(Result::ok).and_then(|frame| frame.into_data().ok()).unwrap_or_default()
}
