//! A JSON document for readers of schemas and writers of documents: members in their order, numbers as
//! written, and the place of every value.
//!
//! Deliberately absent: YAML, and the meaning of a document. The crate `packages` turns YAML into JSON text
//! with the same lines.

mod part;
mod raw;
mod write;

use std::borrow::Cow;

use serde_json::value::RawValue;

pub use part::{BadReference, HOPS_MAX, Part, fragment, target};
pub use raw::{RawElements, RawMembers};

/// The most bytes of text that one document may have.
pub const DOCUMENT_BYTES_MAX: usize = 16 << 20;

/// The most levels of objects and arrays in a document.
pub const DOCUMENT_DEPTH_MAX: usize = 100;

/// The most characters of a text that messages show.
const SHOWN_CHARACTERS_MAX: usize = 60;

/// A value of the document.
#[derive(Clone, Debug)]
pub struct Node<'t> {
    /// Bytes of the text before it.
    pub offset: usize,
    /// Its kind.
    pub value: Value<'t>,
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub enum Value<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as written.
    Number(&'t str),
    /// A string, its escapes resolved.
    Text(Cow<'t, str>),
    /// The elements.
    Array(Vec<Node<'t>>),
    /// The members in their order. Each name occurs once.
    Object(Vec<(String, Node<'t>)>),
}

impl<'t> Node<'t> {
    /// The member of an object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node<'t>> {
        self.members().iter().find(|(member, _)| member == name).map(|(_, node)| node)
    }

    /// The members of an object; none for anything else.
    #[must_use]
    pub fn members(&self) -> &[(String, Node<'t>)] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of an array; none for anything else.
    #[must_use]
    pub fn elements(&self) -> &[Node<'t>] {
        match &self.value {
            Value::Array(elements) => elements,
            _ => &[],
        }
    }

    /// The value at a JSON pointer (RFC 6901) below this value. The pointer is empty or begins with a slash.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Node<'t>> {
        let mut tokens = pointer.split('/');
        if tokens.next() != Some("") {
            return None;
        }
        tokens.try_fold(self, |node, token| match &node.value {
            Value::Array(elements) => elements.get(index(token)?),
            _ => node.get(&pointer_name(token)),
        })
    }

    /// The characters of a string; none for anything else.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// True for `true` alone.
    #[must_use]
    pub fn is_true(&self) -> bool {
        matches!(self.value, Value::Bool(true))
    }

    /// True for an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// Its kind, for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(text) => shortened(text),
            Value::Text(text) => format!("the text '{}'", shortened(text)),
            Value::Array(_) => "an array".to_owned(),
            Value::Object(_) => "an object".to_owned(),
        }
    }
}

/// The place of an element in the form of pointers: no sign, no leading zeros.
fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
    token.parse().ok().filter(|_| plain)
}

/// A member's name in the form of a JSON pointer.
#[must_use]
pub fn pointer_token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The member that a token of a JSON pointer names: the inverse of [`pointer_token`].
#[must_use]
pub fn pointer_name(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// The line of a byte of a text, from 1.
#[must_use]
pub fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

/// The starts of the lines of a text. For many places of one text, it is faster than [`line_of`].
#[derive(Clone, Debug)]
pub struct Lines {
    /// The offset behind each end of a line.
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self { starts: text.match_indices('\n').map(|(at, _)| at + 1).collect() }
    }

    /// The line of a byte, from 1.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        1 + self.starts.partition_point(|start| *start <= offset)
    }
}

/// The start of a text, for messages.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// The reason why a text is not a document.
#[derive(Debug)]
pub struct Refusal {
    /// Bytes of the text before the place.
    pub offset: usize,
    /// Says what was expected and what was found.
    pub message: String,
}

/// Reads a document. A byte order mark in front of it is passed over.
///
/// # Errors
/// The text is not JSON, is too long or nests too deep, or an object has a member twice.
pub fn read(text: &str) -> Result<Node<'_>, Refusal> {
    if text.len() > DOCUMENT_BYTES_MAX {
        let message = format!("expected at most {DOCUMENT_BYTES_MAX} bytes of text, found {}", text.len());
        return Err(Refusal { offset: 0, message });
    }
    let text_without_mark = text.strip_prefix('\u{feff}').unwrap_or(text);
    let raw: &RawValue = serde_json::from_str(text_without_mark).map_err(|error| {
        let offset = offset_of(text, error.line(), error.column());
        let found = error.to_string();
        let found = found.split(" at line ").next().unwrap_or_default();
        Refusal { offset, message: format!("expected JSON: {found}") }
    })?;
    node(raw, text, 0)
}

/// The offset of a line and column of serde_json, which counts columns in bytes.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut offset = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn node<'t>(raw: &'t RawValue, text: &'t str, depth: usize) -> Result<Node<'t>, Refusal> {
    let json = raw.get();
    // The raw value is a part of the text, so the distance of their addresses is an offset.
    let offset = (json.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let refuse = |message: String| Refusal { offset, message };
    let value = match json.as_bytes().first() {
        Some(b'{' | b'[') if depth >= DOCUMENT_DEPTH_MAX => {
            return Err(refuse(format!(
                "expected at most {DOCUMENT_DEPTH_MAX} objects and arrays in each other"
            )));
        }
        Some(b'{') => {
            let members: RawMembers<'t> =
                serde_json::from_str(json).map_err(|error| refuse(error.to_string()))?;
            let mut names = std::collections::HashSet::new();
            let mut found = Vec::with_capacity(members.0.len());
            for (name, raw) in members.0 {
                let value = node(raw, text, depth + 1)?;
                if !names.insert(name.clone()) {
                    let message = format!("the member '{}' is there twice", shortened(&name));
                    return Err(Refusal { offset: value.offset, message });
                }
                found.push((name, value));
            }
            Value::Object(found)
        }
        Some(b'[') => {
            let elements: RawElements<'t> =
                serde_json::from_str(json).map_err(|error| refuse(error.to_string()))?;
            let found: Result<Vec<_>, _> =
                elements.0.into_iter().map(|raw| node(raw, text, depth + 1)).collect();
            Value::Array(found?)
        }
        Some(b'"') => {
            let text: String = serde_json::from_str(json).map_err(|error| refuse(error.to_string()))?;
            Value::Text(Cow::Owned(text))
        }
        Some(b't') => Value::Bool(true),
        Some(b'f') => Value::Bool(false),
        Some(b'n') | None => Value::Null,
        Some(_) => Value::Number(json),
    };
    Ok(Node { offset, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_numbers_and_places_are_kept() {
        let text = "{\n  \"z\": 9999999999999999.99,\n  \"a/b\": [1e2, \"x\\u00e9\"]\n}";
        let root = read(text).expect("JSON");
        let names: Vec<&str> = root.members().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["z", "a/b"]);
        let second = root.at("/a~1b/1").expect("a part");
        assert_eq!(second.text(), Some("xé"));
        assert!(text[second.offset..].starts_with("\"x"));
        assert_eq!(line_of(text, second.offset), 3);
        let lines = Lines::of(text);
        for offset in 0..=text.len() {
            assert_eq!(lines.line(offset), line_of(text, offset), "{offset}");
        }
        for nothing in ["/a~1b/2", "/a~1b/01", "/a", "/z/0", "a~1b"] {
            assert!(root.at(nothing).is_none(), "{nothing}");
        }
        assert!(matches!(root.get("z").expect("z").value, Value::Number("9999999999999999.99")));
    }

    #[test]
    fn what_is_no_document_is_refused_with_its_place() {
        assert_eq!(read("{\n\"a\": }").expect_err("no value").offset, 7);
        assert_eq!(read("{\"a\":1,\"a\":2}").expect_err("twice").offset, 11);
        let deep = "[".repeat(DOCUMENT_DEPTH_MAX + 1) + &"]".repeat(DOCUMENT_DEPTH_MAX + 1);
        assert!(read(&deep).expect_err("deep").message.contains("in each other"));
        let long = " ".repeat(DOCUMENT_BYTES_MAX + 1);
        assert!(read(&long).expect_err("long").message.contains("at most"));
    }
}
