//! A web service: its operations, and how their messages become records and back.

use failure::Code;
use service::Payload;
use xml::{Cursor, Encoding, Open};

use crate::envelope::{Expected, Heard, described};
use crate::fault::FaultStyle;
use crate::mtom::Mtom;
use crate::side::{Given, Side};
use crate::trouble::Trouble;
use crate::version::{TAIL, Version, Versions};
use crate::wsdl::Wsdl;

/// A web service as it is loaded.
#[derive(Debug)]
pub struct WebService {
    /// The name.
    pub name: String,
    /// The path at which messages are taken.
    pub path: String,
    /// The versions that are taken.
    pub versions: Versions,
    /// Whose words faults have.
    pub faults: FaultStyle,
    /// Messages may present a user and a password (WS-Security).
    pub username_token: bool,
    /// A message of nobody that is known is refused, whatever HTTP lets in (`wsse_handler`).
    pub needs_caller: bool,
    /// Messages may be MIME packages, and so may answers.
    pub mtom: Option<Mtom>,
    /// Its operations. There is one at least.
    pub operations: Vec<Operation>,
    /// Its description.
    pub wsdl: Wsdl,
}

/// An operation.
#[derive(Debug)]
pub struct Operation {
    /// The name of the element in the body of a request.
    pub element: String,
    /// The namespace of that element.
    pub namespace: String,
    /// From the element to the payload of a request.
    pub request: Side,
    /// From the payload of an answer to its element; none for an operation that is not answered.
    pub response: Option<Side>,
    /// The elements of an answer whose values may be parts of a package: their local names.
    pub binary_elements: Vec<String>,
    /// What WS-Addressing calls the answer.
    pub response_action: String,
}

impl WebService {
    /// The operation of an element in a body, by its place.
    ///
    /// # Errors
    /// There is none.
    pub fn operation<'a>(&self, cursor: &Cursor<'a>, open: &Open<'a>) -> Result<usize, Trouble> {
        let is_meant = |operation: &Operation| {
            operation.element == open.name && cursor.is_in(open, &operation.namespace)
        };
        if let Some(found) = self.operations.iter().position(is_meant) {
            return Ok(found);
        }
        cursor.check_name(open)?;
        let named = |operation: &Operation| match &*operation.namespace {
            "" => format!("{} without a namespace", operation.element),
            namespace => format!("{} of the namespace {namespace}", operation.element),
        };
        let known: Vec<String> = self.operations.iter().map(named).collect();
        let message = format!("expected {}, found {}", known.join(" or "), described(cursor, open));
        Err(Trouble::new(Code::UnknownSoapOperation, message).at(cursor.position(open.at)))
    }

    /// What is asked of a message with this action in HTTP.
    #[must_use]
    pub fn expected<'e>(&self, action: &'e str) -> Expected<'e> {
        Expected { versions: self.versions, action, tokens: self.username_token }
    }
}

impl Operation {
    /// True if its requests have no answer.
    #[must_use]
    pub fn is_one_way(&self) -> bool {
        self.response.is_none()
    }

    /// Makes the payload of a request from the element that is open, and reads the message to its end.
    ///
    /// # Errors
    /// What is wrong with the rest of the message.
    pub fn payload<'a>(
        &self,
        cursor: &mut Cursor<'a>,
        (open, version): (&Open<'a>, Version),
        heard: &Heard,
    ) -> Result<Payload, Trouble> {
        if let Some(reply) = heard.reply.as_ref().filter(|_| !self.is_one_way()) {
            reply.check()?;
        }
        self.request.payload(cursor, open, version)
    }

    /// Writes the envelope of an answer.
    ///
    /// # Errors
    /// The payload does not have the layout of the service.
    pub fn answer(&self, version: Version, heard: &Heard, payload: &Payload) -> Result<Vec<u8>, Trouble> {
        let Some(side) = &self.response else { return Ok(Vec::new()) };
        let mut out = Vec::with_capacity(ANSWER_BYTES);
        match &heard.reply {
            None => out.extend_from_slice(version.head().as_bytes()),
            Some(reply) => {
                let (envelope, body) = version.parts();
                let mut head = envelope.to_owned();
                head.push_str("<SOAP-ENV:Header>");
                reply.write(&self.response_action, &mut head);
                head.push_str("</SOAP-ENV:Header>");
                head.push_str(body);
                out.extend_from_slice(head.as_bytes());
            }
        }
        side.write(Given::of(payload)?, &mut out)?;
        out.extend_from_slice(TAIL.as_bytes());
        Ok(out)
    }
}

/// Bytes of an answer for which there is room at first.
const ANSWER_BYTES: usize = 1_024;

/// A cursor at the start of a message's text.
///
/// # Errors
/// A character that XML does not allow.
pub fn cursor(text: &str, encoding: Encoding) -> Result<Cursor<'_>, Trouble> {
    Ok(Cursor::new(text, encoding)?)
}
