//! A part of a document with its JSON pointer, as the readers walk from the whole to the small.

use document::Node;
use percent_encoding::percent_decode_str;

/// A value of the document and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Part<'d, 't> {
    pub(crate) node: &'d Node<'t>,
    /// With `#` in front.
    pub(crate) pointer: String,
}

/// How many references may stand one after the other.
const HOPS_MAX: usize = 20;

/// Why a reference leads nowhere.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadReference(pub(crate) String);

impl<'d, 't> Part<'d, 't> {
    pub(crate) fn root(node: &'d Node<'t>) -> Self {
        Self { node, pointer: "#".to_owned() }
    }

    /// The member of an object.
    pub(crate) fn member(&self, name: &str) -> Option<Part<'d, 't>> {
        Some(self.below(self.node.get(name)?, name))
    }

    /// The members of an object with their names; none for anything else.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'d str, Part<'d, 't>)> {
        self.node.members().iter().map(|(name, node)| (name.as_str(), self.below(node, name)))
    }

    /// The elements of an array; none for anything else.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Part<'d, 't>> {
        self.node.elements().iter().enumerate().map(|(index, node)| self.below(node, &index.to_string()))
    }

    /// The text of a member.
    pub(crate) fn text(&self, name: &str) -> Option<&'d str> {
        self.node.get(name)?.text()
    }

    fn below(&self, node: &'d Node<'t>, name: &str) -> Part<'d, 't> {
        Part { node, pointer: format!("{}/{}", self.pointer, document::pointer_token(name)) }
    }

    /// Where the references that begin here end; the part itself if it is none.
    pub(crate) fn resolved(&self, root: &'d Node<'t>) -> Result<Part<'d, 't>, BadReference> {
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
pub(crate) fn target<'d, 't>(root: &'d Node<'t>, reference: &str) -> Result<Part<'d, 't>, BadReference> {
    let Some(fragment) = reference.strip_prefix('#') else {
        let message =
            format!("expected a reference into this document, which begins with '#', found '{reference}'");
        return Err(BadReference(message));
    };
    let nowhere = || BadReference(format!("the reference '{reference}' leads to nothing in this document"));
    let pointer = percent_decode_str(fragment).decode_utf8().map_err(|_| nowhere())?;
    let node = root.at(&pointer).ok_or_else(nowhere)?;
    // One name for one place, however a reference writes it: the memory of compiled schemas goes by it.
    Ok(Part { node, pointer: format!("#{pointer}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_followed_within_the_document() {
        let text = r##"{"a": {"$ref": "#/b"}, "b": {"$ref": "#/c/x~1%7By%7D"}, "c": {"x/{y}": 7},
            "loop": {"$ref": "#/loop"}, "out": {"$ref": "other.json#/x"}, "no": {"$ref": "#/d"}, "odd": {"$ref": 1}}"##;
        let root = document::read(text).expect("JSON");
        let part = |name: &str| Part::root(&root).member(name).expect("a member");
        assert_eq!(part("a").resolved(&root).expect("a target").pointer, "#/c/x~1{y}");
        let fault = |name: &str| part(name).resolved(&root).expect_err("a fault").0;
        assert!(fault("loop").contains("at most 20"));
        assert!(fault("out").contains("found 'other.json#/x'"));
        assert!(fault("no").contains("leads to nothing"));
        assert!(fault("odd").contains("found 1"));
    }
}
