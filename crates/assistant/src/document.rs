//! A JSON document with what a copybook needs of it: members in their order, numbers as written, and places.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::diagnostic::Place;

/// The most bytes of text that one document may have.
pub const DOCUMENT_BYTES_MAX: usize = 16 << 20;

/// How deep objects and arrays of a document may nest.
pub const DOCUMENT_DEPTH_MAX: usize = 100;

/// How much of a text messages show.
const SHOWN_CHARACTERS_MAX: usize = 60;

/// A value of the document.
#[derive(Debug)]
pub(crate) struct Node<'t> {
    /// Bytes of the text before it.
    pub(crate) offset: usize,
    pub(crate) value: Value<'t>,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Value<'t> {
    Null,
    Bool(bool),
    /// A number as it is written.
    Number(&'t str),
    Text(Cow<'t, str>),
    Array(Vec<Node<'t>>),
    Object(Vec<(String, Node<'t>)>),
}

impl<'t> Node<'t> {
    /// The member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Node<'t>> {
        self.members().iter().find(|(member, _)| member == name).map(|(_, node)| node)
    }

    /// The members of an object; none for anything else.
    pub(crate) fn members(&self) -> &[(String, Node<'t>)] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of an array; none for anything else.
    pub(crate) fn elements(&self) -> &[Node<'t>] {
        match &self.value {
            Value::Array(elements) => elements,
            _ => &[],
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        matches!(self.value, Value::Bool(true))
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
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

/// The beginning of a text, for messages.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// A part of the document, its name there, and how references led to it.
#[derive(Clone, Debug)]
pub(crate) struct Part<'d, 't> {
    pub(crate) node: &'d Node<'t>,
    pub(crate) pointer: String,
    pub(crate) chain: Chain,
}

/// The references that were followed to a part, the last one first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain(Option<Rc<Link>>);

#[derive(Debug)]
struct Link {
    pointer: String,
    before: Chain,
}

impl Chain {
    /// The chain with one more reference.
    pub(crate) fn to(&self, pointer: &str) -> Self {
        Self(Some(Rc::new(Link { pointer: pointer.to_owned(), before: self.clone() })))
    }

    /// What the references lead to, the last one first.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(self.0.as_deref(), |link| link.before.0.as_deref())
            .map(|link| link.pointer.as_str())
    }
}

impl<'d, 't> Part<'d, 't> {
    pub(crate) fn root(node: &'d Node<'t>) -> Self {
        Self { node, pointer: "#".to_owned(), chain: Chain::default() }
    }

    pub(crate) fn place(&self) -> Place {
        Place { pointer: self.pointer.clone(), offset: Some(self.node.offset) }
    }

    /// The member of an object.
    pub(crate) fn member(&self, name: &str) -> Option<Part<'d, 't>> {
        Some(self.below(self.node.get(name)?, name))
    }

    /// The members of an object with their names.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'d str, Part<'d, 't>)> {
        self.node.members().iter().map(|(name, node)| (name.as_str(), self.below(node, name)))
    }

    /// The elements of an array.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Part<'d, 't>> {
        self.node.elements().iter().enumerate().map(|(index, node)| self.below(node, &index.to_string()))
    }

    fn below(&self, node: &'d Node<'t>, name: &str) -> Part<'d, 't> {
        let name = name.replace('~', "~0").replace('/', "~1");
        Part { node, pointer: format!("{}/{name}", self.pointer), chain: self.chain.clone() }
    }

    /// What a JSON pointer below this part leads to; the pointer is empty or begins with a slash.
    pub(crate) fn at(&self, pointer: &str) -> Option<Part<'d, 't>> {
        let mut part = self.clone();
        for token in pointer.split('/').skip(1) {
            let name = token.replace("~1", "/").replace("~0", "~");
            part = match &part.node.value {
                Value::Array(_) => {
                    let element = part.elements().nth(name.parse().ok()?);
                    element?
                }
                _ => part.member(&name)?,
            };
        }
        Some(part)
    }
}

/// Why a text is no document.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) offset: usize,
    pub(crate) message: String,
}

/// Reads a document.
///
/// # Errors
/// The text is no JSON, is too long or nests too deep, or an object has a member twice.
pub(crate) fn read(text: &str) -> Result<Node<'_>, Refusal> {
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

/// Bytes before a line and column of serde_json, which counts columns in bytes.
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
            let members: Members<'t> =
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
            let elements: Elements<'t> =
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

struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

struct Elements<'t>(Vec<&'t RawValue>);

impl<'de> Deserialize<'de> for Elements<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Elements<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = seq.next_element()? {
                    elements.push(element);
                }
                Ok(Elements(elements))
            }
        }
        deserializer.deserialize_seq(InOrder)
    }
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
        let part = Part::root(&root).at("/a~1b/1").expect("a part");
        assert_eq!((part.node.text(), part.pointer.as_str()), (Some("xé"), "#/a~1b/1"));
        assert!(text[part.node.offset..].starts_with("\"x"));
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
