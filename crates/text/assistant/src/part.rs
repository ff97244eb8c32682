//! A part of a document with its place and the references that led to it, for walking a schema.

use std::rc::Rc;

use document::Node;

use crate::diagnostic::Place;

/// A part of the document, its name there, and the references that led to it.
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

    /// The targets of the references, the last one first.
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
        let pointer = format!("{}/{}", self.pointer, document::pointer_token(name));
        Part { node, pointer, chain: self.chain.clone() }
    }

    /// The part at a JSON pointer below this part. The pointer is empty or begins with a slash.
    pub(crate) fn at(&self, pointer: &str) -> Option<Part<'d, 't>> {
        let node = self.node.at(pointer)?;
        Some(Part { node, pointer: format!("{}{pointer}", self.pointer), chain: self.chain.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_knows_its_pointer() {
        let root = document::read(r#"{"a/b": [1, "x"]}"#).expect("JSON");
        let part = Part::root(&root).at("/a~1b/1").expect("a part");
        assert_eq!((part.node.text(), part.pointer.as_str()), (Some("x"), "#/a~1b/1"));
    }
}
