//! A part of a document with its JSON pointer, as readers walk from the whole to the small, and where a `$ref` leads.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::{Node, pointer_token};

/// A value of the document and where it stands.
#[derive(Clone, Debug)]
pub struct Part<'d, 't> {
    /// The value.
    pub node: &'d Node<'t>,
    /// Its JSON pointer (RFC 6901), behind what the root has: `#` if it was made by [`Part::root`].
    pub pointer: String,
}

/// How many references may stand one after the other.
pub const HOPS_MAX: usize = 20;

/// Why a reference leads nowhere, for people.
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

    /// What a JSON pointer below this part leads to; the pointer is empty or begins with a slash.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<Part<'d, 't>> {
        Some(Part { node: self.node.at(pointer)?, pointer: format!("{}{pointer}", self.pointer) })
    }

    /// Where the references that begin here end; the part itself if it is none.
    ///
    /// # Errors
    /// A reference leads to nothing in the document, or there are more than [`HOPS_MAX`] one after the other.
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

/// What one reference leads to, which is a part of the same document.
///
/// # Errors
/// It leads out of the document, or to nothing.
pub fn target<'d, 't>(root: &'d Node<'t>, reference: &str) -> Result<Part<'d, 't>, BadReference> {
    let Some(fragment) = reference.strip_prefix('#') else {
        let message =
            format!("expected a reference into this document, which begins with '#', found '{reference}'");
        return Err(BadReference(message));
    };
    let nowhere = || BadReference(format!("the reference '{reference}' leads to nothing in this document"));
    let pointer = unescaped(fragment).ok_or_else(nowhere)?;
    let node = root.at(&pointer).ok_or_else(nowhere)?;
    // One name for one place, however a reference writes it: the memory of compiled schemas goes by it.
    Ok(Part { node, pointer: format!("#{pointer}") })
}

/// The JSON pointer, or the anchor, that a reference into the same document has behind its `#`; none for other references.
#[must_use]
pub fn fragment(reference: &str) -> Option<Cow<'_, str>> {
    reference.strip_prefix('#').and_then(unescaped)
}

/// A fragment of a URL without its escapes; none if they are not UTF-8.
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
