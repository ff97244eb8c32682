//! A part of a document with its JSON pointer, for readers that walk from the whole to its parts, and the
//! target of a `$ref`.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::{Node, pointer_token};

/// A value of the document and its place.
#[derive(Clone, Debug)]
pub struct Part<'d, 't> {
    /// The value.
    pub node: &'d Node<'t>,
    /// Its JSON pointer (RFC 6901), behind the pointer of the root: `#` if [`Part::root`] made it.
    pub pointer: String,
}

/// The most references that may follow each other.
pub const HOPS_MAX: usize = 20;

/// The reason why a reference has no target, for people.
#[derive(Debug, PartialEq, Eq)]
pub struct BadReference(pub String);

impl<'d, 't> Part<'d, 't> {
    /// The whole document.
    #[must_use]
    pub fn root(node: &'d Node<'t>) -> Self {
        Self { node, pointer: "#".to_owned() }
    }

    /// The member of an object.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Part<'d, 't>> {
        Some(self.below(self.node.get(name)?, name))
    }

    /// The members of an object with their names; none for anything else.
    pub fn members(&self) -> impl Iterator<Item = (&'d str, Part<'d, 't>)> {
        self.node.members().iter().map(|(name, node)| (name.as_str(), self.below(node, name)))
    }

    /// The elements of an array; none for anything else.
    pub fn elements(&self) -> impl Iterator<Item = Part<'d, 't>> {
        self.node.elements().iter().enumerate().map(|(index, node)| self.below(node, &index.to_string()))
    }

    /// The text of a member.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&'d str> {
        self.node.get(name)?.text()
    }

    fn below(&self, node: &'d Node<'t>, name: &str) -> Part<'d, 't> {
        Part { node, pointer: format!("{}/{}", self.pointer, pointer_token(name)) }
    }

    /// The part at a JSON pointer below this part. The pointer is empty or begins with a slash.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<Part<'d, 't>> {
        Some(Part { node: self.node.at(pointer)?, pointer: format!("{}{pointer}", self.pointer) })
    }

    /// The end of the references that begin here; the part itself if it is not a reference.
    ///
    /// # Errors
    /// The target of a reference does not exist, or more than [`HOPS_MAX`] references follow each other.
    pub fn resolved(&self, root: &'d Node<'t>) -> Result<Part<'d, 't>, BadReference> {
        let mut part = self.clone();
        for _ in 0..HOPS_MAX {
            let Some(reference) = part.node.get("$ref") else { return Ok(part) };
            let Some(reference) = reference.text() else {
                return Err(BadReference(format!(
                    "expected the text of a $ref, found {}",
                    reference.describe()
                )));
            };
            part = target(root, reference)?;
        }
        Err(BadReference(format!("expected at most {HOPS_MAX} references one after the other")))
    }
}

/// The target of one reference, in the same document.
///
/// # Errors
/// It leads out of the document, or its target does not exist.
pub fn target<'d, 't>(root: &'d Node<'t>, reference: &str) -> Result<Part<'d, 't>, BadReference> {
    let Some(fragment) = reference.strip_prefix('#') else {
        let message =
            format!("expected a reference into this document, which begins with '#', found '{reference}'");
        return Err(BadReference(message));
    };
    let nowhere = || BadReference(format!("the reference '{reference}' leads to nothing in this document"));
    let pointer = unescaped(fragment).ok_or_else(nowhere)?;
    let node = root.at(&pointer).ok_or_else(nowhere)?;
    // One place has one name, however a reference writes it: the cache of compiled schemas uses it as its
    // key.
    Ok(Part { node, pointer: format!("#{pointer}") })
}

/// The JSON pointer, or the anchor, that a reference into the same document has behind its `#`; none for other references.
#[must_use]
pub fn fragment(reference: &str) -> Option<Cow<'_, str>> {
    reference.strip_prefix('#').and_then(unescaped)
}

/// A fragment of a URL with its escapes resolved; none if they are not UTF-8.
fn unescaped(fragment: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(fragment).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_followed_within_the_document() {
        let text = r##"{"a": {"$ref": "#/b"}, "b": {"$ref": "#/c/x~1%7By%7D"}, "c": {"x/{y}": 7},
            "loop": {"$ref": "#/loop"}, "out": {"$ref": "other.json#/x"}, "no": {"$ref": "#/d"}, "odd": {"$ref": 1}}"##;
        let root = crate::read(text).expect("JSON");
        let part = |name: &str| Part::root(&root).member(name).expect("a member");
        assert_eq!(part("a").resolved(&root).expect("a target").pointer, "#/c/x~1{y}");
        let fault = |name: &str| part(name).resolved(&root).expect_err("a fault").0;
        assert!(fault("loop").contains("at most 20"));
        assert!(fault("out").contains("found 'other.json#/x'"));
        assert!(fault("no").contains("leads to nothing"));
        assert!(fault("odd").contains("found 1"));
    }
}
