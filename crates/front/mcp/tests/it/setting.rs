//! Operations as plain data, and tools made from them.

use api::{BodyDescription, OperationDescription, ParameterDescription, Source, Style};
use http::{HeaderName, Method};
use mcp::{Presentation, Tool};
use serde_json::Value;

pub(crate) fn parameter(source: Source, name: &str, schema: &str) -> ParameterDescription {
    let required = source == Source::Path;
    ParameterDescription {
        source,
        name: name.to_owned(),
        required,
        description: None,
        style: Style::Single,
        schema: schema.to_owned(),
    }
}

/// An operation with parameters of strings, in this order: source and name.
pub(crate) fn operation(method: Method, path: &str, parameters: &[(Source, &str)]) -> OperationDescription {
    OperationDescription {
        id: "theOperation".to_owned(),
        method,
        path: path.to_owned(),
        summary: None,
        description: None,
        parameters: parameters
            .iter()
            .map(|(source, name)| parameter(*source, name, r#"{"type":"string"}"#))
            .collect(),
        body: None,
        definitions: Vec::new(),
        answers: Vec::new(),
        answer_definitions: Vec::new(),
    }
}

pub(crate) fn body(schema: &str) -> Option<BodyDescription> {
    Some(BodyDescription { required: true, schema: schema.to_owned() })
}

pub(crate) fn tool(operation: &OperationDescription) -> Tool {
    let presentation = Presentation { name: "it".to_owned(), ..Presentation::default() };
    Tool::new(operation, &presentation, &[HeaderName::from_static("authorization")])
}

pub(crate) fn definition(tool: &Tool) -> Value {
    serde_json::from_str(tool.definition()).expect("a definition is JSON")
}
