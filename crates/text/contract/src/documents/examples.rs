//! The examples of a document beside the schemas of JSON bodies.

use document::{Part, target};

use super::standalone::SchemaReader;
use crate::operation::{Content, Operation, Place};

/// The most examples of one body.
const EXAMPLES_MAX: usize = 20;

impl SchemaReader<'_> {
    /// The examples of the JSON body of an answer, as JSON, in the order of the document. They need not fit
    /// the schema.
    #[must_use]
    pub fn answer_examples(&self, operation: &Operation, status: u16) -> Vec<String> {
        let Some(response) = operation.response(status) else { return Vec::new() };
        self.examples(&response.place)
    }

    /// The same for the JSON body of a request.
    #[must_use]
    pub fn request_examples(&self, operation: &Operation) -> Vec<String> {
        operation.body.as_ref().map(|body| self.examples(&body.place)).unwrap_or_default()
    }

    /// The examples of a body or a response at this place.
    fn examples(&self, place: &Place) -> Vec<String> {
        let Ok(part) = target(&self.root, &place.pointer) else { return Vec::new() };
        let mut found = Vec::new();
        // Swagger 2.0: an example for each media type.
        let whole = json_member(part.member("examples"));
        found.extend(whole.map(|example| example.node.json()));
        if let Some(content) = json_member(part.member("content")) {
            found.extend(content.member("example").map(|example| example.node.json()));
            let named = content.member("examples");
            let named = named.iter().flat_map(Part::members);
            let values = named.filter_map(|(_, example)| example.resolved(&self.root).ok()?.member("value"));
            found.extend(values.map(|value| value.node.json()));
        }
        found.truncate(EXAMPLES_MAX);
        found
    }
}

/// The member for the media type of JSON: `application/json` itself if it is there.
fn json_member<'d, 't>(of: Option<Part<'d, 't>>) -> Option<Part<'d, 't>> {
    let of = of?;
    let is_json = |name: &str| {
        let media_type = name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        Content { media_type, schema: None }.is_json()
    };
    of.member("application/json")
        .or_else(|| of.members().find(|(name, _)| is_json(name)).map(|(_, part)| part))
}
