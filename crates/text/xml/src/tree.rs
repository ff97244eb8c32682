//! Attributes in trees that `roxmltree` has read. Its own look-up by a bare name takes an attribute of any namespace.

use roxmltree::{Attribute, Node};

/// The value of an attribute without a namespace. Those of other namespaces, such as the notes of a tool, have another meaning.
#[must_use]
pub fn own_attribute<'d>(node: Node<'d, '_>, name: &str) -> Option<&'d str> {
    own_attribute_node(node, name).map(|given| given.value())
}

/// The same attribute with its place.
#[must_use]
pub fn own_attribute_node<'d, 'i>(node: Node<'d, 'i>, name: &str) -> Option<Attribute<'d, 'i>> {
    node.attributes().find(|given| given.namespace().is_none() && given.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_other_namespaces_are_others() {
        let text = "<a xmlns:x=\"urn:x\" x:b=\"1\" b=\"2\" x:c=\"3\"/>";
        let document = roxmltree::Document::parse(text).expect("XML");
        let root = document.root_element();
        assert_eq!((own_attribute(root, "b"), own_attribute(root, "c")), (Some("2"), None));
    }
}
