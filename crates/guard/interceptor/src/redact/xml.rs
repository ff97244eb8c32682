//! Hides the values of secret elements and attributes in XML.

use std::borrow::Cow;
use std::ops::Range;

use roxmltree::{Document, Node};

use super::{REDACTED, Redaction};

/// The namespace of passwords in SOAP messages. These passwords are always hidden.
const SECURITY: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const PASSWORD: &str = "Password";

impl Redaction {
    /// An XML text with secrets hidden: the content of elements and the values of attributes. Names
    /// have no prefixes. Paths begin at the element in the body of an envelope, or else at the
    /// outermost element. None if the text is not XML.
    #[must_use]
    pub fn xml<'x>(&self, text: &'x str) -> Option<Cow<'x, str>> {
        let hides_nothing = self.names.is_empty() && self.paths.is_empty();
        if hides_nothing && !text.contains(PASSWORD) {
            return Some(Cow::Borrowed(text));
        }
        let document = Document::parse(text).ok()?;
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for node in document.descendants().filter(Node::is_element) {
            for hidden in self.hidden(node) {
                // A secret inside another secret is hidden already.
                if hidden.start >= at {
                    out.push_str(&text[at..hidden.start]);
                    out.push_str(REDACTED);
                    at = hidden.end;
                }
            }
        }
        if at == 0 {
            return Some(Cow::Borrowed(text));
        }
        out.push_str(&text[at..]);
        Some(Cow::Owned(out))
    }

    /// The hidden ranges of an element, in order: values of attributes, then its whole content.
    fn hidden(&self, node: Node<'_, '_>) -> impl Iterator<Item = Range<usize>> {
        let name = node.tag_name();
        let is_password = name.name() == PASSWORD && name.namespace() == Some(SECURITY);
        let is_hidden = is_password || self.hides_name(name.name()) || self.hides_element(node);
        let attributes: Vec<Range<usize>> = node
            .attributes()
            .filter(|attribute| is_hidden || self.hides_name(attribute.name()))
            .map(|attribute| attribute.range_value())
            .collect();
        let content = match (node.first_child(), node.last_child()) {
            (Some(first), Some(last)) if is_hidden => Some(first.range().start..last.range().end),
            _ => None,
        };
        attributes.into_iter().chain(content)
    }

    /// True if a path leads to the element.
    fn hides_element(&self, node: Node<'_, '_>) -> bool {
        self.paths.iter().any(|path| {
            let mut names = node.ancestors().filter(Node::is_element);
            path.iter().rev().all(|part| names.next().is_some_and(|node| node.tag_name().name() == &**part))
                && names.next().is_none_or(|around| is_body(around))
        })
    }
}

/// True for the body of an envelope.
fn is_body(node: Node<'_, '_>) -> bool {
    let is = |node: Node<'_, '_>, name: &str| node.tag_name().name() == name;
    let envelope = node.parent_element();
    is(node, "Body")
        && envelope.is_some_and(|envelope| is(envelope, "Envelope") && envelope.parent_element().is_none())
}
