//! Outcomes to answers: status, headers and body.

use bytes::Bytes;
use codepage::{Encoding, Unmappable};
use http::header::{CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_TYPE, EXPIRES, HeaderName, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};
use message::{
    Ccsid, CorrelationId, Format, Message, MessageId, Moment, Persistence, Property, PropertyValue, ReplyTo,
};
use mqi::DeadLetterHeader;
use serde_json::json;

use crate::admin::Shown;
use crate::batch;
use crate::descriptor::{
    CORRELATION_ID, CORRELATION_TEXT, EXPIRY, MESSAGE_ID, PERSISTENCE, PRIORITY, PROPERTIES, REPLY_TO,
};
use crate::id;
use crate::media::BINARY;
use crate::mqsc::{Asked, Command, Reply};
use crate::property::{self, PROPERTIES_HEADER_BYTES_MAX};
use crate::queue::{Queue, Subscription};
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
pub struct Delivered {
    message: Message,
    /// When it is delivered.
    now: Moment,
    /// The header of a dead letter; none if it is not one, or has no header that can be read.
    dead_letter: Option<DeadLetterHeader>,
    text: Result<Text, Trouble>,
}

/// The text of a message in UTF-8.
#[derive(Clone, Debug, PartialEq)]
enum Text {
    /// It is the end of the body, from this byte on.
    EndOfBody(usize),
    /// It was converted.
    Converted(Vec<u8>),
}

/// An element of a list of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: MessageId,
    /// Its correlation id.
    pub correlation: CorrelationId,
    /// The format of its body.
    pub format: Format,
}

/// The outcome of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A login: the value of the header that sets the cookie.
    LoggedIn(HeaderValue),
    /// A logout: the value of the header that takes the cookie away.
    LoggedOut(Option<HeaderValue>),
    /// The caller, and what it may do in IBM's words.
    Who(String, Vec<&'static str>),
    /// Queue managers; all of them run.
    Managers(Vec<String>),
    /// The installation is shown, of this name.
    Installation(&'static str),
    /// A message was put.
    Put(MessageId),
    /// Several were put.
    PutBatch(Vec<MessageId>),
    /// A message was got or looked at. A reserved one has its reservation.
    Message(Box<Delivered>, Option<MessageId>),
    /// Several were got.
    Messages(Vec<Delivered>),
    /// There is not a message, or nothing to say.
    Nothing,
    /// Messages are listed.
    Listed(Vec<Listed>),
    /// The outcome of a command.
    Mqsc(Asked, Reply),
    /// Queues, and what of them is shown.
    Queues(Vec<Queue>, Shown),
    /// Channels are shown: a queue manager here has none.
    Channels,
    /// Subscriptions, and what of them is shown.
    Subscriptions(Vec<Subscription>, Shown),
    /// A queue was made.
    Created,
}

/// How to confirm or release a message that was reserved.
pub const RESERVATION: HeaderName = HeaderName::from_static("gantry-mq-reservation");
const FORMAT: HeaderName = HeaderName::from_static("ibm-mq-md-format");
/// The queue from which a dead letter or a backed-out message came, and why a dead letter is one.
const ORIGIN: HeaderName = HeaderName::from_static("gantry-mq-origin-queue");
const REASON: HeaderName = HeaderName::from_static("gantry-mq-dead-letter-reason");
const BACKOUTS: HeaderName = HeaderName::from_static("gantry-mq-backout-count");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

impl Delivered {
    /// Delivers a message at this time. A text is converted here, and nowhere else.
    #[must_use]
    pub fn new(message: Message, now: Moment) -> Self {
        let Message { descriptor, body, .. } = &message;
        let dead_letter =
            (descriptor.format == Format::DEAD_LETTER).then(|| DeadLetterHeader::read(body)).flatten();
        let text = text(&message, dead_letter.as_ref());
        Self { message, now, dead_letter, text }
    }

    /// Its text in UTF-8. That of a dead letter is behind its header.
    ///
    /// # Errors
    /// It has another format, or bytes that are no text of its encoding.
    pub fn text(&self) -> Result<&[u8], &Trouble> {
        self.text.as_ref().map(|text| match text {
            Text::EndOfBody(begins) => &self.message.body[*begins..],
            Text::Converted(text) => text,
        })
    }

    /// Checks that its properties fit in the header of an answer.
    ///
    /// # Errors
    /// The header would have more than [`PROPERTIES_HEADER_BYTES_MAX`](crate::PROPERTIES_HEADER_BYTES_MAX) bytes.
    pub fn check_properties(&self) -> Result<(), Trouble> {
        let bytes = self.properties().map_or(0, |text| text.len());
        if bytes <= PROPERTIES_HEADER_BYTES_MAX { Ok(()) } else { Err(too_many_properties(bytes)) }
    }

    /// Its properties, but for those that have headers of their own, as a header has them.
    fn properties(&self) -> Option<String> {
        let has_header = [CORRELATION_TEXT, Property::ORIGIN_QUEUE];
        let properties = self.message.properties.iter();
        property::written(properties.filter(|property| !has_header.contains(&property.name())))
    }

    /// All bytes of its body.
    pub(crate) fn body(&self) -> &[u8] {
        &self.message.body
    }

    /// The text that the correlation id was made of, if it was kept.
    fn correlation_text(&self) -> Option<&str> {
        let mut properties = self.message.properties.iter();
        match properties.find(|property| property.name() == CORRELATION_TEXT)?.value() {
            PropertyValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The parts that stand in headers.
    pub(crate) fn describe(&self, version: Version, headers: &mut HeaderMap) {
        let descriptor = &self.message.descriptor;
        headers.insert(MESSAGE_ID, id::header(version, &descriptor.message_id.0));
        let correlation = match self.correlation_text() {
            Some(text) if version == Version::V3 => HeaderValue::from_bytes(text.as_bytes()).ok(),
            _ => None,
        };
        if correlation.is_some() || !descriptor.correlation_id.is_none() {
            let correlation =
                correlation.unwrap_or_else(|| id::header(version, &descriptor.correlation_id.0));
            headers.insert(CORRELATION_ID, correlation);
        }
        let expiry = match descriptor.remaining_ms(self.now) {
            None => HeaderValue::from_static("unlimited"),
            Some(milliseconds) => HeaderValue::from(milliseconds),
        };
        headers.insert(EXPIRY, expiry);
        let persistence = match descriptor.persistence {
            Persistence::Persistent => "persistent",
            Persistence::NonPersistent => "nonPersistent",
        };
        headers.insert(PERSISTENCE, HeaderValue::from_static(persistence));
        if let Some(ReplyTo { queue, manager }) = &descriptor.reply_to {
            let text = match manager {
                Some(manager) => format!("{}@{}", queue.as_str(), manager.as_str()),
                None => queue.as_str().to_owned(),
            };
            headers.extend(HeaderValue::from_str(&text).ok().map(|value| (REPLY_TO, value)));
        }
        let dead = self.dead_letter.as_ref();
        // The format of what the body of the answer is.
        let format = match dead {
            Some(dead) if self.text.is_ok() => Format(dead.format),
            _ => descriptor.format,
        };
        headers.extend(HeaderValue::from_str(&format.name()).ok().map(|value| (FORMAT, value)));
        if let Some(dead) = dead {
            headers.insert(REASON, HeaderValue::from(dead.reason));
        }
        let origin = dead.map(|dead| dead.queue.as_str()).or_else(|| self.message.origin_queue());
        headers.extend(origin.and_then(|name| HeaderValue::from_str(name).ok()).map(|value| (ORIGIN, value)));
        if descriptor.backout_count > 0 {
            headers.insert(BACKOUTS, HeaderValue::from(descriptor.backout_count));
        }
        if version == Version::V3 {
            headers.insert(PRIORITY, HeaderValue::from(u16::from(descriptor.priority.number())));
            let value = self.properties().and_then(|text| HeaderValue::from_bytes(text.as_bytes()).ok());
            headers.extend(value.map(|value| (PROPERTIES, value)));
        }
    }
}

fn text(message: &Message, dead_letter: Option<&DeadLetterHeader>) -> Result<Text, Trouble> {
    let Message { descriptor, body, .. } = message;
    let (format, ccsid, begins) = match dead_letter {
        None => (descriptor.format, descriptor.ccsid, 0),
        Some(header) => (Format(header.format), Ccsid(header.ccsid.cast_unsigned()), DeadLetterHeader::BYTES),
    };
    let body = &body[begins..];
    if format != Format::STRING {
        let format = format.name();
        let format = if format.is_empty() { "none" } else { &format };
        return Err(not_text(format!("The format of the message is {format}, not MQSTR.")));
    }
    if ccsid == Ccsid::UTF_8 {
        return match std::str::from_utf8(body) {
            Ok(_) => Ok(Text::EndOfBody(begins)),
            Err(_) => Err(not_text("The text of the message is not UTF-8.")),
        };
    }
    let encoding = u16::try_from(ccsid.0).ok().and_then(Encoding::by_ccsid);
    let encoding = encoding
        .ok_or_else(|| not_text(format!("The encoding of the text, CCSID {}, is not known.", ccsid.0)))?;
    let mut text = String::with_capacity(body.len());
    match encoding.decode(body, Unmappable::Error, &mut text) {
        Ok(_) => Ok(Text::Converted(text.into_bytes())),
        Err(_) => Err(not_text(format!("The text has a byte that CCSID {} does not have.", ccsid.0))),
    }
}

/// A message that is not text: it stays where it is.
fn not_text(explanation: impl Into<String>) -> Trouble {
    Trouble {
        action: "Get the message with 'Accept: application/octet-stream', or with another client of the queue manager.",
        ..Trouble::new(StatusCode::NOT_IMPLEMENTED, "MQWB0303E", "The message cannot be shown as text.")
            .because(explanation)
    }
}

/// A message whose properties do not fit in a header: it stays where it is.
fn too_many_properties(bytes: usize) -> Trouble {
    let told = format!("They take {bytes} bytes; a header has at most {PROPERTIES_HEADER_BYTES_MAX}.");
    Trouble {
        action: "Get the message in a batch, with version v1 or v2, which do not show properties, or with another client of the queue manager.",
        ..Trouble::new(
            StatusCode::NOT_IMPLEMENTED,
            "GTY0518E",
            "The properties of the message cannot be shown in a header.",
        )
        .because(told)
    }
}

/// The version of MQ that the interface reports. It fits the level of commands.
const VERSION: &str = "9.3.0.0";

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
            Self::Installation(name) => {
                let one = json!({ "name": name, "platform": "unix", "version": VERSION });
                of_json(StatusCode::OK, json!({ "installation": [one] }).to_string())
            }
            Self::Put(id) => {
                let mut answer = empty(StatusCode::CREATED);
                answer.headers.insert(CONTENT_TYPE, TEXT);
                answer.headers.insert(MESSAGE_ID, id::header(version, &id.0));
                answer
            }
            Self::PutBatch(ids) => of_json(StatusCode::CREATED, batch::put_written(version, &ids)),
            Self::Message(message, reservation) => got(version, *message, reservation, binary),
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
            Self::Channels => of_json(StatusCode::OK, json!({ "channel": [] }).to_string()),
            Self::Subscriptions(subscriptions, shown) => {
                of_json(StatusCode::OK, shown.written_subscriptions(&subscriptions))
            }
            Self::Created => empty(StatusCode::CREATED),
        }
    }
}

fn got(version: Version, delivered: Delivered, reservation: Option<MessageId>, binary: bool) -> Answer {
    let kind = match &delivered.text {
        Ok(_) => TEXT,
        Err(_) if binary => HeaderValue::from_static(BINARY),
        Err(trouble) => return trouble.clone().answer(),
    };
    if version == Version::V3
        && let Err(trouble) = delivered.check_properties()
    {
        return trouble.answer();
    }
    let mut headers = HeaderMap::with_capacity(12);
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CONTENT_LANGUAGE, LANGUAGE);
    delivered.describe(version, &mut headers);
    if let Some(reservation) = reservation {
        // An identifier of ours is the same in all versions.
        headers.insert(RESERVATION, id::header(Version::V1, &reservation.0));
    }
    let body = match delivered.text {
        Ok(Text::Converted(text)) => text.into(),
        Ok(Text::EndOfBody(begins)) => Bytes::from(delivered.message.body).slice(begins..),
        Err(_) => delivered.message.body.into(),
    };
    Answer { status: StatusCode::OK, headers, body }
}

fn list(version: Version, listed: &[Listed]) -> String {
    let one = |listed: &Listed| {
        json!({
            "correlationId": id::written(version, &listed.correlation.0),
            "format": listed.format.name(),
            "messageId": id::written(version, &listed.id.0),
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

/// The headers beside the cookie: nobody keeps the answer, and no page shows it.
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
