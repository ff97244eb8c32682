//! The common part of interceptors that decide, in another server or in a module: their questions
//! and reports, and the effects of their decisions.

use bytes::Bytes;
use failure::{Code, Failure};
use http::{HeaderMap, HeaderName, HeaderValue};
use interceptor::external::{Decision, Question, joined};
use serde_json::value::RawValue;

use super::{Asked, Seen, Stop};
use metrics::InterceptorMetrics;

/// An interceptor that gets questions.
#[derive(Debug)]
pub(crate) struct Asker {
    pub(super) name: String,
    pub(super) terms: Terms,
    pub(super) metrics: InterceptorMetrics,
}

/// The rights of an interceptor.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// The effect of a missing or useless answer.
    pub(crate) on_failure: OnFailure,
    /// The headers of the request that it sees.
    pub(crate) send_headers: Vec<HeaderName>,
    /// The headers of the request that only it may set.
    pub(crate) may_set_headers: Vec<HeaderName>,
    /// True if it sees the body.
    pub(crate) send_body: bool,
}

/// The effect of a missing or useless answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnFailure {
    /// The call is allowed.
    Open,
    /// The call is refused.
    Closed,
}

impl Asker {
    /// The question before a call, as JSON.
    pub(super) fn before(&self, asked: &Asked<'_>, body: &Bytes, headers: Option<&HeaderMap>) -> Vec<u8> {
        let question = self.question("before", asked, headers.unwrap_or(&asked.parts.headers));
        let body = self.terms.send_body.then(|| serde_json::from_slice::<&RawValue>(body).ok()).flatten();
        json(&Question { body, ..question })
    }

    /// The report after a call, as JSON.
    pub(super) fn after(&self, seen: &Seen<'_>) -> Vec<u8> {
        let asked = Asked { id: seen.id, parts: seen.parts, identity: seen.identity, call: seen.call };
        let (status, failure) = (Some(seen.status.as_u16()), seen.failure.map(Code::as_str));
        let question = self.question("after", &asked, &seen.parts.headers);
        json(&Question { status, failure, ..question })
    }

    /// Carries out a decision: sets headers, or stops the call.
    pub(super) fn decided(
        &self,
        asked: &Asked<'_>,
        decision: Result<Decision, String>,
        headers: &mut Option<HeaderMap>,
    ) -> Result<(), Stop> {
        match decision {
            Ok(Decision::Allow(set)) => {
                if let Some(headers) = headers {
                    put(set, headers);
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
        match self.terms.on_failure {
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

    fn question<'q>(&self, stage: &'static str, asked: &Asked<'q>, headers: &'q HeaderMap) -> Question<'q> {
        let chosen = |name: &'q HeaderName| {
            let is_chosen = self.terms.send_headers.contains(name);
            is_chosen.then(|| (name.as_str(), joined(headers, name)))
        };
        let api = asked.call.and_then(|call| call.api);
        Question {
            stage,
            request_id: asked.id,
            user: asked.identity.map(|identity| &*identity.name),
            groups: asked.identity.map(|identity| &*identity.groups).unwrap_or_default(),
            api: api.map(|api| api.name),
            operation: api.map(|api| api.operation),
            service: asked.call.map(|call| call.services),
            method: asked.parts.method.as_str(),
            path: asked.parts.uri.path(),
            query: asked.parts.uri.query(),
            headers: headers.keys().filter_map(chosen).collect(),
            body: None,
            status: None,
            failure: None,
        }
    }
}

/// Sets headers. The last value of a header is its only one, whoever has set it before.
fn put(set: Vec<(HeaderName, HeaderValue)>, headers: &mut HeaderMap) {
    for (name, value) in set {
        headers.insert(name, value);
    }
}

/// Writing texts to a buffer cannot fail.
fn json(question: &Question<'_>) -> Vec<u8> {
    serde_json::to_vec(question).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_header_counts() {
        const TENANT: HeaderName = HeaderName::from_static("x-tenant");
        let set = |value: &'static str| (TENANT, HeaderValue::from_static(value));
        let mut headers = HeaderMap::new();
        // One interceptor sets it twice, and then another one sets it.
        put(vec![set("first"), set("second")], &mut headers);
        put(vec![set("third")], &mut headers);
        let found: Vec<&HeaderValue> = headers.get_all(TENANT).iter().collect();
        assert_eq!(found, ["third"]);
    }
}
