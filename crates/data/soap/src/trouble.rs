//! Why a message is refused or has no answer, and the contents of its fault.

use channel::Side;
use failure::{Code, Failure};
use record::{Cause, ErrorKind};

use crate::version::Version;
use crate::{addressing, token};

/// The codes of faults, with the names of SOAP 1.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultCode {
    /// The version of the envelope is not accepted.
    VersionMismatch,
    /// A header block must be understood, but is not.
    MustUnderstand,
    /// The encoding of the body is not known. SOAP 1.1 says Client.
    DataEncodingUnknown,
    /// The message is wrong: Client in SOAP 1.1.
    Sender,
    /// The message may be right: Server in SOAP 1.1.
    Receiver,
}

impl FaultCode {
    /// The local name of the code in a version.
    #[must_use]
    pub fn word(self, version: Version) -> &'static str {
        match (self, version) {
            (FaultCode::VersionMismatch, _) => "VersionMismatch",
            (FaultCode::MustUnderstand, _) => "MustUnderstand",
            (FaultCode::DataEncodingUnknown, Version::Soap12) => "DataEncodingUnknown",
            (FaultCode::DataEncodingUnknown | FaultCode::Sender, Version::Soap11) => "Client",
            (FaultCode::Sender, Version::Soap12) => "Sender",
            (FaultCode::Receiver, Version::Soap11) => "Server",
            (FaultCode::Receiver, Version::Soap12) => "Receiver",
        }
    }

    /// The code for a failure. It says who is to blame.
    #[must_use]
    pub fn of(code: Code) -> Self {
        match code {
            Code::SoapVersion => FaultCode::VersionMismatch,
            Code::NotUnderstood => FaultCode::MustUnderstand,
            Code::EncodingStyle => FaultCode::DataEncodingUnknown,
            // The message is right, and the client may send it again.
            Code::Stopped => FaultCode::Receiver,
            other if other.status().is_client_error() => FaultCode::Sender,
            _ => FaultCode::Receiver,
        }
    }
}

/// The faults of WS-Addressing 1.0 (SOAP binding, section 6.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressingFault {
    /// A required header block is missing.
    HeaderRequired,
    /// A header block occurs twice.
    InvalidCardinality,
    /// An address is missing in an endpoint reference.
    MissingAddress,
    /// The action differs from that of the header `SOAPAction`.
    ActionMismatch,
    /// Replies may only go back on the connection, or nowhere.
    OnlyAnonymous,
}

impl AddressingFault {
    /// The subcodes of SOAP 1.2, the outer one first. In SOAP 1.1 the outer one is the code.
    fn subcodes(self) -> (&'static str, Option<&'static str>) {
        const INVALID: &str = "InvalidAddressingHeader";
        match self {
            AddressingFault::HeaderRequired => ("MessageAddressingHeaderRequired", None),
            AddressingFault::InvalidCardinality => (INVALID, Some("InvalidCardinality")),
            AddressingFault::MissingAddress => (INVALID, Some("MissingAddressInEPR")),
            AddressingFault::ActionMismatch => (INVALID, Some("ActionMismatch")),
            AddressingFault::OnlyAnonymous => (INVALID, Some("OnlyAnonymousAddressSupported")),
        }
    }
}

/// The faults of WS-Security 1.1 about tokens (section 12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFault {
    /// There is more than one token.
    InvalidSecurity,
    /// The token is not as it must be.
    InvalidSecurityToken,
    /// The kind of token is not supported.
    UnsupportedSecurityToken,
    /// The token names no caller who is accepted.
    FailedAuthentication,
}

impl TokenFault {
    /// Its local name, in the namespace of `wsse:Security`.
    fn name(self) -> &'static str {
        match self {
            TokenFault::InvalidSecurity => "InvalidSecurity",
            TokenFault::InvalidSecurityToken => "InvalidSecurityToken",
            TokenFault::UnsupportedSecurityToken => "UnsupportedSecurityToken",
            TokenFault::FailedAuthentication => "FailedAuthentication",
        }
    }
}

/// The codes of a fault that another specification adds to those of SOAP.
pub(crate) struct Subcodes {
    /// The usual prefix of their namespace.
    pub(crate) prefix: &'static str,
    /// Their namespace.
    pub(crate) namespace: &'static str,
    /// The code in SOAP 1.1, and the subcode in SOAP 1.2.
    pub(crate) outer: &'static str,
    /// The subcode of the subcode.
    pub(crate) inner: Option<&'static str>,
}

/// The name of an element, with its namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The namespace; empty for none.
    pub namespace: String,
    /// The name without a prefix.
    pub local: String,
}

/// The place of a fault in a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The field, as a path of elements; empty for the whole message.
    pub field: String,
    /// Line and column, from 1; none for an answer.
    pub position: Option<(usize, usize)>,
    /// CICS's word for a conversion error, as in messages DFHPI1008 and DFHPI1009.
    pub condition: Option<&'static str>,
}

/// A fault of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Its code, its words, and the text for the log.
    pub failure: Failure,
    /// Who is to blame.
    pub fault: FaultCode,
    /// Its place.
    pub place: Box<Place>,
    /// Set if it is a fault of WS-Addressing.
    pub addressing: Option<AddressingFault>,
    /// Set if it is the fault of a token of WS-Security.
    pub token: Option<TokenFault>,
    /// The header blocks that are not understood.
    pub not_understood: Vec<Name>,
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self {
            fault: FaultCode::of(failure.code),
            failure,
            place: Box::default(),
            addressing: None,
            token: None,
            not_understood: Vec::new(),
        }
    }
}

impl From<xml::Error> for Trouble {
    fn from(error: xml::Error) -> Self {
        let code = if error.kind == xml::ErrorKind::TooDeep { Code::TooDeep } else { Code::BadEnvelope };
        let place = Box::new(Place { position: error.position, ..Place::default() });
        Self { place, ..Failure::with_details(code, error.to_string()).into() }
    }
}

impl Trouble {
    pub(crate) fn new(code: Code, details: impl Into<String>) -> Self {
        Failure::with_details(code, details).into()
    }

    pub(crate) fn at(mut self, position: (usize, usize)) -> Self {
        let (line, column) = position;
        self.place.position = Some(position);
        if let Some(details) = &mut self.failure.details {
            details.push_str(&format!(" (line {line}, column {column})"));
        }
        self
    }

    /// The trouble of a body that could not become a record.
    #[must_use]
    pub fn of_request(error: &record::Error) -> Self {
        let mut failure = Failure::from_request(error);
        if failure.code == Code::BadJson {
            failure.code = Code::BadEnvelope;
        }
        let place = Box::new(Place {
            field: error.path.clone(),
            position: error.position,
            condition: condition(error).filter(|_| failure.code != Code::BadEnvelope),
        });
        Self { place, ..failure.into() }
    }

    /// The trouble of a record that could not become a body.
    #[must_use]
    pub fn of_response(error: &record::Error) -> Self {
        let condition = Some(match error.kind {
            ErrorKind::RecordLength => "INVALID_FIELD_SIZE",
            _ => error.cause.and_then(word_of).unwrap_or("INVALID_CHARACTER"),
        });
        let place = Box::new(Place { field: error.path.clone(), position: None, condition });
        Self { place, ..Failure::from_response(error).into() }
    }

    /// The trouble of a body that could not become a channel.
    #[must_use]
    pub fn of_request_channel(error: &channel::Error) -> Self {
        let mut failure = Failure::from_channel(error, Side::Request);
        if failure.code == Code::BadJson {
            failure.code = Code::BadEnvelope;
        }
        use channel::ErrorKind as Kind;
        let condition = error.cause.and_then(word_of).or(match error.kind {
            Kind::OutOfRange | Kind::Length | Kind::RowCount => Some("OUTPUT_OVERFLOW"),
            Kind::WrongType | Kind::Unmappable => Some("INVALID_CHARACTER"),
            _ => None,
        });
        let place = Place { field: error.path.clone(), position: error.position, condition };
        Self { place: Box::new(place), ..failure.into() }
    }

    /// The trouble of a channel that could not become a body.
    #[must_use]
    pub fn of_response_channel(error: &channel::Error) -> Self {
        let condition = match error.kind {
            channel::ErrorKind::MissingContainer => "CONTAINER_NOT_FOUND",
            channel::ErrorKind::ShortContainer => "INVALID_FIELD_SIZE",
            _ => error.cause.and_then(word_of).unwrap_or("INVALID_CHARACTER"),
        };
        let place = Place { field: error.path.clone(), position: None, condition: Some(condition) };
        Self { place: Box::new(place), ..Failure::from_channel(error, Side::Response).into() }
    }

    /// The payload is not of the kind of the service.
    pub(crate) fn unexpected(expected: &str, found: &str) -> Self {
        let log = Some(format!("{expected} was expected, not {found}"));
        Failure { log, ..Failure::new(Code::BadRecord) }.into()
    }

    /// The codes that WS-Addressing or WS-Security has for it.
    pub(crate) fn subcodes(&self) -> Option<Subcodes> {
        if let Some((outer, inner)) = self.addressing.map(AddressingFault::subcodes) {
            return Some(Subcodes { prefix: "wsa", namespace: addressing::NAMESPACE, outer, inner });
        }
        let outer = self.token?.name();
        Some(Subcodes { prefix: "wsse", namespace: token::NAMESPACE, outer, inner: None })
    }

    /// True if a value of the message, or of the program's record, could not be converted.
    pub(crate) fn is_conversion(&self) -> bool {
        self.place.condition.is_some()
    }

    /// The HTTP status of the fault in a version. If HTTP itself refuses a request, its status
    /// stays.
    #[must_use]
    pub fn status(&self, version: Version) -> u16 {
        let own = self.failure.code.status().as_u16();
        match (self.fault, version) {
            _ if (401..500).contains(&own) || own == 501 => own,
            (FaultCode::Sender, Version::Soap12) => 400,
            _ => 500,
        }
    }
}

/// CICS's word for a faulty value; none if the value is not the fault.
fn condition(error: &record::Error) -> Option<&'static str> {
    error.cause.and_then(word_of).or(match error.kind {
        ErrorKind::OutOfRange | ErrorKind::TooLong | ErrorKind::RowCount => Some("OUTPUT_OVERFLOW"),
        ErrorKind::WrongType | ErrorKind::Unmappable => Some("INVALID_CHARACTER"),
        _ => None,
    })
}

/// CICS's word for the cause of a fault.
fn word_of(cause: Cause) -> Option<&'static str> {
    match cause {
        Cause::NotInteger => Some("NO_FRACTION_DIGITS"),
        Cause::DecimalPlaces => Some("FRACTION_TOO_LONG"),
        Cause::Negative => Some("NEGATIVE_UNSIGNED"),
        Cause::NotBase64 => Some("INVALID_BASE64"),
        Cause::OddHexDigits => Some("ODD_HEX_DIGITS"),
        Cause::NotPacked => Some("INVALID_PACKED_DEC"),
        _ => None,
    }
}
