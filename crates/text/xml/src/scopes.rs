//! The declarations of namespaces in force.

use std::borrow::Cow;

use crate::attributes::RawAttribute;
use crate::error::Fault;
use crate::tokens::same;
use crate::{XML, XML_NAMESPACE_BYTES_MAX, XML_NAMESPACES_MAX, XMLNS};

/// The declaration of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Its place among the declarations in force.
    at: u32,
    /// Its number. No other declaration of the text has it.
    pub(crate) serial: u32,
}

impl Scope {
    /// There is no declaration and no prefix.
    pub(crate) const NONE: Scope = Scope { at: u32::MAX, serial: 0 };
    /// The prefix is `xml`.
    const XML: Scope = Scope { at: u32::MAX, serial: 1 };
}

/// The number of the first declaration.
const FIRST: u32 = 2;

/// The namespaces in force.
#[derive(Debug, Default)]
pub(crate) struct Scopes<'a> {
    bindings: Vec<Binding<'a>>,
    /// The number of declarations so far.
    declared: u32,
    /// The bytes of all namespaces in force.
    bytes: usize,
}

#[derive(Debug)]
struct Binding<'a> {
    depth: u32,
    serial: u32,
    /// Empty for the default namespace.
    prefix: &'a str,
    uri: Cow<'a, str>,
}

impl<'a> Scopes<'a> {
    /// The declaration of a prefix here, of the default namespace for an empty one; none if the prefix is not
    /// declared.
    #[inline]
    pub(crate) fn find(&self, prefix: &str) -> Option<Scope> {
        let is_found = |binding: &Binding<'a>| same(binding.prefix.as_bytes(), prefix.as_bytes());
        match self.bindings.iter().rposition(is_found) {
            Some(at) => Some(Scope { at: at as u32, serial: self.bindings[at].serial }),
            None => Self::built_in(prefix),
        }
    }

    fn built_in(prefix: &str) -> Option<Scope> {
        match prefix {
            "" => Some(Scope::NONE),
            "xml" => Some(Scope::XML),
            _ => None,
        }
    }

    /// The same, for elements of this depth.
    pub(crate) fn find_at(&self, prefix: &str, depth: u32) -> Option<Scope> {
        let is_found = |binding: &Binding<'a>| binding.prefix == prefix && binding.depth <= depth;
        match self.bindings.iter().rposition(is_found) {
            Some(at) => Some(Scope { at: at as u32, serial: self.bindings[at].serial }),
            None => Self::built_in(prefix),
        }
    }

    /// The namespace; empty for none.
    pub(crate) fn uri(&self, scope: Scope) -> &str {
        match scope {
            Scope::XML => XML,
            // There is no declaration, or its element is closed.
            Scope { at, .. } => self.bindings.get(at as usize).map_or("", |binding| &binding.uri),
        }
    }

    /// The same, borrowed from the text.
    pub(crate) fn owned(&self, scope: Scope) -> Cow<'a, str> {
        match scope {
            Scope::XML => Cow::Borrowed(XML),
            Scope { at, .. } => {
                self.bindings.get(at as usize).map_or(Cow::Borrowed(""), |binding| binding.uri.clone())
            }
        }
    }

    /// Prefixes and namespaces in force for elements of this depth, outermost first. An inner declaration
    /// hides an outer one of its prefix, and `xmlns=""` hides the default namespace.
    pub(crate) fn at(&self, depth: u32) -> impl Iterator<Item = (&'a str, &str)> {
        let seen = self.bindings.partition_point(|binding| binding.depth <= depth);
        let bindings = &self.bindings[..seen];
        bindings.iter().enumerate().filter_map(|(at, binding)| {
            let is_hidden = bindings[at + 1..].iter().any(|inner| inner.prefix == binding.prefix);
            (!is_hidden && !binding.uri.is_empty()).then_some((binding.prefix, &*binding.uri))
        })
    }

    /// Adds a declaration for elements of this depth and below.
    pub(crate) fn declare(
        &mut self,
        depth: u32,
        prefix: &'a str,
        given: &RawAttribute<'a>,
    ) -> Result<(), Fault> {
        let (at, uri) = (given.at, &given.value);
        let wrong = match (prefix, &**uri) {
            ("xml", XML) => return Ok(()),
            ("xml" | "xmlns", _) | (_, XML | XMLNS) => Some("this prefix or namespace is XML's own"),
            ("", _) => None,
            (_, "") => Some("a prefix needs a namespace"),
            _ => None,
        };
        if let Some(message) = wrong {
            return Err((at, message.to_owned()));
        }
        if self.bindings.len() == XML_NAMESPACES_MAX {
            return Err((at, format!("more than {XML_NAMESPACES_MAX} namespaces are declared")));
        }
        let bytes = self.bytes + uri.len();
        if bytes > XML_NAMESPACE_BYTES_MAX {
            return Err((at, too_long()));
        }
        self.bytes = bytes;
        let serial = FIRST + self.declared;
        self.declared += 1;
        self.bindings.push(Binding { depth, serial, prefix, uri: uri.clone() });
        Ok(())
    }

    /// Forgets the declarations of elements below this depth.
    pub(crate) fn leave(&mut self, depth: u32) {
        while let Some(binding) = self.bindings.pop_if(|binding| binding.depth > depth) {
            self.bytes -= binding.uri.len();
        }
    }
}

/// The message about namespaces beyond [`XML_NAMESPACE_BYTES_MAX`].
#[cold]
pub(crate) fn too_long() -> String {
    format!("the declared namespaces have more than {XML_NAMESPACE_BYTES_MAX} bytes")
}
