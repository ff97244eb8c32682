//! The interceptor that asks another server whether a call may be, and tells it how it ended.

use std::sync::Arc;
use std::time::Duration;

use api::{Code, Failure};
use bytes::Bytes;
use http::{HeaderMap, HeaderName};
use interceptor::external::{Decision, Question};
use serde_json::value::RawValue;
use tokio::sync::Semaphore;

use super::{Asked, Seen, Stop};
use crate::json_server::JsonServer;
use crate::metrics::InterceptorMetrics;

/// Servers that are told at one time; more are not told.
const TELLING_MAX: usize = 256;

/// The interceptor.
#[derive(Debug)]
pub(crate) struct External {
    name: String,
    server: JsonServer,
    settings: ExternalSettings,
    metrics: InterceptorMetrics,
    telling: Arc<Semaphore>,
}

/// How the server is asked.
#[derive(Clone, Debug)]
pub(crate) struct ExternalSettings {
    pub(crate) url: String,
    pub(crate) ca: Option<std::path::PathBuf>,
    pub(crate) timeout: Duration,
    pub(crate) answer_max_bytes: usize,
    pub(crate) on_failure: OnFailure,
    /// Headers of the request that the server sees.
    pub(crate) send_headers: Vec<HeaderName>,
    /// Headers of the request that the server sets, and nobody else.
    pub(crate) may_set_headers: Vec<HeaderName>,
    /// Whether the server sees the body.
    pub(crate) send_body: bool,
    /// Whether the server is told how calls ended.
    pub(crate) tell_after: bool,
}

/// What happens if the server does not answer, or not as it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnFailure {
    /// The call may be.
    Open,
    /// The call may not be.
    Closed,
}

impl External {
    pub(super) fn new(
        name: String,
        (server, settings): (JsonServer, ExternalSettings),
        metrics: InterceptorMetrics,
    ) -> Self {
        Self { name, server, settings, metrics, telling: Arc::new(Semaphore::new(TELLING_MAX)) }
    }

    /// Headers that only the server sets: what a caller sends in them is taken away before.
    pub(super) fn may_set_headers(&self) -> &[HeaderName] {
        &self.settings.may_set_headers
    }

    /// Asks the server; sets the headers that it answers with.
    pub(super) async fn before(
        &self,
        asked: &Asked<'_>,
        (body, headers): (&Bytes, &mut Option<HeaderMap>),
    ) -> Result<(), Stop> {
        let question = self.question("before", asked, headers.as_ref().unwrap_or(&asked.parts.headers));
        let body = self.settings.send_body.then(|| serde_json::from_slice::<&RawValue>(body).ok()).flatten();
        let answer = self.server.post(json(&Question { body, ..question })).await;
        let decision = answer.and_then(|answer| {
            Decision::parse(&answer, &self.settings.may_set_headers).map_err(|error| error.to_string())
        });
        match decision {
            Ok(Decision::Allow(set)) => {
                if let Some(headers) = headers {
                    headers.extend(set);
                }
                Ok(())
            }
            Ok(Decision::Refuse { status, message }) => {
                let failure = Failure { details: message, ..Failure::new(Code::Intercepted) };
                Err(Stop { failure, status })
            }
            Err(error) => self.failed(asked, error),
        }
    }

    fn failed(&self, asked: &Asked<'_>, error: String) -> Result<(), Stop> {
        self.metrics.failed();
        let (name, id) = (&self.name, asked.id);
        match self.settings.on_failure {
            OnFailure::Open => {
                tracing::warn!(id, interceptor = name, error, "not asked; the call goes on");
                Ok(())
            }
            OnFailure::Closed => {
                let log = Some(format!("interceptor {name}: {error}"));
                Err(Failure { log, ..Failure::new(Code::InterceptorFailed) }.into())
            }
        }
    }

    /// Tells the server how a call ended, without letting the caller wait.
    pub(super) fn after(&self, seen: &Seen<'_>) {
        if !self.settings.tell_after {
            return;
        }
        let Ok(turn) = Arc::clone(&self.telling).try_acquire_owned() else {
            self.metrics.failed();
            return;
        };
        let asked = Asked { id: seen.id, parts: seen.parts, identity: seen.identity, call: seen.call };
        let (status, failure) = (Some(seen.status.as_u16()), seen.failure.map(Code::as_str));
        let question = self.question("after", &asked, &seen.parts.headers);
        let json = json(&Question { status, failure, ..question });
        let (server, metrics, name) = (self.server.clone(), self.metrics.clone(), self.name.clone());
        tokio::spawn(async move {
            if let Err(error) = server.post(json).await {
                metrics.failed();
                tracing::debug!(interceptor = name, error, "not told of the end of a call");
            }
            drop(turn);
        });
    }

    fn question<'q>(&self, stage: &'static str, asked: &Asked<'q>, headers: &'q HeaderMap) -> Question<'q> {
        let chosen = |(name, value): (&'q HeaderName, &'q http::HeaderValue)| {
            let is_chosen = self.settings.send_headers.contains(name);
            is_chosen.then(|| (name.as_str(), String::from_utf8_lossy(value.as_bytes())))
        };
        Question {
            stage,
            request_id: asked.id,
            user: asked.identity.map(|identity| &*identity.name),
            groups: asked.identity.map(|identity| &*identity.groups).unwrap_or_default(),
            api: asked.call.map(|call| call.api),
            operation: asked.call.map(|call| call.operation),
            service: asked.call.map(|call| call.services),
            method: asked.parts.method.as_str(),
            path: asked.parts.uri.path(),
            query: asked.parts.uri.query(),
            headers: headers.iter().filter_map(chosen).collect(),
            body: None,
            status: None,
            failure: None,
        }
    }
}

/// Texts in a buffer: nothing of that can fail.
fn json(question: &Question<'_>) -> Vec<u8> {
    serde_json::to_vec(question).unwrap_or_default()
}
