//! One operation of a SOAP server as it runs: a record becomes a message over HTTP, and the answer becomes a record.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method, StatusCode};
use remote::{Answer, Outgoing, PayloadsOverHttp, header_value};
use service::{Error, Payload};
use soap::{ContentType, Given as Sent, Package, RemoteFault, RemoteOperation, Side, Unanswered, Version};
use xml::Encoding;

use crate::config::SOAP_ACTION;
use crate::jms::JmsUri;
use crate::transport::Pattern;

/// An operation of a SOAP server.
#[derive(Clone, Debug)]
pub struct SoapOperation {
    /// Its messages.
    pub messages: RemoteOperation,
    /// The path below that of the connection; empty for none.
    pub path: String,
    /// The headers of each request.
    pub headers: HeaderMap,
    /// The elements of a request whose values may be parts of a package: their local names.
    pub binary_elements: Vec<String>,
    /// Whether a request may be sent twice.
    pub idempotent: bool,
    /// The payload of an operation that is not answered.
    pub unanswered: Payload,
}

/// Why there is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRecord {
    /// The server answered with a fault.
    Fault(Box<RemoteFault>),
    /// The answer cannot be read: the reason.
    Failed(String),
}

impl fmt::Display for NoRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoRecord::Fault(fault) => write!(f, "the server answered with the fault {fault}"),
            NoRecord::Failed(message) => f.write_str(message),
        }
    }
}

impl SoapOperation {
    /// True if its payloads are channels, not records.
    #[must_use]
    pub fn takes_channels(&self) -> bool {
        matches!(self.messages.request, Side::Channel(_))
    }

    /// Whether its messages are answered.
    #[must_use]
    pub fn pattern(&self) -> Pattern {
        match self.messages.response {
            Some(_) => Pattern::RequestResponse,
            None => Pattern::OneWay,
        }
    }

    /// Says whether its messages can go to a queue.
    ///
    /// # Errors
    /// There is no queue for the answer.
    pub fn goes_by(&self, uri: &JmsUri) -> Result<(), String> {
        match (self.pattern(), &uri.reply_destination) {
            (Pattern::RequestResponse, None) => {
                let message = "an operation that is not one_way needs replyDestination in the uri";
                Err(message.to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The request that has this envelope.
    #[must_use]
    pub fn request(&self, envelope: impl Into<Bytes>) -> Outgoing {
        Outgoing {
            method: Method::POST,
            target: self.path.clone(),
            headers: self.headers.clone(),
            body: envelope.into(),
            idempotent: self.idempotent,
        }
    }

    /// The same with this action, empty for none. None if the action cannot stand in a header.
    #[must_use]
    pub fn request_for(&self, envelope: impl Into<Bytes>, action: &str) -> Option<Outgoing> {
        let mut outgoing = self.request(envelope);
        if action == self.messages.action {
            return Some(outgoing);
        }
        let quoted = header_value(&format!("\"{action}\"")).ok();
        let quoted = quoted.filter(|_| !action.contains(['"', '\\']))?;
        match self.messages.version {
            Version::Soap11 => outgoing.headers.insert(SOAP_ACTION, quoted),
            Version::Soap12 => {
                let content_type = header_value(&self.messages.content_type_for(action)).ok()?;
                outgoing.headers.insert(CONTENT_TYPE, content_type)
            }
        };
        Some(outgoing)
    }

    /// The payload of an answer.
    ///
    /// # Errors
    /// The answer has a fault, or cannot be read.
    pub fn payload(&self, answer: &Answer) -> Result<Payload, NoRecord> {
        let Some((text, encoding)) = self.message(answer)? else { return Ok(self.unanswered.clone()) };
        let payload = self.payload_of(&text, encoding).map_err(|why| with_status(why, answer))?;
        if answer.status.is_success() {
            return Ok(payload);
        }
        Err(with_status(NoRecord::Failed("expected a fault, found an answer".to_owned()), answer))
    }

    /// The message of an answer as a text; none if the operation has no answer.
    ///
    /// # Errors
    /// The answer is not a message.
    pub fn message<'a>(&self, answer: &'a Answer) -> Result<Option<(Cow<'a, str>, Encoding)>, NoRecord> {
        if self.messages.response.is_none() && answer.status.is_success() && !has_message(answer) {
            return Ok(None);
        }
        let came = came(answer).map_err(|why| with_status(NoRecord::Failed(why), answer))?;
        let text = match came {
            Came::Message(charset) => soap::text(&answer.body, charset),
            Came::Package(package) => package.message(&answer.body),
        };
        match text {
            Ok(message) => Ok(Some(message)),
            Err(trouble) => Err(with_status(of_trouble(trouble), answer)),
        }
    }

    /// The payload of a message.
    ///
    /// # Errors
    /// The message has a fault, or cannot be read.
    pub fn payload_of(&self, text: &str, encoding: Encoding) -> Result<Payload, NoRecord> {
        match self.messages.payload(text, encoding) {
            Ok(_) if self.messages.response.is_none() => Ok(self.unanswered.clone()),
            Ok(payload) => Ok(payload),
            Err(Unanswered::Fault(fault)) => Err(NoRecord::Fault(fault)),
            Err(Unanswered::Trouble(trouble)) => Err(of_trouble(*trouble)),
        }
    }
}

fn of_trouble(trouble: soap::Trouble) -> NoRecord {
    NoRecord::Failed(words(trouble))
}

/// The words of a trouble.
pub(crate) fn words(trouble: soap::Trouble) -> String {
    let failure = trouble.failure;
    failure.details.or(failure.log).unwrap_or_else(|| failure.code.text().to_owned())
}

fn with_status(why: NoRecord, answer: &Answer) -> NoRecord {
    match why {
        NoRecord::Failed(why) => {
            NoRecord::Failed(format!("the answer with status {}: {why}", answer.status.as_u16()))
        }
        fault @ NoRecord::Fault(_) => fault,
    }
}

/// True if an answer has a message, where none is needed. With status 202, only a fault counts.
fn has_message(answer: &Answer) -> bool {
    match answer.status {
        _ if answer.body.is_empty() => false,
        StatusCode::ACCEPTED => match came(answer) {
            Ok(Came::Message(charset)) => {
                soap::text(&answer.body, charset).is_ok_and(|(text, _)| soap::is_fault(&text))
            }
            _ => false,
        },
        _ => true,
    }
}

/// How an answer has come.
enum Came<'a> {
    /// As a message, of the charset that its content type names.
    Message(Option<&'a str>),
    /// As a MIME package.
    Package(Package<'a>),
}

fn came(answer: &Answer) -> Result<Came<'_>, String> {
    let Some(written) = answer.headers.get(CONTENT_TYPE) else {
        return Err("expected a SOAP message, found no content type".to_owned());
    };
    let text = written.to_str().ok();
    if let Some(content_type) = text.and_then(ContentType::parse) {
        return Ok(Came::Message(content_type.charset));
    }
    text.and_then(Package::parse).map(Came::Package).ok_or_else(|| {
        let found = written.as_bytes().escape_ascii();
        format!("expected a SOAP message, text/xml or application/soap+xml, found the content type '{found}'")
    })
}

impl PayloadsOverHttp for SoapOperation {
    fn outgoing(&self, payload: &Payload) -> Result<Outgoing, Error> {
        match Sent::of(payload).and_then(|sent| self.messages.envelope(sent)) {
            Ok(envelope) => Ok(self.request(envelope)),
            Err(trouble) => Err(Error::failed(format!("the request's record: {}", words(trouble)))),
        }
    }

    fn incoming(&self, answer: &Answer) -> Result<Payload, Error> {
        match self.payload(answer) {
            Ok(payload) => Ok(payload),
            Err(why @ NoRecord::Fault(_)) => Err(Error::faulted(why.to_string())),
            Err(NoRecord::Failed(message)) => Err(Error::failed(message)),
        }
    }

    fn kind(&self) -> &'static str {
        "soap"
    }
}
