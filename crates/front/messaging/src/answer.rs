//! Outcomes to answers: status, headers and body.

use bytes::Bytes;
use codepage::{Encoding, Unmappable};
use http::header::{CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_TYPE, EXPIRES, HeaderName, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::json;

use crate::admin::Shown;
use crate::batch;
use crate::descriptor::{CORRELATION_ID, EXPIRY, MESSAGE_ID, PERSISTENCE, PRIORITY, PROPERTIES, REPLY_TO};
use crate::id::{self, Id};
use crate::media::BINARY;
use crate::mqsc::{Asked, Command, Reply};
use crate::property::{self, Property};
use crate::queue::Queue;
use crate::resource::Version;
use crate::trouble::{JSON, LANGUAGE, Trouble};

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

/// A message as it is delivered.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its id.
    pub id: Id,
    /// Its correlation id.
    pub correlation: Id,
    /// The text that the correlation id was made of, if it was kept.
    pub correlation_text: Option<String>,
    /// Milliseconds until it expires; none is never.
    pub expiry_ms: Option<u64>,
    /// Whether it outlives a restart.
    pub persistent: bool,
    /// 0 to 9.
    pub priority: u8,
    /// The queue for replies, and its queue manager; empty is none.
    pub reply_to: (String, String),
    /// User properties.
    pub properties: Vec<Property>,
    /// The format, without blanks at its end.
    pub format: String,
    /// The encoding of the text.
    pub ccsid: u16,
    /// How often it was got and given back.
    pub backouts: u32,
    /// The message itself.
    pub body: Bytes,
}

/// An element of a list of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: Id,
    /// Its correlation id.
    pub correlation: Id,
    /// The format, without blanks at its end.
    pub format: String,
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A login: the value of the header that sets the cookie.
    LoggedIn(HeaderValue),
    /// A logout: the value of the header that takes the cookie away.
    LoggedOut(Option<HeaderValue>),
    /// The caller, and what it may do in IBM's words.
    Who(String, Vec<&'static str>),
    /// Queue managers, all of which run.
    Managers(Vec<String>),
    /// A message was put.
    Put(Id),
    /// Several were put.
    PutBatch(Vec<Id>),
    /// A message was got or looked at. A reserved one has its reservation.
    Message(Box<Message>, Option<Id>),
    /// Several were got.
    Messages(Vec<Message>),
    /// There is no message, or nothing to say.
    Nothing,
    /// Messages are listed.
    Listed(Vec<Listed>),
    /// What came of a command.
    Mqsc(Asked, Reply),
    /// Queues, and what of them is shown.
    Queues(Vec<Queue>, Shown),
    /// A queue was made.
    Created,
}

/// How to confirm or release a message that was reserved.
pub const RESERVATION: HeaderName = HeaderName::from_static("gantry-mq-reservation");
const FORMAT: HeaderName = HeaderName::from_static("ibm-mq-md-format");
const BACKOUTS: HeaderName = HeaderName::from_static("gantry-mq-backout-count");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// The format of text.
pub const FORMAT_STRING: &str = "MQSTR";
/// UTF-8.
pub const CCSID_UTF8: u16 = 1208;

impl Message {
    /// Its text in UTF-8.
    ///
    /// # Errors
    /// It has another format, or bytes that are no text of its encoding.
    pub fn text(&self) -> Result<Bytes, Trouble> {
        if self.format != FORMAT_STRING {
            let format = if self.format.is_empty() { "none" } else { &self.format };
            return Err(not_text(format!("The format of the message is {format}, not {FORMAT_STRING}.")));
        }
        if self.ccsid == CCSID_UTF8 {
            return match std::str::from_utf8(&self.body) {
                Ok(_) => Ok(self.body.clone()),
                Err(_) => Err(not_text("The text of the message is not UTF-8.")),
            };
        }
        let encoding = Encoding::by_ccsid(self.ccsid).ok_or_else(|| {
            not_text(format!("The encoding of the text, CCSID {}, is not known.", self.ccsid))
        })?;
        let mut text = String::with_capacity(self.body.len());
        match encoding.decode(&self.body, Unmappable::Error, &mut text) {
            Ok(_) => Ok(text.into()),
            Err(_) => Err(not_text(format!("The text has a byte that CCSID {} does not have.", self.ccsid))),
        }
    }

    /// What stands in headers.
    pub(crate) fn describe(&self, version: Version, headers: &mut HeaderMap) {
        headers.insert(MESSAGE_ID, id::header(version, &self.id));
        let correlation = match &self.correlation_text {
            Some(text) if version == Version::V3 => HeaderValue::from_bytes(text.as_bytes()).ok(),
            _ => None,
        };
        if correlation.is_some() || self.correlation != id::NO_ID {
            let correlation = correlation.unwrap_or_else(|| id::header(version, &self.correlation));
            headers.insert(CORRELATION_ID, correlation);
        }
        let expiry = match self.expiry_ms {
            None => HeaderValue::from_static("unlimited"),
            Some(milliseconds) => HeaderValue::from(milliseconds),
        };
        headers.insert(EXPIRY, expiry);
        let persistence = if self.persistent { "persistent" } else { "nonPersistent" };
        headers.insert(PERSISTENCE, HeaderValue::from_static(persistence));
        let (queue, manager) = &self.reply_to;
        if !queue.is_empty() {
            let text = if manager.is_empty() { queue.clone() } else { format!("{queue}@{manager}") };
            headers.extend(HeaderValue::from_str(&text).ok().map(|value| (REPLY_TO, value)));
        }
        headers.extend(HeaderValue::from_str(&self.format).ok().map(|value| (FORMAT, value)));
        if self.backouts > 0 {
            headers.insert(BACKOUTS, HeaderValue::from(self.backouts));
        }
        if version == Version::V3 {
            headers.insert(PRIORITY, HeaderValue::from(u16::from(self.priority)));
            let properties = property::written(&self.properties);
            let properties = properties.and_then(|text| HeaderValue::from_bytes(text.as_bytes()).ok());
            headers.extend(properties.map(|value| (PROPERTIES, value)));
        }
    }
}

/// A message that is no text: it stays where it is.
fn not_text(explanation: impl Into<String>) -> Trouble {
    Trouble {
        action: "Get the message with 'Accept: application/octet-stream', or with another client of the queue manager.",
        ..Trouble::new(StatusCode::NOT_IMPLEMENTED, "MQWB0303E", "The message cannot be shown as text.")
            .because(explanation)
    }
}

impl Outcome {
    /// The answer. `binary` says that the client takes bytes.
    #[must_use]
    pub fn answer(self, version: Version, binary: bool) -> Answer {
        match self {
            Self::LoggedIn(cookie) => logged_in(cookie),
            Self::LoggedOut(cookie) => {
                let mut answer = empty(StatusCode::NO_CONTENT);
                answer.headers.extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
                answer
            }
            Self::Who(name, role) => {
                of_json(StatusCode::OK, json!({ "user": [{ "name": name, "role": role }] }).to_string())
            }
            Self::Managers(names) => {
                let one = |name: &String| json!({ "name": name, "state": "running" });
                let managers: Vec<_> = names.iter().map(one).collect();
                of_json(StatusCode::OK, json!({ "qmgr": managers }).to_string())
            }
            Self::Put(id) => {
                let mut answer = empty(StatusCode::CREATED);
                answer.headers.insert(CONTENT_TYPE, TEXT);
                answer.headers.insert(MESSAGE_ID, id::header(version, &id));
                answer
            }
            Self::PutBatch(ids) => of_json(StatusCode::CREATED, batch::put_written(version, &ids)),
            Self::Message(message, reservation) => got(version, &message, (reservation, binary)),
            Self::Messages(messages) => of_json(StatusCode::OK, batch::got_written(version, &messages)),
            Self::Nothing => empty(StatusCode::NO_CONTENT),
            Self::Listed(listed) => of_json(StatusCode::OK, list(version, &listed)),
            Self::Mqsc(asked, reply) => {
                let display = match &asked.command {
                    Ok(Command::Display(display)) => Some(display),
                    _ => None,
                };
                of_json(StatusCode::OK, reply.written(asked.form, display))
            }
            Self::Queues(queues, shown) => of_json(StatusCode::OK, shown.written(&queues)),
            Self::Created => empty(StatusCode::CREATED),
        }
    }
}

fn got(version: Version, message: &Message, (reservation, binary): (Option<Id>, bool)) -> Answer {
    let (body, kind) = match message.text() {
        Ok(text) => (text, TEXT),
        Err(_) if binary => (message.body.clone(), HeaderValue::from_static(BINARY)),
        Err(trouble) => return trouble.answer(),
    };
    let mut headers = HeaderMap::with_capacity(12);
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CONTENT_LANGUAGE, LANGUAGE);
    message.describe(version, &mut headers);
    if let Some(reservation) = reservation {
        // An identifier of ours is the same in all versions.
        headers.insert(RESERVATION, id::header(Version::V1, &reservation));
    }
    Answer { status: StatusCode::OK, headers, body }
}

fn list(version: Version, listed: &[Listed]) -> String {
    let one = |listed: &Listed| {
        json!({
            "correlationId": id::written(version, &listed.correlation),
            "format": listed.format,
            "messageId": id::written(version, &listed.id),
        })
    };
    json!({ "messages": listed.iter().map(one).collect::<Vec<_>>() }).to_string()
}

fn empty(status: StatusCode) -> Answer {
    let headers = HeaderMap::from_iter([(CONTENT_LANGUAGE, LANGUAGE)]);
    Answer { status, headers, body: Bytes::new() }
}

fn of_json(status: StatusCode, body: impl Into<Bytes>) -> Answer {
    let mut answer = Answer { body: body.into(), ..empty(status) };
    answer.headers.insert(CONTENT_TYPE, JSON);
    answer
}

/// What stands beside the cookie: nobody keeps the answer, and no page shows it.
const LOGIN_HEADERS: [(HeaderName, &str); 6] = [
    (HeaderName::from_static("x-xss-protection"), "1;mode=block"),
    (HeaderName::from_static("x-content-type-options"), "nosniff"),
    (HeaderName::from_static("x-frame-options"), "DENY"),
    (HeaderName::from_static("content-security-policy"), "default-src 'none'"),
    (CACHE_CONTROL, "no-cache, no-store, must-revalidate"),
    (EXPIRES, "Thu, 01 Dec 1994 16:00:00 GMT"),
];

fn logged_in(cookie: HeaderValue) -> Answer {
    let mut answer = empty(StatusCode::NO_CONTENT);
    answer.headers.extend(LOGIN_HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    answer.headers.insert(SET_COOKIE, cookie);
    answer
}
