//! Bodies: the input and output of operations, by media type.

use document::{Part, Value};

use super::Reader;
use crate::contract::Version;
use crate::operation::{Body, Content, Header, Response, Status};

/// The media type of a Swagger document without media types.
const JSON: &str = "application/json";
/// The media types of forms, without files and with them.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";
pub(crate) const MULTIPART: &str = "multipart/form-data";

impl<'d, 't> Reader<'d, 't> {
    /// The body that an operation takes.
    pub(super) fn body(&mut self, operation: &Part<'d, 't>) -> Option<Body> {
        if self.version == Version::Swagger20 {
            return self.swagger_body(operation);
        }
        let part = self.resolved(&operation.member("requestBody")?)?;
        let content = self.content(&part);
        if content.is_empty() {
            self.report.error(&part, "expected the content of the request body, found none");
        }
        let required = part.node.get("required").is_some_and(document::Node::is_true);
        Some(Body { required, content, place: self.place(&part) })
    }

    fn swagger_body(&mut self, operation: &Part<'d, 't>) -> Option<Body> {
        let lists = [operation.member("parameters")];
        for part in lists.iter().flatten().flat_map(Part::elements) {
            // A bad reference is reported when the other parameters are read.
            let Ok(part) = part.resolved(self.root) else { continue };
            if part.text("in") != Some("body") {
                continue;
            }
            let Some(schema) = part.member("schema") else {
                self.report.error(&part, "expected the schema of the body, found none");
                return None;
            };
            let schema = self.schemas.id(&schema, &mut self.report);
            let media_types = self.swagger_media_types(operation, "consumes");
            let content = media_types
                .into_iter()
                .map(|media_type| Content { media_type, schema: Some(schema) })
                .collect();
            let required = part.node.get("required").is_some_and(document::Node::is_true);
            return Some(Body { required, content, place: self.place(&part) });
        }
        self.swagger_form(operation)
    }

    /// The body of parameters that are fields of a form. Its schema is not read, because a form is not JSON.
    fn swagger_form(&mut self, operation: &Part<'d, 't>) -> Option<Body> {
        let list = operation.member("parameters")?;
        let fields = list.elements().filter_map(|part| part.resolved(self.root).ok());
        let fields: Vec<Part<'d, 't>> = fields.filter(|part| part.text("in") == Some("formData")).collect();
        let first = fields.first()?;
        let is_needed = |part: &Part<'d, 't>| part.node.get("required").is_some_and(document::Node::is_true);
        let has_file = fields.iter().any(|part| part.text("type") == Some("file"));
        let named = self.swagger_media_types(operation, "consumes");
        let media_type =
            if has_file || named.iter().any(|name| name == MULTIPART) { MULTIPART } else { FORM };
        Some(Body {
            required: fields.iter().any(is_needed),
            content: vec![Content { media_type: media_type.to_owned(), schema: None }],
            place: self.place(first),
        })
    }

    /// Media types of an operation, else of the whole document, else JSON.
    fn swagger_media_types(&mut self, operation: &Part<'d, 't>, name: &str) -> Vec<String> {
        let own = self.texts(operation, name);
        let all = own.or_else(|| self.texts(&Part::root(self.root), name)).unwrap_or_default();
        let all: Vec<String> = all.iter().map(|media_type| essence(media_type)).collect();
        if all.is_empty() { vec![JSON.to_owned()] } else { all }
    }

    /// The media types of a body, a response or a parameter.
    pub(super) fn content(&mut self, part: &Part<'d, 't>) -> Vec<Content> {
        let mut all = Vec::new();
        for (media_type, part) in part.member("content").iter().flat_map(Part::members) {
            let schema = part.member("schema").map(|schema| self.schemas.id(&schema, &mut self.report));
            all.push(Content { media_type: essence(media_type), schema });
        }
        all
    }

    /// The answers of an operation.
    pub(super) fn responses(&mut self, operation: &Part<'d, 't>) -> Vec<Response> {
        // In OpenAPI 3.1 an operation may have no responses.
        if self.version == Version::OpenApi31 && operation.member("responses").is_none() {
            return Vec::new();
        }
        let Some(responses) = self.object(operation, "responses") else { return Vec::new() };
        let mut all = Vec::new();
        for (name, part) in responses.members().filter(|(name, _)| !name.starts_with("x-")) {
            let Some(status) = status(name) else {
                let message = format!("expected a status, a class like 4XX, or 'default', found '{name}'");
                self.report.error(&part, message);
                continue;
            };
            let Some(part) = self.resolved(&part) else { continue };
            let description = self.needed_text(&part, "description").unwrap_or_default().to_owned();
            let content = if self.version == Version::Swagger20 {
                self.swagger_content(operation, &part)
            } else {
                self.content(&part)
            };
            let headers = self.headers(&part);
            all.push(Response { status, description, headers, content, place: self.place(&part) });
        }
        if all.is_empty() {
            self.report.error(&responses, "expected at least one response, found none");
        }
        all
    }

    fn swagger_content(&mut self, operation: &Part<'d, 't>, response: &Part<'d, 't>) -> Vec<Content> {
        let Some(schema) = response.member("schema") else { return Vec::new() };
        let schema = self.schemas.id(&schema, &mut self.report);
        let media_types = self.swagger_media_types(operation, "produces");
        media_types.into_iter().map(|media_type| Content { media_type, schema: Some(schema) }).collect()
    }

    fn headers(&mut self, response: &Part<'d, 't>) -> Vec<Header> {
        let mut all = Vec::new();
        for (name, part) in response.member("headers").iter().flat_map(Part::members) {
            let Some(part) = self.resolved(&part) else { continue };
            let schema =
                if self.version == Version::Swagger20 { Some(part.clone()) } else { part.member("schema") };
            let schema = schema.map(|schema| self.schemas.id(&schema, &mut self.report));
            let required =
                matches!(part.node.get("required").map(|node| &node.value), Some(Value::Bool(true)));
            all.push(Header { name: name.to_owned(), required, schema });
        }
        all
    }
}

/// A media type without its parameters, in lower case.
fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn status(name: &str) -> Option<Status> {
    if name == "default" {
        return Some(Status::Default);
    }
    let class =
        name.as_bytes().first().filter(|class| (b'1'..=b'5').contains(*class)).map(|class| class - b'0');
    match name.get(1..) {
        Some("XX") => class.map(Status::Class),
        Some(rest) if rest.len() == 2 && rest.bytes().all(|byte| byte.is_ascii_digit()) => {
            class.and(name.parse().ok()).map(Status::Code)
        }
        _ => None,
    }
}
