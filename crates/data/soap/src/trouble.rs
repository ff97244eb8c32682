//! Why a message is not taken, or has no answer: what the fault says of it.

use channel::Side;
use failure::{Code, Failure};
use record::ErrorKind;

use crate::version::Version;

/// The codes of faults. They have the names of SOAP 1.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultCode {
    /// The envelope is of a version that is not taken.
    VersionMismatch,
    /// A header block must be understood, and is not.
    MustUnderstand,
    /// The body is encoded in a way that is not known; SOAP 1.1 says Client.
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

    /// The code that goes with a failure: who is to blame.
    #[must_use]
    pub fn of(code: Code) -> Self {
        match code {
            Code::SoapVersion => FaultCode::VersionMismatch,
            Code::NotUnderstood => FaultCode::MustUnderstand,
            Code::EncodingStyle => FaultCode::DataEncodingUnknown,
            // Nothing is wrong with the message, and it may be sent again.
            Code::Stopped => FaultCode::Receiver,
            other if other.status().is_client_error() => FaultCode::Sender,
            _ => FaultCode::Receiver,
        }
    }
}

/// The faults of WS-Addressing 1.0 (SOAP binding, section 6.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressingFault {
    /// A header block is not there that must be.
    HeaderRequired,
    /// A header block stands twice.
    InvalidCardinality,
    /// An address is missing in an endpoint reference.
    MissingAddress,
    /// The action is not that of the header `SOAPAction`.
    ActionMismatch,
    /// Replies go back on the connection, or nowhere.
    OnlyAnonymous,
}

impl AddressingFault {
    /// The subcodes of SOAP 1.2, the outer one first; SOAP 1.1 has the outer one as its code.
    pub(crate) fn subcodes(self) -> (&'static str, Option<&'static str>) {
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

/// The name of an element, with its namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The namespace; empty for none.
    pub namespace: String,
    /// The name without a prefix.
    pub local: String,
}

/// Where in a message something is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The field, as a path of elements; empty for the whole.
    pub field: String,
    /// Line and column, from 1; none for an answer.
    pub position: Option<(usize, usize)>,
    /// CICS's word for the error of a conversion, of messages DFHPI1008 and DFHPI1009.
    pub condition: Option<&'static str>,
}

/// What went wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Its code, its words, and what only the log is told.
    pub failure: Failure,
    /// Who is to blame.
    pub fault: FaultCode,
    /// Where it is.
    pub place: Box<Place>,
    /// It is a fault of WS-Addressing.
    pub addressing: Option<AddressingFault>,
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

    /// What a caller gets for a body that could not become a record.
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

    /// What a caller gets for a record that could not become a body.
    #[must_use]
    pub fn of_response(error: &record::Error) -> Self {
        let condition = Some(match error.kind {
            ErrorKind::RecordLength => "INVALID_FIELD_SIZE",
            _ if error.message.contains("packed") => "INVALID_PACKED_DEC",
            _ => "INVALID_CHARACTER",
        });
        let place = Box::new(Place { field: error.path.clone(), position: None, condition });
        Self { place, ..Failure::from_response(error).into() }
    }

    /// What a caller gets for a body that could not become a channel.
    #[must_use]
    pub fn of_request_channel(error: &channel::Error) -> Self {
        let mut failure = Failure::from_channel(error, Side::Request);
        if failure.code == Code::BadJson {
            failure.code = Code::BadEnvelope;
        }
        use channel::ErrorKind as Kind;
        let condition = match error.kind {
            Kind::OutOfRange | Kind::Length | Kind::RowCount => Some("OUTPUT_OVERFLOW"),
            Kind::WrongType if error.message.contains("base64") => Some("INVALID_BASE64"),
            Kind::WrongType | Kind::Unmappable => Some("INVALID_CHARACTER"),
            _ => None,
        };
        let place = Place { field: error.path.clone(), position: error.position, condition };
        Self { place: Box::new(place), ..failure.into() }
    }

    /// What a caller gets for a channel that could not become a body.
    #[must_use]
    pub fn of_response_channel(error: &channel::Error) -> Self {
        let condition = match error.kind {
            channel::ErrorKind::MissingContainer => "CONTAINER_NOT_FOUND",
            channel::ErrorKind::ShortContainer => "INVALID_FIELD_SIZE",
            _ if error.message.contains("packed") => "INVALID_PACKED_DEC",
            _ => "INVALID_CHARACTER",
        };
        let place = Place { field: error.path.clone(), position: None, condition: Some(condition) };
        Self { place: Box::new(place), ..Failure::from_channel(error, Side::Response).into() }
    }

    /// The payload is not of the kind that the service has.
    pub(crate) fn unexpected(expected: &str, found: &str) -> Self {
        let log = Some(format!("{expected} was expected, not {found}"));
        Failure { log, ..Failure::new(Code::BadRecord) }.into()
    }

    /// True if a value of the message, or of the program's record, could not be converted.
    pub(crate) fn is_conversion(&self) -> bool {
        self.place.condition.is_some()
    }

    /// The HTTP status of the fault in a version: what HTTP itself refuses keeps its status.
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

/// CICS's word for what is wrong with a value; none if it is not the value.
fn condition(error: &record::Error) -> Option<&'static str> {
    match error.kind {
        ErrorKind::OutOfRange if error.message.contains("expected an integer") => Some("NO_FRACTION_DIGITS"),
        ErrorKind::OutOfRange if error.message.contains("decimal places") => Some("FRACTION_TOO_LONG"),
        ErrorKind::OutOfRange if error.message.ends_with("less than the least allowed, 0") => {
            Some("NEGATIVE_UNSIGNED")
        }
        ErrorKind::OutOfRange | ErrorKind::TooLong | ErrorKind::RowCount => Some("OUTPUT_OVERFLOW"),
        ErrorKind::WrongType if error.message.contains("base64") => Some("INVALID_BASE64"),
        ErrorKind::WrongType | ErrorKind::Unmappable => Some("INVALID_CHARACTER"),
        _ => None,
    }
}
