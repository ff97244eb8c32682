//! The parts that both kinds of document have: info, parameters, the answers of an operation.

use std::collections::BTreeMap;

use conversion::has_no_body;
use failure::Code;
use http::StatusCode;
use record::Schema;
use serde::Serialize;

use crate::operation::{BodyRule, MappedOperation, ResponseMapping, status_of};
use crate::spec::ApiSpec;

/// Members in the order in which they are added.
#[derive(Debug)]
pub(crate) struct Ordered<T>(pub(crate) Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Ordered<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The member with this name; added at the end if it is missing.
    pub(crate) fn entry(&mut self, name: &str) -> &mut T
    where
        T: Default,
    {
        let position = self.0.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.0.push((name.to_owned(), T::default()));
            self.0.len() - 1
        });
        &mut self.0[position].1
    }
}

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Info<'a> {
    title: &'a str,
    description: &'a str,
    version: &'a str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Tag<'a> {
    name: &'a str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Reference {
    #[serde(rename = "$ref")]
    pub(crate) reference: String,
}

pub(crate) fn info(spec: &ApiSpec) -> Info<'_> {
    Info { title: &spec.title, description: &spec.description, version: &spec.version }
}

pub(crate) fn tags(spec: &ApiSpec) -> Vec<Tag<'_>> {
    vec![Tag { name: &spec.name }]
}

/// An operation's path below the base path.
pub(crate) fn relative_path<'a>(spec: &ApiSpec, operation: &'a MappedOperation) -> &'a str {
    operation.path.strip_prefix(&spec.base_path.text).unwrap_or(&operation.path)
}

/// The schema's name of an operation's request body.
pub(crate) fn request_name(operation: &MappedOperation) -> String {
    format!("{}_request", operation.id)
}

/// The answers of an operation, by status in the order of their rules.
pub(crate) struct StatusAnswers<'a> {
    pub(crate) status: u16,
    pub(crate) description: String,
    /// Each mapping that answers so, with the name of its schema.
    pub(crate) mappings: Vec<(String, &'a ResponseMapping)>,
    /// Failures of the gateway have the status too.
    pub(crate) fails: bool,
}

impl StatusAnswers<'_> {
    /// True if the status allows no body.
    pub(crate) fn has_no_body(&self) -> bool {
        StatusCode::from_u16(self.status).is_ok_and(has_no_body)
    }
}

/// Every answer that an operation may give.
pub(crate) fn answers<'a>(operation: &'a MappedOperation, fine: &str) -> Vec<StatusAnswers<'a>> {
    let mut answers: Vec<StatusAnswers<'a>> = Vec::new();
    for mapping in operation.mappings() {
        let status = mapping.status.as_u16();
        let fine = if has_no_body(mapping.status) { NO_CONTENT } else { fine };
        let description = mapping.description.clone().unwrap_or_else(|| fine.to_owned());
        let name = format!("{}_response_{status}", operation.id);
        match answers.iter_mut().find(|answer| answer.status == status) {
            Some(answer) => {
                if !answer.description.contains(&description) {
                    answer.description = format!("{} {description}", answer.description);
                }
                let name = format!("{name}_{}", answer.mappings.len() + 1);
                answer.mappings.push((name, mapping));
            }
            None => answers.push(StatusAnswers {
                status,
                description,
                mappings: vec![(name, mapping)],
                fails: false,
            }),
        }
    }
    for (status, description) in failures(operation) {
        match answers.iter_mut().find(|answer| answer.status == status) {
            Some(answer) => {
                answer.description = format!("{} {description}", answer.description);
                answer.fails = true;
            }
            None => answers.push(StatusAnswers { status, description, mappings: Vec::new(), fails: true }),
        }
    }
    answers
}

/// The description of answers of a service that gives nothing back.
const NO_CONTENT: &str = "The service was called. It gives nothing back.";
/// The description of answers whose status the program sets.
pub(crate) const OPEN: &str = "The status that the program gives.";

/// The names of the schemas of answers that may have any status, because the program gives it.
pub(crate) fn open_answers(operation: &MappedOperation, fine: &str) -> Vec<String> {
    let is_open =
        |mapping: &ResponseMapping| operation.open_mappings().any(|open| std::ptr::eq(open, mapping));
    let all = answers(operation, fine).into_iter().filter(|answer| !answer.has_no_body());
    let all = all.flat_map(|answer| answer.mappings);
    all.filter(|(_, mapping)| is_open(mapping)).map(|(name, _)| name).collect()
}

/// The name of the schema that all failures share.
pub(crate) const ERROR_NAME: &str = "Error";

/// The shape of every failure.
pub(crate) fn error_schema() -> Schema {
    let text = |description: &str| Schema {
        kind: "string",
        description: Some(description.to_owned()),
        ..Schema::default()
    };
    Schema {
        required: vec!["errorMessage".to_owned()],
        ..Schema::object(vec![
            ("errorMessage".to_owned(), text("A stable code, and what is wrong.")),
            ("errorDetails".to_owned(), text("The place, and what was expected there.")),
        ])
    }
}

/// The statuses of failures that an operation may answer with, each with the codes that it may have.
fn failures(operation: &MappedOperation) -> BTreeMap<u16, String> {
    by_status(&operation.statuses, |code| may_happen(code, operation))
}

/// The failures that may happen by their statuses, where an API has these of its own; each with the texts of its codes.
pub(super) fn by_status(
    statuses: &[(Code, StatusCode)],
    may_happen: impl Fn(Code) -> bool,
) -> BTreeMap<u16, String> {
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in Code::ALL.iter().filter(|code| may_happen(**code)) {
        by_status.entry(status_of(statuses, *code).as_u16()).or_default().push(code.text());
    }
    by_status.into_iter().map(|(status, texts)| (status, texts.join(" "))).collect()
}

/// True for failures that only the values of a JSON body can cause.
pub(super) fn is_of_body(code: Code) -> bool {
    matches!(
        code,
        Code::BadJson
            | Code::UnknownField
            | Code::DuplicateField
            | Code::MissingField
            | Code::WrongType
            | Code::OutOfRange
            | Code::TooLong
            | Code::RowCount
            | Code::TooDeep
    )
}

fn may_happen(code: Code, operation: &MappedOperation) -> bool {
    let body = operation.request.body;
    match code {
        // Those concern other hosts, paths and methods than the operation's, HTTP itself, or that it is not offered now.
        Code::WrongHost | Code::UnknownPath | Code::WrongMethod | Code::UnknownCoding | Code::Stopped => {
            false
        }
        // Those belong to web services.
        Code::WrongSoapType
        | Code::BadEnvelope
        | Code::SoapVersion
        | Code::NotUnderstood
        | Code::EncodingStyle
        | Code::UnknownSoapOperation
        | Code::BadAddressing => false,
        // Those belong to the messaging REST interface.
        Code::BadMessaging
        | Code::UnknownQueue
        | Code::QueueInhibited
        | Code::WrongMessageType
        | Code::NotText
        | Code::QueueUnavailable
        | Code::QueueFailed => false,
        Code::Invalid | Code::MappingFailed | Code::NoReply | Code::NoWebAnswer => false,
        Code::BadStatus => operation.open_mappings().next().is_some(),
        // Documents do not name failures behind a service, unless the API has statuses of its own for them.
        Code::ServerFault
        | Code::GroupStopped
        | Code::GroupFull
        | Code::GroupUnwell
        | Code::ConnectionBroken
        | Code::BadReply
        | Code::Unframeable
        | Code::GroupTooMany => operation.has_own_status(code),
        // The rights of a region are not the API's, and operators hear at load of programs that cannot run.
        Code::ProgramRefused | Code::ProgramUnusable => false,
        // The details of another failure, and those of preflights and of interceptors, which an operation does not know.
        Code::RoleMissing | Code::CorsRefused => false,
        Code::Intercepted | Code::NotRecorded | Code::InterceptorFailed => false,
        Code::Unauthenticated
        | Code::NotAuthorized
        | Code::ScopeMissing
        | Code::TlsRequired
        | Code::TooManyRequests
        | Code::TooManyAtOnce
        | Code::AuthenticationBusy => operation.protection.refusals.contains(&code),
        Code::WrongContentType | Code::MissingBody => body != BodyRule::None,
        Code::UnexpectedBody => body == BodyRule::None,
        Code::UnknownParameter => operation.request.refuses_unknown_query,
        Code::BadParameter => !operation.request.moves.is_empty(),
        Code::MissingParameter | Code::RepeatedParameter => {
            operation.request.moves.iter().any(|step| step.source != crate::spec::Source::Path)
        }
        Code::Unmappable
        | Code::BadJson
        | Code::UnknownField
        | Code::DuplicateField
        | Code::MissingField
        | Code::WrongType
        | Code::OutOfRange
        | Code::TooLong
        | Code::RowCount
        | Code::TooDeep => body != BodyRule::None,
        // Of HTTP, of the service behind, and of the gateway itself.
        Code::BadUrl | Code::BadHost | Code::TooManyHeaders => true,
        Code::BodyTooLarge | Code::BodyTimeout | Code::BodyBroken | Code::View => true,
        Code::ProviderTimeout | Code::ProviderRefused | Code::ProviderFailed | Code::ProgramAbended => true,
        Code::OutcomeUnknown | Code::BadRecord | Code::Internal => true,
    }
}
