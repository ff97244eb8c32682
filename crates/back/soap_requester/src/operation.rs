//! One operation of a SOAP server as it runs: a record becomes a message over HTTP, and the answer becomes a record.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method, StatusCode};
use remote::{Answer, Outgoing, RecordsOverHttp};
use service::Error;
use soap::{ContentType, RemoteFault, RemoteOperation, Unanswered};
use xml::Encoding;

/// An operation of a SOAP server.
#[derive(Clone, Debug)]
pub struct SoapOperation {
    /// What its messages are.
    pub messages: RemoteOperation,
    /// The path below that of the connection; empty for none.
    pub path: String,
    /// The headers of each request.
    pub headers: HeaderMap,
    /// Whether a request may be sent twice.
    pub idempotent: bool,
    /// The record of an operation that is not answered.
    pub unanswered: Vec<u8>,
}

/// Why there is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRecord {
    /// The server answered with a fault.
    Fault(Box<RemoteFault>),
    /// The answer cannot be read: what is wrong with it.
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

    /// The record of an answer.
    ///
    /// # Errors
    /// The answer has a fault, or cannot be read.
    pub fn record(&self, answer: &Answer) -> Result<Vec<u8>, NoRecord> {
        let Some((text, encoding)) = self.message(answer)? else { return Ok(self.unanswered.clone()) };
        let record = self.record_of(&text, encoding).map_err(|why| with_status(why, answer))?;
        if answer.status.is_success() {
            return Ok(record);
        }
        Err(with_status(NoRecord::Failed("expected a fault, found an answer".to_owned()), answer))
    }

    /// The message of an answer as a text; none if the operation has no answer.
    ///
    /// # Errors
    /// The answer is no message.
    pub fn message<'a>(&self, answer: &'a Answer) -> Result<Option<(Cow<'a, str>, Encoding)>, NoRecord> {
        if self.messages.response.is_none() && answer.status.is_success() && !has_message(answer) {
            return Ok(None);
        }
        let charset = charset(answer).map_err(|why| with_status(NoRecord::Failed(why), answer))?;
        match soap::text(&answer.body, charset) {
            Ok(message) => Ok(Some(message)),
            Err(trouble) => Err(with_status(of_trouble(trouble), answer)),
        }
    }

    /// The record of a message.
    ///
    /// # Errors
    /// The message has a fault, or cannot be read.
    pub fn record_of(&self, text: &str, encoding: Encoding) -> Result<Vec<u8>, NoRecord> {
        match self.messages.record(text, encoding) {
            Ok(_) if self.messages.response.is_none() => Ok(self.unanswered.clone()),
            Ok(record) => Ok(record),
            Err(Unanswered::Fault(fault)) => Err(NoRecord::Fault(fault)),
            Err(Unanswered::Trouble(trouble)) => Err(of_trouble(*trouble)),
        }
    }
}

fn of_trouble(trouble: soap::Trouble) -> NoRecord {
    let code = trouble.failure.code;
    NoRecord::Failed(trouble.failure.details.unwrap_or_else(|| code.text().to_owned()))
}

fn with_status(why: NoRecord, answer: &Answer) -> NoRecord {
    match why {
        NoRecord::Failed(why) => {
            NoRecord::Failed(format!("the answer with status {}: {why}", answer.status.as_u16()))
        }
        fault @ NoRecord::Fault(_) => fault,
    }
}

/// True if an answer has a message, where none is needed.
fn has_message(answer: &Answer) -> bool {
    answer.status != StatusCode::ACCEPTED && !answer.body.is_empty()
}

/// The charset that the content type of a message names.
fn charset(answer: &Answer) -> Result<Option<&str>, String> {
    let Some(written) = answer.headers.get(CONTENT_TYPE) else {
        return Err("expected a SOAP message, found no content type".to_owned());
    };
    match written.to_str().ok().and_then(ContentType::parse) {
        Some(content_type) => Ok(content_type.charset),
        None => Err(format!(
            "expected a SOAP message, text/xml or application/soap+xml, found the content type '{}'",
            written.as_bytes().escape_ascii()
        )),
    }
}

impl RecordsOverHttp for SoapOperation {
    fn outgoing(&self, record: &[u8]) -> Result<Outgoing, Error> {
        match self.messages.envelope(record) {
            Ok(envelope) => Ok(self.request(envelope)),
            Err(error) => Err(Error::failed(format!("the request's record: {error}"))),
        }
    }

    fn incoming(&self, answer: &Answer) -> Result<Vec<u8>, Error> {
        self.record(answer).map_err(|why| match why {
            NoRecord::Fault(_) => Error::faulted(why.to_string()),
            NoRecord::Failed(message) => Error::failed(message),
        })
    }

    fn kind(&self) -> &'static str {
        "soap"
    }
}
