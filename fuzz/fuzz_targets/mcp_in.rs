//! Any bytes as a message of MCP, and any text as the arguments of a tool: nothing panics, and no argument is more than
//! a value.
#![no_main]

use std::sync::LazyLock;

use api::{BodyDescription, OperationDescription, ParameterDescription, Source, Style};
use http::Method;
use libfuzzer_sys::fuzz_target;
use mcp::{Presentation, Tool, arguments, with_members};

static TOOL: LazyLock<Tool> = LazyLock::new(|| {
    let parameter = |(source, name, style): (Source, &str, Style)| ParameterDescription {
        source,
        name: name.to_owned(),
        required: source == Source::Path,
        description: None,
        style,
        schema: "{}".to_owned(),
    };
    let parameters = [
        (Source::Path, "a", Style::Separated(b',')),
        (Source::Query, "b", Style::Separated(b'|')),
        (Source::Header, "c", Style::Json),
    ];
    let operation = OperationDescription {
        id: "x".to_owned(),
        method: Method::PUT,
        path: "/x/{a}".to_owned(),
        summary: None,
        description: None,
        parameters: parameters.into_iter().map(parameter).collect(),
        body: Some(BodyDescription { required: false, schema: "{}".to_owned() }),
        definitions: Vec::new(),
        answers: Vec::new(),
        answer_definitions: Vec::new(),
    };
    Tool::new(&operation, &Presentation::default(), &[])
});

fuzz_target!(|bytes: &[u8]| {
    let _ = with_members(bytes, &[("tools", "[]")]);
    let text = arguments(bytes).ok().flatten().or_else(|| std::str::from_utf8(bytes).ok());
    if let Ok(call) = TOOL.call(text) {
        assert_eq!(call.target.path().matches('/').count(), 2);
        assert!(call.target.query().is_none_or(|query| query.starts_with("b=")));
        assert!(
            call.body.is_empty()
                || serde_json::from_slice::<&serde_json::value::RawValue>(&call.body).is_ok()
        );
    }
});
