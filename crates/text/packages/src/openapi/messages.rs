//! Bodies of requests and responses: the media type that counts, and its schema.

use document::Node;

use super::reader::{Part, Reader};
use crate::fault::{Fault, Notes};

/// The default media type of a body.
pub(super) const JSON: &str = "application/json";

/// The media type of a body that may be anything.
const ANY: &str = "*/*";

/// The rank of media types that are not JSON.
const NO_JSON: u8 = 3;

/// The body of a request or a response.
pub(super) enum Body<'d> {
    /// Nothing.
    None,
    /// A body without a schema, of these media types.
    Unknown(String),
    /// A body with a schema.
    Known(Content<'d>),
}

/// A body that a schema describes.
pub(super) struct Content<'d> {
    pub(super) media_type: String,
    pub(super) schema: Part<'d>,
}

/// The answer of an operation with a status.
pub(super) struct Answered<'d> {
    /// The text in the document: `200`, `2XX` or `default`.
    pub(super) status: &'d str,
    /// Its place.
    pub(super) part: Part<'d>,
    pub(super) body: Body<'d>,
}

impl<'d> Content<'d> {
    /// A body of any media type counts as JSON.
    fn new(media_type: &str, schema: Part<'d>) -> Self {
        let media_type = if essence(media_type) == ANY { JSON } else { media_type };
        Self { media_type: media_type.to_owned(), schema }
    }

    pub(super) fn is_json(&self) -> bool {
        rank(&self.media_type) < NO_JSON
    }
}

/// The rank of a media type. The least one is taken.
fn rank(media_type: &str) -> u8 {
    match essence(media_type).as_str() {
        JSON => 0,
        other if other.ends_with("+json") => 1,
        ANY => 2,
        _ => NO_JSON,
    }
}

/// A media type without its parameters.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

impl<'d> Reader<'d> {
    /// The answers of an operation, in the order of the document.
    pub(super) fn answered(
        &self,
        operation: &Part<'d>,
        notes: &mut Notes,
    ) -> Result<Vec<Answered<'d>>, Fault> {
        let mut found: Vec<Answered<'d>> = Vec::new();
        let Some(responses) = operation.member("responses") else { return Ok(found) };
        for (status, part) in responses.members() {
            if status.starts_with("x-") {
                continue;
            }
            let is_known = found.iter().any(|known| known.status.eq_ignore_ascii_case(status));
            if !is_status(status) || is_known {
                let expected = "expected 200, 2XX or default, each once";
                self.note(notes, &part, format!("the response '{status}' is left out: {expected}"));
                continue;
            }
            let part = self.resolved(part)?;
            let body = match self.swagger {
                true => self.swagger_body(operation, "produces", &part),
                false => self.body(&part),
            };
            found.push(Answered { status, part, body });
        }
        Ok(found)
    }

    /// The body of a message of OpenAPI 3: JSON if possible, else the first media type with a schema.
    pub(super) fn body(&self, message: &Part<'d>) -> Body<'d> {
        let Some(content) = message.member("content") else { return Body::None };
        let kinds: Vec<(&str, Option<Part<'d>>)> =
            content.members().map(|(kind, part)| (kind, part.member("schema"))).collect();
        let described = kinds.iter().filter_map(|(kind, schema)| Some((*kind, schema.as_ref()?)));
        match described.min_by_key(|(kind, _)| rank(kind)) {
            Some((kind, schema)) => Body::Known(Content::new(kind, schema.clone())),
            None if kinds.is_empty() => Body::None,
            None => Body::Unknown(kinds.iter().map(|(kind, _)| *kind).collect::<Vec<_>>().join(", ")),
        }
    }

    /// The body of a message of Swagger 2.0. Its media types stand in the operation or in the document.
    pub(super) fn swagger_body(&self, operation: &Part<'d>, key: &str, message: &Part<'d>) -> Body<'d> {
        let Some(schema) = message.member("schema") else { return Body::None };
        let list = operation.node.get(key).or_else(|| self.root.get(key));
        let kinds: Vec<&str> = list.map_or(&[][..], Node::elements).iter().filter_map(Node::text).collect();
        let media_type = kinds.into_iter().min_by_key(|kind| rank(kind)).unwrap_or(JSON);
        Body::Known(Content::new(media_type, schema))
    }
}

/// True for the statuses of `requester.toml`.
fn is_status(status: &str) -> bool {
    match status.as_bytes() {
        b"default" => true,
        [b'1'..=b'5', b'x', b'x'] | [b'1'..=b'5', b'X', b'X'] => true,
        [b'1'..=b'5', tens, ones] => tens.is_ascii_digit() && ones.is_ascii_digit(),
        _ => false,
    }
}
