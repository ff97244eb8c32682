//! The limits of a WSDL and its files, and the check before a tree is built from their text.
//!
//! A tree of a document takes memory for each element, attribute and namespace in scope. So one pass over the
//! text counts them first, and refuses content that no WSDL has: a DTD, deep nesting, thousands of attributes
//! on one element.

use super::fault::{Fault, Lines};

/// The most bytes of one file.
pub const FILE_BYTES_MAX: usize = 8 << 20;

/// The most bytes of a WSDL and all files that it imports.
pub const FILES_BYTES_MAX: usize = 32 << 20;

/// The most files: the WSDL, its imports and its includes.
pub const FILES_MAX: usize = 200;

/// The longest chain of imports between the WSDL and a file.
pub const IMPORT_DEPTH_MAX: usize = 20;

/// The most levels of elements in a file.
pub const XML_DEPTH_MAX: usize = 100;

/// The most attributes of an element in a file, with declarations of prefixes.
pub const ATTRIBUTES_MAX: usize = 256;

/// The most declarations of prefixes that hold at one place of a file.
pub const PREFIXES_MAX: usize = 256;

/// The most elements and attributes of the messages of an operation.
pub const ELEMENTS_MAX: usize = 20_000;

/// The most levels of elements, types, groups and derivations in a message.
pub const CONTENT_DEPTH_MAX: usize = 64;

/// The most declarations that are read for the messages of an operation. Each counts every time something
/// refers to it.
pub const STEPS_MAX: usize = 200_000;

/// Refuses a text that is too large for a tree.
pub(super) fn check(text: &str, lines: &Lines) -> Result<(), Fault> {
    let fault = |offset: usize, message: String| Err(Fault::new(&lines.place(offset), message));
    let mut prefixes: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        let end_of = |end: &str| rest.find(end).map_or(text.len(), |found| start + found + end.len());
        if rest.starts_with("<!--") {
            at = end_of("-->");
        } else if rest.starts_with("<![CDATA[") {
            at = end_of("]]>");
        } else if rest.starts_with("<?") {
            at = end_of("?>");
        } else if rest.starts_with("<!") {
            return fault(
                start,
                "expected no document type declaration (DTD), which SOAP forbids".to_owned(),
            );
        } else if rest.starts_with("</") {
            prefixes.pop();
            at = end_of(">");
        } else {
            let tag = Tag::read(rest);
            let inherited = prefixes.last().copied().unwrap_or_default();
            if tag.attributes > ATTRIBUTES_MAX {
                let found = tag.attributes;
                return fault(start, format!("expected at most {ATTRIBUTES_MAX} attributes, found {found}"));
            }
            if inherited + tag.prefixes > PREFIXES_MAX {
                return fault(start, format!("expected at most {PREFIXES_MAX} prefixes at one place"));
            }
            if prefixes.len() >= XML_DEPTH_MAX {
                return fault(start, format!("expected at most {XML_DEPTH_MAX} elements in each other"));
            }
            if !tag.empty {
                prefixes.push(inherited + tag.prefixes);
            }
            at = start + tag.bytes;
        }
    }
    Ok(())
}

/// A start tag.
struct Tag {
    bytes: usize,
    attributes: usize,
    prefixes: usize,
    empty: bool,
}

impl Tag {
    /// Reads up to the first `>` outside of values. Text that is not XML may count wrong; the parser refuses
    /// it later.
    fn read(text: &str) -> Self {
        let mut tag = Self { bytes: text.len(), attributes: 0, prefixes: 0, empty: false };
        let mut quote = None;
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            match (quote, byte) {
                (Some(open), _) if open == *byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => {
                    quote = Some(*byte);
                    tag.attributes += 1;
                }
                (None, b':' | b'=') if bytes[..at].ends_with(b"xmlns") => tag.prefixes += 1,
                (None, b'>') => {
                    tag.bytes = at + 1;
                    tag.empty = bytes[..at].ends_with(b"/");
                    break;
                }
                (None, _) => {}
            }
        }
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Option<String> {
        check(text, &Lines::new("x.wsdl".into(), text)).err().map(|fault| fault.to_string())
    }

    #[test]
    fn what_no_wsdl_has_is_refused_with_its_line() {
        assert_eq!(message("<a b='>' c=\"'\"><!-- <b --><![CDATA[<c>]]><d/></a>"), None);
        let dtd = message("<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY b 'c'>]><a/>").expect("a fault");
        assert!(dtd.starts_with("x.wsdl:2:1: expected no document type declaration"), "{dtd}");
        let deep = message(&"<a>\n".repeat(XML_DEPTH_MAX + 1)).expect("a fault");
        assert_eq!(deep, "x.wsdl:101:1: expected at most 100 elements in each other");
        assert_eq!(message(&"<a>".repeat(XML_DEPTH_MAX)), None);
        let wide = format!("<a{}/>", " b=''".repeat(ATTRIBUTES_MAX + 1));
        assert_eq!(
            message(&wide).expect("a fault"),
            "x.wsdl:1:1: expected at most 256 attributes, found 257"
        );
        let prefixes = "<a xmlns:b='c' xmlns='d' xmlns:e='f'>".repeat(PREFIXES_MAX / 3 + 1);
        let prefixes = message(&prefixes).expect("a fault");
        assert!(prefixes.ends_with("expected at most 256 prefixes at one place"), "{prefixes}");
        assert_eq!(message(&"<a xmlns:b='c'/>".repeat(PREFIXES_MAX + 1)), None);
    }
}
