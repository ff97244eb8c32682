//! What goes wrong with a request: its code, its status, its text, and the one JSON form.
//!
//! Every front gives callers these codes. docs/reference/errors.md says what each of them means for a caller. It is
//! made from the table here.

use std::fmt;

use http::StatusCode;
use record::write_string;

/// The content type of every body.
pub const JSON: &str = "application/json";

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $status:ident, $text:literal;)*) => {
        /// A stable code: what a consumer's program may depend on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// All codes, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The code as it stands in front of a message.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code,)* }
            }

            /// The HTTP status of the code.
            #[must_use]
            pub fn status(self) -> StatusCode {
                match self { $(Code::$name => StatusCode::$status,)* }
            }

            /// True if nothing was done and a later try may succeed. The answer says when (Retry-After).
            #[must_use]
            pub fn may_retry_later(self) -> bool {
                use Code::{GroupFull, GroupStopped, GroupTooMany, GroupUnwell, ProviderRefused};
                matches!(self, ProviderRefused | GroupStopped | GroupFull | GroupTooMany | GroupUnwell)
            }

            /// True if the request is at fault, and not the gateway or a service. Some of these are 500 in
            /// SOAP.
            #[must_use]
            pub fn is_of_caller(self) -> bool {
                let of_soap = matches!(self, Code::SoapVersion | Code::NotUnderstood | Code::EncodingStyle);
                of_soap || self.status().is_client_error()
            }

            /// The text for callers.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// No operation or document has this path.
    UnknownPath = "GTY0404W", NOT_FOUND, "No API has this path.";
    /// The API, or the service that it calls, is stopped (z/OS Connect's code and status).
    Stopped = "BAQR0431W", NOT_FOUND, "The API or its service is stopped.";
    /// The path exists, the method does not.
    WrongMethod = "GTY0405W", METHOD_NOT_ALLOWED, "This path does not offer the method.";
    /// The request has no credentials, or its credentials are not accepted.
    Unauthenticated = "GTY0432W", UNAUTHORIZED, "The request needs credentials that are accepted here.";
    /// The role of the caller does not allow it (z/OS Connect's code).
    NotAuthorized = "BAQR0406W", FORBIDDEN, "The user is not authorized to do this.";
    /// No group of the caller has the role: the details of [`Code::NotAuthorized`] (z/OS Connect's code).
    RoleMissing = "BAQR0409W", FORBIDDEN, "No group of the user has the required role.";
    /// The token lacks a scope.
    ScopeMissing = "GTY0433W", FORBIDDEN, "The token does not have the scopes that the operation needs.";
    /// The API is served over TLS alone.
    TlsRequired = "GTY0434W", FORBIDDEN, "The API is served over TLS only.";
    /// An interceptor does not let the request through.
    Intercepted = "GTY0437W", FORBIDDEN, "An interceptor does not let the request through.";
    /// The program behind the service is not for this user.
    ProgramRefused = "GTY0438W", FORBIDDEN, "The user is not authorized to run the program of the service.";
    /// A preflight asks for what the API's CORS rules do not allow.
    CorsRefused = "GTY0435W", FORBIDDEN, "The API's CORS rules do not allow this request from this origin.";
    /// More requests than the rate allows.
    TooManyRequests = "GTY0436W", TOO_MANY_REQUESTS, "Too many requests.";
    /// More requests at one time than allowed.
    TooManyAtOnce = "GTY0504E", SERVICE_UNAVAILABLE, "Too many requests run at the same time.";
    /// There is no room for the record without which no request may run.
    NotRecorded = "GTY0508E", SERVICE_UNAVAILABLE, "The request cannot be recorded now.";
    /// A required interceptor does not answer.
    InterceptorFailed = "GTY0507E", SERVICE_UNAVAILABLE, "A required interceptor does not answer.";
    /// The gateway cannot check now who calls.
    AuthenticationBusy = "GTY0505E", SERVICE_UNAVAILABLE, "Credentials cannot be checked now.";
    /// The path or the query is not percent-encoded UTF-8.
    BadUrl = "GTY0401W", BAD_REQUEST, "The URL cannot be read.";
    /// No Host header, or more than one.
    BadHost = "GTY0406W", BAD_REQUEST, "The request must have one Host header.";
    /// The listener does not answer for this host name.
    WrongHost = "GTY0407W", MISDIRECTED_REQUEST, "The listener does not accept this host name; its key 'hosts' lists the accepted names.";
    /// A transfer coding other than `chunked`.
    UnknownCoding = "GTY0514E", NOT_IMPLEMENTED, "The transfer coding of the request is not known.";
    /// More headers than the limit.
    TooManyHeaders = "GTY0431W", REQUEST_HEADER_FIELDS_TOO_LARGE, "The request has too many headers.";
    /// Another content type than JSON.
    WrongContentType = "GTY0415W", UNSUPPORTED_MEDIA_TYPE, "The request body must be application/json in UTF-8.";
    /// Another content type than those of SOAP.
    WrongSoapType = "GTY0416W", UNSUPPORTED_MEDIA_TYPE, "The request body must be text/xml or application/soap+xml.";
    /// More bytes than the body limit.
    BodyTooLarge = "GTY0413W", PAYLOAD_TOO_LARGE, "The request body is too large.";
    /// No bytes where a body is needed.
    MissingBody = "GTY0402W", BAD_REQUEST, "The request needs a JSON body.";
    /// Bytes where no body is taken.
    UnexpectedBody = "GTY0403W", BAD_REQUEST, "The operation takes no request body.";
    /// The body did not come in time.
    BodyTimeout = "GTY0408W", REQUEST_TIMEOUT, "The request body did not arrive in time.";
    /// The body broke off.
    BodyBroken = "GTY0409W", BAD_REQUEST, "The request body could not be received.";
    /// The body is not a JSON object (z/OS Connect's code).
    BadJson = "BAQR0417W", BAD_REQUEST, "The request body is not a JSON object.";
    /// The body is not a SOAP message.
    BadEnvelope = "GTY0450W", BAD_REQUEST, "The request is not a SOAP message that can be read.";
    /// The envelope is of another version of SOAP.
    SoapVersion = "GTY0451W", INTERNAL_SERVER_ERROR, "The web service does not take this version of SOAP.";
    /// A header block must be understood, and is not.
    NotUnderstood = "GTY0452W", INTERNAL_SERVER_ERROR, "A SOAP header block that must be understood is not.";
    /// The body has an encoding style.
    EncodingStyle = "GTY0453W", INTERNAL_SERVER_ERROR, "The encoding style of the SOAP body is not known.";
    /// The web service has no operation for the element in the body.
    UnknownSoapOperation = "GTY0454W", BAD_REQUEST, "The web service does not have this operation.";
    /// The header blocks of WS-Addressing cannot be followed.
    BadAddressing = "GTY0455W", BAD_REQUEST, "The request is addressed in a way that is not taken.";
    /// A request for a queue manager has a header, parameter or body that is not allowed.
    BadMessaging = "GTY0460W", BAD_REQUEST, "The request for the queue manager cannot be taken.";
    /// The queue manager, queue or reservation does not exist.
    UnknownQueue = "GTY0461W", NOT_FOUND, "The queue manager, queue or reservation does not exist.";
    /// Nobody may put to the queue now, or get from it.
    QueueInhibited = "GTY0462W", METHOD_NOT_ALLOWED, "The queue does not allow this now.";
    /// Another media type than messages have.
    WrongMessageType = "GTY0417W", UNSUPPORTED_MEDIA_TYPE, "A message is text in UTF-8, or application/octet-stream.";
    /// The message is not text. It stays in its queue.
    NotText = "GTY0518E", NOT_IMPLEMENTED, "The message cannot be shown as text.";
    /// The queue, the memory or the disk is full, or the queue manager has stopped.
    QueueUnavailable = "GTY0516E", SERVICE_UNAVAILABLE, "The queue manager cannot do this now.";
    /// The queue manager failed.
    QueueFailed = "GTY0517E", INTERNAL_SERVER_ERROR, "The queue manager failed.";
    /// A required parameter is missing.
    MissingParameter = "GTY0410W", BAD_REQUEST, "A required parameter is missing.";
    /// A parameter does not fit its field.
    BadParameter = "GTY0411W", BAD_REQUEST, "A parameter has a value that its field cannot hold.";
    /// A query parameter or header is given more than once (z/OS Connect's code).
    RepeatedParameter = "BAQR1712E", BAD_REQUEST, "A parameter is given more than once.";
    /// A field that the interface does not have.
    UnknownField = "GTY0420W", BAD_REQUEST, "The request has a field that the operation does not know.";
    /// A field given twice.
    DuplicateField = "GTY0421W", BAD_REQUEST, "The request has a field twice.";
    /// A required field is missing.
    MissingField = "GTY0422W", BAD_REQUEST, "A required field is missing.";
    /// A value of another JSON type.
    WrongType = "GTY0423W", BAD_REQUEST, "A field has a value of the wrong type.";
    /// A number beyond its limits.
    OutOfRange = "GTY0424W", BAD_REQUEST, "A value is outside of the limits of its field.";
    /// Text beyond its length.
    TooLong = "GTY0425W", BAD_REQUEST, "A text is longer than its field.";
    /// A character that the program's code page lacks.
    Unmappable = "GTY0426W", BAD_REQUEST, "A text has a character that the service cannot take.";
    /// More or fewer rows than a table allows.
    RowCount = "GTY0427W", BAD_REQUEST, "An array has too many or too few elements.";
    /// Two views of the same bytes.
    View = "GTY0429W", BAD_REQUEST, "The request has two alternatives, but only one is allowed.";
    /// JSON nested too deep.
    TooDeep = "GTY0428W", BAD_REQUEST, "The request body is nested too deeply.";
    /// A value that does not keep another rule of the operation's document.
    Invalid = "GTY0440W", BAD_REQUEST, "A value is not as the API describes it.";
    /// A query parameter that the operation's document does not have.
    UnknownParameter = "GTY0412W", BAD_REQUEST, "The request has a query parameter that the operation does not know.";
    /// No answer in time (z/OS Connect's code and status).
    ProviderTimeout = "BAQR0405I", SERVICE_UNAVAILABLE, "The service did not answer in time.";
    /// The provider did not take the request.
    ProviderRefused = "GTY0503E", SERVICE_UNAVAILABLE, "The service does not accept requests now.";
    /// The provider took the request and failed.
    ProviderFailed = "GTY0500E", BAD_GATEWAY, "The service failed.";
    /// The server behind the service took the request and answered with a fault of SOAP.
    ServerFault = "GTY0515E", BAD_GATEWAY, "The service answered with a SOAP fault.";
    /// The program took the request and ended abnormally.
    ProgramAbended = "GTY0509E", BAD_GATEWAY, "The program of the service ended abnormally.";
    /// The program did its work, and nobody knows whether its changes were kept.
    OutcomeUnknown = "GTY0510E", BAD_GATEWAY, "The program ended, but it is unknown whether its changes took effect.";
    /// An operator stopped the endpoint group.
    GroupStopped = "GTY0520E", SERVICE_UNAVAILABLE, "The endpoint group of the service is stopped.";
    /// All endpoints of the group are unwell.
    GroupFull = "GTY0521E", SERVICE_UNAVAILABLE, "Too many requests wait for the endpoint group of the service.";
    /// No endpoint of the group is well.
    GroupUnwell = "GTY0522E", SERVICE_UNAVAILABLE, "No endpoint of the service can be reached.";
    /// The connection broke after the request was sent.
    ConnectionBroken = "GTY0523E", BAD_GATEWAY, "The connection broke after the request was sent; it is unknown whether it was carried out.";
    /// The server's data is not a reply.
    BadReply = "GTY0524E", BAD_GATEWAY, "The server did not send a reply that can be read.";
    /// The record does not fit the frame.
    Unframeable = "GTY0525E", BAD_GATEWAY, "The record does not fit the frame of the endpoint group; it was not sent.";
    /// More requests come than the endpoint group may have.
    GroupTooMany = "GTY0526E", SERVICE_UNAVAILABLE, "More requests come than the endpoint group of the service may have.";
    /// The provider's record does not have the layout of the service.
    BadRecord = "GTY0502E", BAD_GATEWAY, "The service answered with a record that does not have the agreed layout.";
    /// The program was to answer over HTTP, and has ended without WEB SEND.
    NoWebAnswer = "GTY0519E", INTERNAL_SERVER_ERROR, "The program has ended without an answer.";
    /// The program's status for its answer is not a valid one.
    BadStatus = "GTY0512E", BAD_GATEWAY, "The service gave an HTTP status that cannot be sent.";
    /// The program of the service has faults, and did not run.
    ProgramUnusable = "GTY0513E", SERVICE_UNAVAILABLE, "The program of the service cannot be used.";
    /// An expression of the operation failed.
    MappingFailed = "GTY0501E", INTERNAL_SERVER_ERROR, "The operation could not map the values.";
    /// No reply of the operation applies.
    NoReply = "GTY0506E", INTERNAL_SERVER_ERROR, "The operation has no answer for this result.";
    /// A fault of ours.
    Internal = "GTY0599E", INTERNAL_SERVER_ERROR, "The gateway failed.";
}

/// A request that failed: one text for the caller, and one only for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Which failure.
    pub code: Code,
    /// The place and the reason, safe to show.
    pub details: Option<String>,
    /// Further text for operators.
    pub log: Option<String>,
}

/// The hint in the log about a date that is not set.
const UNSET_DATE: &str = "; blank_numbers = \"null\" in [response.values], or in the `values` of the field, makes a date that is not set null";

impl Failure {
    /// A failure without further words.
    #[must_use]
    pub fn new(code: Code) -> Self {
        Self { code, details: None, log: None }
    }

    /// A failure with its place and reason.
    #[must_use]
    pub fn with_details(code: Code, details: impl Into<String>) -> Self {
        Self { code, details: Some(details.into()), log: None }
    }

    /// The failure for a request that could not become a record.
    #[must_use]
    pub fn from_request(error: &record::Error) -> Self {
        use record::ErrorKind;
        let code = match error.kind {
            ErrorKind::Syntax | ErrorKind::NotAnObject => Code::BadJson,
            ErrorKind::UnknownField => Code::UnknownField,
            ErrorKind::DuplicateField => Code::DuplicateField,
            ErrorKind::MissingField => Code::MissingField,
            ErrorKind::ElementOrder | ErrorKind::NotListed => Code::Invalid,
            ErrorKind::WrongType => Code::WrongType,
            ErrorKind::OutOfRange => Code::OutOfRange,
            ErrorKind::TooLong => Code::TooLong,
            ErrorKind::Unmappable => Code::Unmappable,
            ErrorKind::RowCount => Code::RowCount,
            ErrorKind::View => Code::View,
            ErrorKind::TooDeep => Code::TooDeep,
            _ => Code::Internal,
        };
        Self::with_details(code, error.to_string())
    }

    /// The failure for an answer that could not become JSON: the field and its offset, but none of its bytes.
    #[must_use]
    pub fn from_response(error: &record::Error) -> Self {
        let field = if error.path.is_empty() { "the record" } else { &error.path };
        let offset = error.offset.map(|offset| format!(" at offset {offset}")).unwrap_or_default();
        let what = match error.kind {
            record::ErrorKind::RecordLength => "length",
            _ => "value",
        };
        let (reason, hint) = match error.cause {
            Some(record::Cause::UnsetDate) => (", a date that is not set", UNSET_DATE),
            _ => ("", ""),
        };
        Self {
            code: Code::BadRecord,
            details: Some(format!("bad {what}: {field}{offset}{reason}")),
            log: Some(format!("{error}{hint}")),
        }
    }

    /// The failure for JSON that does not fit a channel, or for a channel that does not fit its description.
    #[must_use]
    pub fn from_channel(error: &channel::Error, side: channel::Side) -> Self {
        use channel::{ErrorKind, Side};
        if side == Side::Response {
            return Self { log: Some(error.to_string()), ..Self::new(Code::BadRecord) };
        }
        let code = match error.kind {
            ErrorKind::Syntax => Code::BadJson,
            ErrorKind::UnknownMember => Code::UnknownField,
            ErrorKind::DuplicateMember => Code::DuplicateField,
            ErrorKind::MissingMember => Code::MissingField,
            ErrorKind::WrongType => Code::WrongType,
            ErrorKind::OutOfRange => Code::OutOfRange,
            ErrorKind::Length => Code::TooLong,
            ErrorKind::NotListed => Code::Invalid,
            ErrorKind::Unmappable => Code::Unmappable,
            ErrorKind::RowCount | ErrorKind::TooLarge => Code::RowCount,
            _ => Code::Internal,
        };
        Self::with_details(code, error.to_string())
    }

    /// The failure for a failed call.
    #[must_use]
    pub fn from_service(error: &service::Error) -> Self {
        let code = match error.kind {
            service::ErrorKind::Refused => Code::ProviderRefused,
            service::ErrorKind::TimedOut
            | service::ErrorKind::TimedOutSent
            | service::ErrorKind::TimedOutUnsent => Code::ProviderTimeout,
            service::ErrorKind::Stopped => Code::GroupStopped,
            service::ErrorKind::QueueFull => Code::GroupFull,
            service::ErrorKind::TooMany => Code::GroupTooMany,
            service::ErrorKind::NobodyWell => Code::GroupUnwell,
            service::ErrorKind::ConnectionBroken => Code::ConnectionBroken,
            service::ErrorKind::BadReply => Code::BadReply,
            service::ErrorKind::Unframeable => Code::Unframeable,
            service::ErrorKind::Faulted => Code::ServerFault,
            service::ErrorKind::Abended => Code::ProgramAbended,
            service::ErrorKind::Unusable => Code::ProgramUnusable,
            service::ErrorKind::OutcomeUnknown => Code::OutcomeUnknown,
            service::ErrorKind::NotAuthorized => Code::ProgramRefused,
            _ => Code::ProviderFailed,
        };
        Self { code, details: None, log: Some(error.message.clone()) }
    }

    /// The body: `{"errorMessage":"CODE: text","errorDetails":"..."}`, the details only if there are any.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        let mut body = br#"{"errorMessage":"#.to_vec();
        write_string(&format!("{}: {}", self.code.as_str(), self.code.text()), &mut body);
        if let Some(details) = &self.details {
            body.extend_from_slice(br#","errorDetails":"#);
            write_string(details, &mut body);
        }
        body.push(b'}');
        body
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.code.text())?;
        for more in [&self.details, &self.log].into_iter().flatten() {
            write!(f, " {more}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}
