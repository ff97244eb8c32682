//! The operations of a contract: plain data, compiled as far as requests need it.

use http::Method;

use expression::Value;

use crate::schema::{MemberTypes, SchemaId, TextTypes};

/// A place in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// A JSON pointer with `#` in front.
    pub pointer: String,
    /// The line of the JSON text, from 1.
    pub line: usize,
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The method.
    pub method: Method,
    /// The path below the base path, with `{parameters}`, as in the document.
    pub path: String,
    /// Its `operationId`; no other operation has it.
    pub id: Option<String>,
    /// A short sentence.
    pub summary: Option<String>,
    /// A long description.
    pub description: Option<String>,
    /// Its groups.
    pub tags: Vec<String>,
    /// Consumers should not use it any more.
    pub deprecated: bool,
    /// Parameters of the path item and of the operation. If two have the same name, the operation's one comes
    /// first.
    pub parameters: Vec<Parameter>,
    /// The body that it takes.
    pub body: Option<Body>,
    /// Its answers, in the order of the document.
    pub responses: Vec<Response>,
    /// Alternatives. One of them must hold; none if nothing is required. If the operation has none, these are
    /// the document's own.
    pub security: Vec<Requirement>,
    /// Roles of `x-ibm-zcon-roles-allowed`, of the operation or else of the document. None if neither has any; an empty
    /// list allows nobody.
    pub roles_allowed: Option<Vec<String>>,
    /// Its place.
    pub place: Place,
    /// An earlier operation that takes all its requests, if there is one: `GET /a/{x}`. Their paths differ
    /// only in the names of parameters.
    pub hidden_by: Option<String>,
}

impl Operation {
    /// The response that documents a status: its own, else the one of its class (`4XX`), else the default.
    #[must_use]
    pub fn response(&self, status: u16) -> Option<&Response> {
        let of = |wanted: Status| self.responses.iter().find(|response| response.status == wanted);
        let class = u8::try_from(status / 100).unwrap_or_default();
        of(Status::Code(status)).or_else(|| of(Status::Class(class))).or_else(|| of(Status::Default))
    }
}

/// The place of a parameter in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// A `{parameter}` of the path.
    Path,
    /// A query parameter.
    Query,
    /// A request header; its name is the same in lower and upper case.
    Header,
    /// A cookie.
    Cookie,
}

impl Location {
    /// The word that OpenAPI and messages use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Location::Path => "path",
            Location::Query => "query",
            Location::Header => "header",
            Location::Cookie => "cookie",
        }
    }
}

/// The form of a parameter's value in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One value.
    Single,
    /// An array. Its elements are one text with this character in between (simple, form without explode).
    Separated(u8),
    /// An array, with one parameter for each element (form with explode).
    Repeated,
    /// Any value, as JSON text.
    Json,
    /// An object, with one parameter for each member: `name[member]=text` (deepObject).
    Deep,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its place in a request.
    pub location: Location,
    /// Its name.
    pub name: String,
    /// A sentence for people.
    pub description: Option<String>,
    /// A request without it is refused.
    pub required: bool,
    /// The form of its value.
    pub style: Style,
    /// An empty text is accepted whatever the schema says.
    pub empty_allowed: bool,
    /// The schema of its value.
    pub schema: SchemaId,
    /// Its value in requests that lack it.
    pub default: Option<Value>,
    /// The types that its text may become.
    pub(crate) types: TextTypes,
    /// The types that the texts of its members may become, if it is [`Style::Deep`].
    pub(crate) members: MemberTypes,
    /// Its place in the document.
    pub place: Place,
}

/// A request body.
#[derive(Clone, Debug)]
pub struct Body {
    /// A request without one is refused.
    pub required: bool,
    /// The accepted media types, in the order of the document.
    pub content: Vec<Content>,
    /// Its place in the document.
    pub place: Place,
}

/// One media type of a body or response.
#[derive(Clone, Debug)]
pub struct Content {
    /// The media type in lower case without parameters: `application/json`; may be a range (`*/*`).
    pub media_type: String,
    /// Its schema; none if the document has none.
    pub schema: Option<SchemaId>,
}

impl Content {
    /// True for JSON: `application/json`, `application/problem+json`, and ranges that include JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        let name = self.media_type.as_str();
        matches!(name, "application/json" | "*/*" | "application/*") || name.ends_with("+json")
    }
}

/// The JSON content: `application/json` itself if it is there.
#[must_use]
pub fn json_content(content: &[Content]) -> Option<&Content> {
    let exact = content.iter().find(|content| content.media_type == "application/json");
    exact.or_else(|| content.iter().find(|content| content.is_json()))
}

/// The answers that a response documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Answers with one status.
    Code(u16),
    /// Answers of a class: 2 is `2XX`.
    Class(u8),
    /// Answers that no other response documents.
    Default,
}

/// A documented answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// The statuses that it documents.
    pub status: Status,
    /// A sentence for people.
    pub description: String,
    /// Its headers.
    pub headers: Vec<Header>,
    /// Its media types; none for an answer without a body.
    pub content: Vec<Content>,
    /// Its place in the document.
    pub place: Place,
}

/// A header of a response.
#[derive(Clone, Debug)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Every such answer has it.
    pub required: bool,
    /// The schema of its value.
    pub schema: Option<SchemaId>,
}

/// One way to get access: it needs all these schemes together. Without schemes, everybody has access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    /// Names of security schemes, each with the scopes that it needs.
    pub schemes: Vec<(String, Vec<String>)>,
}

/// A security scheme of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityScheme {
    /// Its name, to which requirements refer.
    pub name: String,
    /// The way in which callers prove their identity.
    pub kind: SecurityKind,
}

/// The ways in which callers prove their identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecurityKind {
    /// A key in a header, query parameter or cookie.
    ApiKey {
        /// Its place in a request.
        location: Location,
        /// The name of the header, parameter or cookie.
        name: String,
    },
    /// A scheme of the Authorization header, in lower case: `basic`, `bearer`.
    Http(String),
    /// A token by OAuth 2.0.
    OAuth2,
    /// A token by OpenID Connect.
    OpenIdConnect,
    /// A certificate of the client.
    MutualTls,
}
