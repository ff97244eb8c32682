//! Failures, and their one JSON form for clients.

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_LANGUAGE, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde::Serialize;

use crate::answer::Answer;
use crate::resource::Resource;

/// The content type of every body that is JSON.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json;charset=utf-8");
/// The language of every text.
pub const LANGUAGE: HeaderValue = HeaderValue::from_static("en-US");

/// A completion code with its reason, as the queue manager has them; both 0 where it was not asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Codes {
    /// 0, 1 or 2.
    pub completion: u32,
    /// An MQRC number.
    pub reason: u32,
}

impl Codes {
    /// A call that failed.
    #[must_use]
    pub const fn failed(reason: u32) -> Self {
        Self { completion: 2, reason }
    }
}

/// A request that cannot be answered as it was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The status of the answer.
    pub status: StatusCode,
    /// IBM's identifier (MQWB...) where there is one, else one of ours (GTY...).
    pub id: &'static str,
    /// One sentence, without the identifier.
    pub message: String,
    /// Why.
    pub explanation: String,
    /// The advice for the client.
    pub action: &'static str,
    /// The codes of the queue manager.
    pub codes: Codes,
    /// The methods that the path offers, if it does not offer the one that was asked for.
    pub allow: Option<&'static str>,
    /// Seconds after which the same request may go well.
    pub retry_after_s: Option<u32>,
}

/// One element of `error`, with its members in the order in which mqweb has them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'t> {
    action: &'t str,
    completion_code: u32,
    explanation: &'t str,
    message: String,
    msg_id: &'t str,
    message_id: &'t str,
    reason_code: u32,
    r#type: &'t str,
}

impl Trouble {
    /// Trouble that does not come from the queue manager.
    #[must_use]
    pub fn new(status: StatusCode, id: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            id,
            message: message.into(),
            explanation: String::new(),
            action: match status {
                StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "Try again later.",
                _ if status.is_server_error() => {
                    "Ask the operator; the log has this request by its x-request-id."
                }
                _ => "Correct the request and send it again.",
            },
            codes: Codes::default(),
            allow: None,
            retry_after_s: None,
        }
    }

    /// A header that cannot be taken.
    #[must_use]
    pub fn header(name: &str, value: &[u8], expected: &str) -> Self {
        let value = shown(value);
        let message = format!("The value '{value}' of the header '{name}' is not valid.");
        Self::new(StatusCode::BAD_REQUEST, "MQWB0302E", message).because(format!("Expected {expected}."))
    }

    /// A query parameter that cannot be taken.
    #[must_use]
    pub fn parameter(name: &str, value: &str, expected: &str) -> Self {
        let value = shown(value.as_bytes());
        let message = format!("The value '{value}' of the query parameter '{name}' is not valid.");
        Self::new(StatusCode::BAD_REQUEST, "GTY0411W", message).because(format!("Expected {expected}."))
    }

    /// A body that cannot be taken.
    #[must_use]
    pub fn body(explanation: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "GTY0460W", "The body of the request cannot be read.")
            .because(explanation)
    }

    /// A path that leads nowhere.
    #[must_use]
    pub fn unknown_path() -> Self {
        Self::new(StatusCode::NOT_FOUND, "GTY0404W", "The path is not one of the messaging interface.")
    }

    /// A queue manager that is not here.
    #[must_use]
    pub fn unknown_manager(name: &str) -> Self {
        let name = shown(name.as_bytes());
        Self {
            codes: Codes::failed(2058),
            action: "Resubmit the request with a valid queue manager name.",
            ..Self::new(
                StatusCode::NOT_FOUND,
                "MQWB0009E",
                format!("Could not query the queue manager '{name}'."),
            )
            .because("The REST API was invoked specifying a queue manager name which cannot be located.")
        }
    }

    /// There is no installation of this name.
    #[must_use]
    pub fn unknown_installation(name: &str) -> Self {
        let name = shown(name.as_bytes());
        Self {
            action: "Resubmit the request without a name, which shows the installation.",
            ..Self::new(StatusCode::NOT_FOUND, "GTY0404W", format!("There is no installation '{name}'."))
        }
    }

    /// The same, with the reason.
    #[must_use]
    pub fn because(mut self, explanation: impl Into<String>) -> Self {
        self.explanation = explanation.into();
        self
    }

    /// Adds the methods that a resource still offers if it refuses this one for now, because its queue or
    /// topic is inhibited.
    #[must_use]
    pub fn inhibited(self, resource: &Resource<'_>, method: &Method) -> Self {
        let allow = self.allow.or_else(|| Some(resource.methods_beside(method)));
        let is_refused = self.status == StatusCode::METHOD_NOT_ALLOWED;
        Self { allow: allow.filter(|_| is_refused), ..self }
    }

    /// The answer.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let mut headers = HeaderMap::with_capacity(4);
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(CONTENT_LANGUAGE, LANGUAGE);
        if let Some(allow) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(allow));
        }
        if let Some(seconds) = self.retry_after_s {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        Answer { status: self.status, headers, body: self.written() }
    }

    /// `{"error":[{...}]}`.
    fn written(&self) -> Bytes {
        let explanation = if self.explanation.is_empty() { &self.message } else { &self.explanation };
        let element = Written {
            action: self.action,
            completion_code: self.codes.completion,
            explanation,
            message: format!("{}: {}", self.id, self.message),
            msg_id: self.id,
            message_id: self.id,
            reason_code: self.codes.reason,
            r#type: "rest",
        };
        let body = serde_json::to_vec(&serde_json::json!({ "error": [element] }));
        body.unwrap_or_default().into()
    }
}

/// How many characters of what a client sent stand in a message to it.
const SHOWN_MAX: usize = 100;

/// Text of a client, shortened and without control characters.
#[must_use]
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars().take(SHOWN_MAX).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
