//! The containers of a pipeline: their names, texts in them, and the content of DFHERROR.

use codepage::{Encoding, Unmappable};
use service::{Channel, Container, Content};

use crate::Role;

/// The request. While it has bytes, the next program gets it.
pub const REQUEST: &str = "DFHREQUEST";
/// The response. Once a program has put bytes there, the message turns around.
pub const RESPONSE: &str = "DFHRESPONSE";
/// The function: the reason why the program is called.
pub const FUNCTION: &str = "DFHFUNCTION";
/// The error.
pub const ERROR: &str = "DFHERROR";
/// A requester that puts it expects no response.
pub const NO_RESPONSE: &str = "DFHNORESPONSE";
/// The header block of a header program.
pub const HEADER: &str = "DFHHEADER";
/// The declarations of prefixes that are in scope in the body.
pub const NAMESPACES: &str = "DFHWS-XMLNS";
/// The whole body, with its element `Body`.
pub const BODY: &str = "DFHWS-BODY";
/// The program that is the target of a request.
pub const APPLICATION: &str = "DFHWS-APPHANDLER";
/// The version of SOAP, a fullword: 1, 2, or 10 for a message that is not SOAP.
pub const SOAP_LEVEL: &str = "DFHWS-SOAPLEVEL";
/// The operation.
pub const OPERATION: &str = "DFHWS-OPERATION";
/// The transaction of the target.
pub const TRANSACTION: &str = "DFHWS-TRANID";
/// The user of the target.
pub const USER: &str = "DFHWS-USERID";
/// Where a request goes, or has come to.
pub const URI: &str = "DFHWS-URI";
/// The content of `handler_parameter_list`.
pub const HANDLER_PARAMETERS: &str = "DFH-HANDLERPLIST";
/// The content of `service_parameter_list`.
pub const SERVICE_PARAMETERS: &str = "DFH-SERVICEPLIST";
/// Header blocks that a program wants in the response.
pub const EXIT_HEADER: &str = "DFH-EXIT-HEADER1";

/// UTF-8: the code page of all texts that a pipeline puts.
pub const UTF_8: u16 = 1208;

/// The content of a container, as a pipeline sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contained<'c> {
    /// The container is not there.
    Absent,
    /// It has no bytes.
    Empty,
    /// It has these bytes in this code page. A BIT container has no code page.
    Bytes(&'c [u8], Option<u16>),
}

impl<'c> Contained<'c> {
    /// The content of the container of this name.
    #[must_use]
    pub fn of(channel: &'c Channel, name: &str) -> Self {
        match channel.get(name).map(|container| &container.content) {
            None => Contained::Absent,
            Some(content) if content.bytes().is_empty() => Contained::Empty,
            Some(Content::Bit(bytes)) => Contained::Bytes(bytes, None),
            Some(Content::Char { bytes, ccsid }) => Contained::Bytes(bytes, Some(*ccsid)),
        }
    }

    /// Its text. A BIT container is read in `local`, the code page of the programs; an absent one is empty.
    ///
    /// # Errors
    /// The bytes are not text of that code page.
    pub fn text(self, local: u16) -> Result<String, BadText> {
        let Contained::Bytes(bytes, ccsid) = self else { return Ok(String::new()) };
        let ccsid = ccsid.unwrap_or(local);
        if ccsid == UTF_8 {
            return std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| BadText { ccsid });
        }
        let encoding = Encoding::by_ccsid(ccsid).ok_or(BadText { ccsid })?;
        let mut text = String::new();
        encoding.decode(bytes, Unmappable::Error, &mut text).map_err(|_| BadText { ccsid })?;
        Ok(text)
    }
}

/// Bytes that are not text of their code page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadText {
    /// The code page.
    pub ccsid: u16,
}

/// A container of text in UTF-8.
#[must_use]
pub fn text(name: &str, text: impl Into<String>) -> Container {
    let content = Content::Char { bytes: text.into().into_bytes(), ccsid: UTF_8 };
    Container { name: name.to_owned(), content }
}

/// An error in a program of the pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerError {
    /// What.
    pub kind: HandlerErrorKind,
    /// The program.
    pub program: String,
    /// A text for operators.
    pub message: String,
}

/// The kinds of trouble with a program (CICS TS, container DFHERROR).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandlerErrorKind {
    /// It ended with this abend code.
    Abended(String),
    /// It left a container empty that must have bytes.
    Empty(&'static str),
    /// It deleted a container that must be there.
    Missing(&'static str),
    /// It left bytes in two containers. Only one of the two may have bytes.
    Both(&'static str, &'static str),
    /// It cannot be called at all.
    NotCalled,
    /// The server of a requester cannot be reached.
    NotReached,
    /// It left bytes in a container that are not text.
    NotText(&'static str),
}

/// How long DFHERROR is.
pub const ERROR_BYTES: usize = 48;

impl HandlerErrorKind {
    /// The number of the kind in DFHERROR. A container without text counts as one without content.
    #[must_use]
    pub fn number(&self) -> u8 {
        match self {
            HandlerErrorKind::Abended(_) => 1,
            HandlerErrorKind::Empty(_) | HandlerErrorKind::NotText(_) => 2,
            HandlerErrorKind::Missing(_) => 3,
            HandlerErrorKind::Both(..) => 4,
            HandlerErrorKind::NotCalled => 5,
            HandlerErrorKind::NotReached => 6,
        }
    }
}

impl HandlerError {
    /// The content of DFHERROR: versions and kind as numbers of one byte, the mode `P` or `R`, the abend code, two names of
    /// containers, and the program as the node. Texts are in the code page of the programs.
    #[must_use]
    pub fn encode(&self, role: Role, local: u16) -> Container {
        let encoding = Encoding::by_ccsid(local);
        let mut bytes = vec![1, 1, self.kind.number()];
        let mut put = |text: &str, length: usize| {
            let text: String = text.chars().chain(std::iter::repeat(' ')).take(length).collect();
            let mut own = Vec::with_capacity(length);
            match encoding.as_ref().map(|page| page.encode(&text, Unmappable::Substitute, &mut own)) {
                Some(Ok(_)) => {}
                _ => own = text.into_bytes(),
            }
            own.resize(length, b' ');
            bytes.extend(own);
        };
        let (code, first, second) = match &self.kind {
            HandlerErrorKind::Abended(code) => (code.as_str(), "", ""),
            HandlerErrorKind::Empty(name)
            | HandlerErrorKind::Missing(name)
            | HandlerErrorKind::NotText(name) => ("", *name, ""),
            HandlerErrorKind::Both(first, second) => ("", *first, *second),
            HandlerErrorKind::NotCalled | HandlerErrorKind::NotReached => ("", "", ""),
        };
        put(if role == Role::Requester { "R" } else { "P" }, 1);
        for (text, length) in [(code, 4), (first, 16), (second, 16), (self.program.as_str(), 8)] {
            put(text, length);
        }
        Container { name: ERROR.to_owned(), content: Content::Bit(bytes) }
    }
}
