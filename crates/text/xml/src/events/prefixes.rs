//! The namespaces of prefixes, for a reader that outlives the text with their declarations.

use crate::scopes::too_long;
use crate::{XML, XML_NAMESPACE_BYTES_MAX, XML_NAMESPACES_MAX, XMLNS};

use super::{Failed, Wrong, failed};

/// The declarations in force, outermost first.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    /// The depth of the element, the prefix, the namespace.
    declared: Vec<(usize, String, String)>,
}

impl Prefixes {
    /// The namespace of a prefix; for an empty prefix the default namespace. None if it is not declared.
    pub(super) fn namespace(&self, prefix: &str) -> Option<&str> {
        let found = self.declared.iter().rev().find(|(_, known, _)| known == prefix);
        match (found, prefix) {
            (Some((_, _, namespace)), _) => Some(namespace),
            (None, "") => Some(""),
            (None, "xml") => Some(XML),
            (None, _) => None,
        }
    }

    /// Adds a declaration in an element of this depth, at a byte of the text.
    pub(super) fn declare(
        &mut self,
        depth: usize,
        (prefix, namespace): (&str, &str),
        at: usize,
    ) -> Result<(), Failed> {
        match (prefix, namespace) {
            ("xml", XML) => return Ok(()),
            ("xml" | "xmlns", _) | (_, XML | XMLNS) => {
                return failed(at, "this prefix or namespace is XML's own");
            }
            ("", _) => {}
            (_, "") => return failed(at, "a prefix needs a namespace"),
            _ => {}
        }
        if self.declared.len() == XML_NAMESPACES_MAX {
            let message = format!("more than {XML_NAMESPACES_MAX} namespaces are declared");
            return Err((Wrong::NotTaken, at, message));
        }
        let bytes: usize = self.declared.iter().map(|(_, _, known)| known.len()).sum();
        if bytes + namespace.len() > XML_NAMESPACE_BYTES_MAX {
            return Err((Wrong::NotTaken, at, too_long()));
        }
        self.declared.push((depth, prefix.to_owned(), namespace.to_owned()));
        Ok(())
    }

    /// Forgets the declarations of elements below this depth.
    pub(super) fn leave(&mut self, depth: usize) {
        while self.declared.last().is_some_and(|(known, _, _)| *known > depth) {
            self.declared.pop();
        }
    }
}
