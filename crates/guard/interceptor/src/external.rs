//! The questions to an external interceptor and its answers: one JSON object each.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use http::header::COOKIE;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// The most bytes of a message for a caller.
pub const MESSAGE_MAX_BYTES: usize = 1024;

/// The question before a call, and the report after it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Question<'a> {
    /// `before` or `after`.
    pub stage: &'static str,
    /// The id that the answer has, or would have.
    pub request_id: &'a str,
    /// The caller; null if it is not known.
    pub user: Option<&'a str>,
    /// The groups of the caller.
    pub groups: &'a [Box<str>],
    /// The API.
    pub api: Option<&'a str>,
    /// The operation's id.
    pub operation: Option<&'a str>,
    /// The service that the operation calls.
    pub service: Option<&'a str>,
    /// The request's method.
    pub method: &'a str,
    /// Its path.
    pub path: &'a str,
    /// Its query.
    pub query: Option<&'a str>,
    /// The configured headers of the request. Several values of one are joined ([`joined`]).
    pub headers: BTreeMap<&'a str, Cow<'a, str>>,
    /// Its body, if the configuration wants it and it is JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<&'a RawValue>,
    /// After the call: the answer's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// After the call: the code of its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<&'a str>,
}

/// All values of a header of a request, with commas between them, as they would be in one header. Cookies have semicolons.
#[must_use]
pub fn joined<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Cow<'h, str> {
    let between = if *name == COOKIE { "; " } else { ", " };
    let mut values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let first = values.next().unwrap_or_default();
    values.fold(first, |mut all, value| {
        all.to_mut().push_str(between);
        all.to_mut().push_str(&value);
        all
    })
}

/// The decision of an external interceptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The call may go on. The mapping and the policies see these headers of the request.
    Allow(Vec<(HeaderName, HeaderValue)>),
    /// The call is refused.
    Refuse {
        /// The status for the caller; none for the usual one.
        status: Option<StatusCode>,
        /// The message for the caller.
        message: Option<String>,
    },
}

/// An answer that is not a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadAnswer(String);

impl fmt::Display for BadAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadAnswer {}

/// `{"allow":true,"setHeaders":{}}` or `{"allow":false,"status":403,"message":""}`. Other members
/// are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    allow: bool,
    status: Option<u16>,
    message: Option<String>,
    #[serde(default)]
    set_headers: Pairs,
}

/// The members of an object, in their order. A name may occur twice.
#[derive(Default)]
struct Pairs(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Pairs, A::Error> {
                let mut found = Vec::new();
                while let Some(member) = members.next_entry()? {
                    found.push(member);
                }
                Ok(Pairs(found))
            }
        }
        from.deserialize_map(Members)
    }
}

impl Decision {
    /// Reads an answer. `may_set` are the headers that it may set.
    ///
    /// # Errors
    /// The answer is not such an object, has a status that refuses nothing, or sets other headers.
    pub fn parse(answer: &[u8], may_set: &[HeaderName]) -> Result<Self, BadAnswer> {
        let answer: Answer = serde_json::from_slice(answer)
            .map_err(|error| BadAnswer(format!("expected {{\"allow\": true or false, ...}}: {error}")))?;
        if answer.allow {
            return set(&answer.set_headers, may_set).map(Decision::Allow);
        }
        let status = match answer.status {
            None => None,
            Some(code @ 400..=599) => StatusCode::from_u16(code).ok(),
            Some(code) => return Err(BadAnswer(format!("expected a status of 400 to 599, found {code}"))),
        };
        let message = answer.message.map(|mut message| {
            message.truncate(message.floor_char_boundary(MESSAGE_MAX_BYTES));
            message
        });
        Ok(Decision::Refuse { status, message })
    }
}

/// The headers of an answer. Of two values of one header it would not be known which one is meant.
fn set(Pairs(pairs): &Pairs, may_set: &[HeaderName]) -> Result<Vec<(HeaderName, HeaderValue)>, BadAnswer> {
    let mut headers: Vec<(HeaderName, HeaderValue)> = Vec::with_capacity(pairs.len());
    for (name, value) in pairs {
        let (known, value) = header(name, value, may_set)?;
        if headers.iter().any(|(other, _)| *other == known) {
            return Err(BadAnswer(format!("it sets the header '{known}' twice")));
        }
        headers.push((known, value));
    }
    Ok(headers)
}

/// A header that an interceptor sets, if it may set it.
///
/// # Errors
/// It may not set this header, or the value is not valid in a header.
pub fn header(
    name: &str,
    value: &str,
    may_set: &[HeaderName],
) -> Result<(HeaderName, HeaderValue), BadAnswer> {
    let known = name.parse::<HeaderName>().ok().filter(|name| may_set.contains(name));
    let known = known.ok_or_else(|| BadAnswer(format!("it may not set the header '{name}'")))?;
    let value = HeaderValue::from_str(value)
        .map_err(|_| BadAnswer(format!("the value of the header '{name}' cannot be one")))?;
    Ok((known, value))
}
