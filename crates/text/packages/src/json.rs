//! Foreign JSON: schemas and Swagger documents, within limits.

use document::Node;
use serde_json::Value;

use crate::archive::limit;
use crate::fault::{Fault, FaultKind};
use crate::limits::Limits;

/// Reads a document. The parser itself refuses more than 128 levels.
pub(crate) fn parse(file: &str, text: &str, limits: &Limits) -> Result<Value, Fault> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| Fault::at(FaultKind::Syntax, file, error.line(), error.to_string()))?;
    check(&value, file, limits, |value, below| match value {
        Value::Array(items) => below.extend(items),
        Value::Object(members) => below.extend(members.values()),
        _ => {}
    })?;
    Ok(value)
}

/// Reads a document with the order of its members and with places. No object has a member twice.
pub(crate) fn document<'t>(file: &str, text: &'t str, limits: &Limits) -> Result<Node<'t>, Fault> {
    let root = document::read(text).map_err(|refusal| {
        Fault::at(FaultKind::Syntax, file, document::line_of(text, refusal.offset), refusal.message)
    })?;
    check(&root, file, limits, |node, below| {
        below.extend(node.elements());
        below.extend(node.members().iter().map(|(_, node)| node));
    })?;
    Ok(root)
}

/// Checks the depth and the number of values of a document. `below` adds the values inside a value.
fn check<'v, V>(
    root: &'v V,
    file: &str,
    limits: &Limits,
    below: impl Fn(&'v V, &mut Vec<&'v V>),
) -> Result<(), Fault> {
    let mut count = 0;
    let mut pending = vec![(root, 1)];
    let mut inner = Vec::new();
    while let Some((value, depth)) = pending.pop() {
        count += 1;
        limit("depth_max", depth, limits.depth_max, file)?;
        limit("node_count_max", count, limits.node_count_max, file)?;
        below(value, &mut inner);
        pending.extend(inner.drain(..).map(|value| (value, depth + 1)));
    }
    Ok(())
}

/// A string of JSON.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// JSON in a form for people: each member and element on a line of its own.
pub(crate) fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let (mut is_text, mut is_escape, mut is_open) = (false, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    for character in json.chars() {
        if is_text {
            out.push(character);
            is_text = is_escape || character != '"';
            is_escape = !is_escape && character == '\\';
            continue;
        }
        if matches!(character, '}' | ']') {
            depth = depth.saturating_sub(1);
            if !is_open {
                line(&mut out, depth);
            }
        } else if is_open {
            line(&mut out, depth);
        }
        out.push(character);
        is_open = matches!(character, '{' | '[');
        match character {
            '"' => is_text = true,
            '{' | '[' => depth += 1,
            ',' => line(&mut out, depth),
            ':' => out.push(' '),
            _ => {}
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indented_json_is_the_same_json() {
        let json = r#"{"a":[],"b":{"c":[1,{"d":"x\\\"{[:,"}],"e":{}},"f":"\\","g":null}"#;
        let expected = "{\n  \"a\": [],\n  \"b\": {\n    \"c\": [\n      1,\n      {\n        \"d\": \"x\\\\\\\"{[:,\"\n      }\n    ],\n    \"e\": {}\n  },\n  \"f\": \"\\\\\",\n  \"g\": null\n}\n";
        let found = indented(json);
        assert_eq!(found, expected);
        assert_eq!(document::read(&found).expect("JSON").json(), json);
    }
}
