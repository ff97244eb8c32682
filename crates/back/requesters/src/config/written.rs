//! Operations of remote APIs as they are written: `[[operation]]` of `requesters/NAME/requester.toml`, and `[http]` of services.

use std::collections::BTreeMap;

use interface::{InterfaceSection, Scalar};
use serde::Deserialize;
use soap_requester::config::SoapSection;
use toml::Spanned;
use web_service::MessagesSection;

mod defaults {
    pub(super) fn default_character_max_length() -> u64 {
        255
    }
    pub(super) fn default_fraction_digits() -> u8 {
        2
    }
    pub(super) fn inline_max_occurs() -> u64 {
        1
    }
}

/// `method`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[expect(missing_docs, reason = "they are the methods of HTTP")]
pub enum MethodWord {
    Get,
    Put,
    Post,
    Patch,
    Delete,
}

impl From<MethodWord> for http::Method {
    fn from(word: MethodWord) -> Self {
        match word {
            MethodWord::Get => Self::GET,
            MethodWord::Put => Self::PUT,
            MethodWord::Post => Self::POST,
            MethodWord::Patch => Self::PATCH,
            MethodWord::Delete => Self::DELETE,
        }
    }
}

/// `[[operation]]` of a requester.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequesterOperationSection {
    /// Its name, by which programs call it.
    pub name: Spanned<String>,
    /// The record that a program gives; without it, the operation takes none.
    pub request: Option<Spanned<InterfaceSection>>,
    /// The file of a schema, in the requester's folder: the request is a structure with data areas.
    pub request_schema: Option<Spanned<String>>,
    /// The same of the structure that has all responses.
    pub response_schema: Option<Spanned<String>>,
    /// How it goes over HTTP, to a REST API.
    pub http: Option<Spanned<HttpSection>>,
    /// The record that a SOAP server answers with.
    pub response: Option<Spanned<InterfaceSection>>,
    /// Its messages to a SOAP server.
    pub soap: Option<Spanned<SoapSection>>,
    /// The messages of a WSDL, in place of records.
    pub messages: Option<Spanned<MessagesSection>>,
}

/// `[structures]` of a requester: as the options of z/OS Connect's build.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructuresSection {
    /// The characters of text without `maxLength`.
    #[serde(default = "defaults::default_character_max_length")]
    pub default_character_max_length: u64,
    /// The decimal places of decimal numbers without `multipleOf`.
    #[serde(default = "defaults::default_fraction_digits")]
    pub default_fraction_digits: u8,
    /// The most elements of an array that is a table, and not in a data area.
    #[serde(default = "defaults::inline_max_occurs")]
    pub inline_max_occurs: u64,
    /// Floating point is on its boundaries (SYNC).
    #[serde(default)]
    pub synchronized_floats: bool,
    /// The handling of members of answers that the schema does not have.
    #[serde(default)]
    pub unknown_fields: UnknownFieldsWord,
}

impl Default for StructuresSection {
    fn default() -> Self {
        Self {
            default_character_max_length: defaults::default_character_max_length(),
            default_fraction_digits: defaults::default_fraction_digits(),
            inline_max_occurs: defaults::inline_max_occurs(),
            synchronized_floats: false,
            unknown_fields: UnknownFieldsWord::default(),
        }
    }
}

/// `unknown_fields` of `[structures]`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum UnknownFieldsWord {
    #[default]
    /// They are a fault.
    Refuse,
    /// They are passed over.
    Ignore,
}

/// `[http]` of a service, `[operation.http]` of a requester: how a record goes over HTTP.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpSection {
    /// The method.
    pub method: Spanned<MethodWord>,
    /// The path, with parameters in braces.
    pub path: Spanned<String>,
    /// Fields that become parameters, and are not in the body.
    #[serde(default)]
    pub(crate) r#move: Vec<OutMoveSection>,
    /// Query parameters that are always the same.
    #[serde(default)]
    pub(crate) query: BTreeMap<String, Spanned<String>>,
    /// Headers that are always the same.
    #[serde(default)]
    pub(crate) headers: BTreeMap<Spanned<String>, Spanned<String>>,
    pub(crate) body: Option<Spanned<BodyWord>>,
    /// The member of the record's JSON that is the whole body.
    pub(crate) member: Option<Spanned<String>>,
    pub(crate) content_type: Option<Spanned<String>>,
    /// Whether the request may be sent twice; by default as the method says.
    pub(crate) idempotent: Option<bool>,
    #[serde(default)]
    /// The plans for answers, by their statuses.
    pub responses: Vec<Spanned<AnswerSection>>,
}

/// `move = [{ from = "ITEM-ID", to = "path.id" }]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutMoveSection {
    pub(crate) from: Spanned<String>,
    pub(crate) to: Spanned<String>,
    /// A blank field is a fault, and not left out.
    #[serde(default)]
    pub(crate) required: bool,
}

/// `body`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum BodyWord {
    /// The fields as JSON.
    Json,
    /// The bytes of the record.
    Record,
    /// Nothing.
    None,
}

/// `[[http.responses]]`: how answers of some statuses become records.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerSection {
    /// `"200"`, `"2xx"` or `"default"`.
    pub(crate) status: Spanned<String>,
    pub(crate) body: Option<Spanned<BodyWord>>,
    /// The member of the record's JSON that is the whole body.
    pub(crate) member: Option<Spanned<String>>,
    /// Headers of the answer that become fields.
    #[serde(default)]
    pub(crate) r#move: Vec<InMoveSection>,
    /// Fields with values that are always the same.
    #[serde(default)]
    pub(crate) assign: BTreeMap<Spanned<String>, Spanned<Scalar>>,
    /// The field that gets the status.
    pub(crate) status_to: Option<Spanned<String>>,
    /// The record, of an API requester; services have one for all statuses.
    pub record: Option<Spanned<InterfaceSection>>,
}

/// `move = [{ from = "header.X-Total", to = "TOTAL" }]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InMoveSection {
    pub(crate) from: Spanned<String>,
    pub(crate) to: Spanned<String>,
}
