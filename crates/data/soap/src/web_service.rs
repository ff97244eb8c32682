//! A web service: its operations, and the conversion of their messages into records and back.

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

/// A loaded web service.
#[derive(Debug)]
pub struct WebService {
    /// The name.
    pub name: String,
    /// The path of its messages.
    pub path: String,
    /// The accepted versions.
    pub versions: Versions,
    /// The style of faults.
    pub faults: FaultStyle,
    /// True if messages may carry a user and a password (WS-Security).
    pub username_token: bool,
    /// True if a message without a known user is refused, even if HTTP lets it in (`wsse_handler`).
    pub needs_caller: bool,
    /// Set if messages and answers may be MIME packages.
    pub mtom: Option<Mtom>,
    /// Its operations. There is at least one.
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
    /// Turns the element of a request into its payload.
    pub request: Side,
    /// Turns the payload of an answer into its element; none for an operation without an answer.
    pub response: Option<Side>,
    /// The elements of an answer whose values may be parts of a package, by their local names.
    pub binary_elements: Vec<String>,
    /// The action of the answer in WS-Addressing.
    pub response_action: String,
}

impl WebService {
    /// The operation of an element in a body, by its index.
    ///
    /// # Errors
    /// The operation does not exist.
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

    /// The demands on a message with this action in HTTP.
    #[must_use]
    pub fn expected<'e>(&self, action: &'e str) -> Expected<'e> {
        Expected { versions: self.versions, action, tokens: self.username_token, is_answer: false }
    }
}

impl Operation {
    /// True if its requests have no answer.
    #[must_use]
    pub fn is_one_way(&self) -> bool {
        self.response.is_none()
    }

    /// Makes the payload of a request from the open element, and reads the message to its end.
    ///
    /// # Errors
    /// The fault in the rest of the message.
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
    /// The payload does not fit the layout of the service.
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

/// The initial capacity for an answer, in bytes.
const ANSWER_BYTES: usize = 1_024;

/// A cursor at the start of a message's text.
///
/// # Errors
/// The text has a character that XML does not allow.
pub fn cursor(text: &str, encoding: Encoding) -> Result<Cursor<'_>, Trouble> {
    Ok(Cursor::new(text, encoding)?)
}
