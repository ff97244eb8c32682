//! Any XML as text, and the declarations of prefixes that hold for it.

use ::xml::{Cursor, Encoding, Error as XmlError};

use crate::error::{Error, ErrorKind};

/// The content of an element, and its start tag. `element` is the text of the whole element.
pub(super) fn inside(element: &str) -> (&str, &str) {
    let Some(end) = tag_end(element) else { return (element, "") };
    let (tag, rest) = element.split_at(end);
    let close = rest.rfind("</").unwrap_or(0);
    (tag, &rest[..close])
}

/// Where the first tag of a text ends, behind its `>`.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The declarations of prefixes in a start tag, as they are written: names with `xmlns`, and values in their quotes.
pub(super) fn declared(tag: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = tag;
    // A cursor has already checked the start tag: names, equals signs and values in quotes.
    while let Some(equals) = rest.find('=') {
        let name = rest[..equals].trim_end();
        let name = name.rsplit([' ', '\t', '\r', '\n']).next().unwrap_or_default();
        let value = rest[equals + 1..].trim_start();
        let Some(quote) = value.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { break };
        let Some(end) = value[1..].find(quote) else { break };
        if name == "xmlns" || name.starts_with("xmlns:") {
            found.push((name, &value[..end + 2]));
        }
        rest = &value[end + 2..];
    }
    found
}

/// A declaration as programs see it: in apostrophes, as CICS writes them.
pub(super) fn declaration(prefix: &str, namespace: &str, out: &mut String) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str("xmlns");
    if !prefix.is_empty() {
        out.push(':');
        out.push_str(prefix);
    }
    out.push_str("='");
    out.push_str(&namespace.replace('&', "&amp;").replace('<', "&lt;").replace('\'', "&apos;"));
    out.push('\'');
}

/// Appends any XML of a program: text and elements. Each element gets the declarations that it lacks, so that
/// it means the same wherever it stands.
///
/// # Errors
/// The text is not well-formed, or uses prefixes that nothing declares, or `out` becomes longer than `most`.
pub(super) fn write(text: &str, declarations: &str, out: &mut Vec<u8>, most: usize) -> Result<(), Error> {
    let head = format!("<any {}>", declarations.trim());
    let whole = format!("{head}{text}</any>");
    let refuse = |error: XmlError| {
        let message = format!("expected XML that is well-formed, found other text: {}", error.message);
        Error::new(ErrorKind::BadData, message)
    };
    let mut cursor = Cursor::new(&whole, Encoding::Utf8).map_err(refuse)?;
    let root = cursor.root().map_err(refuse)?;
    if root.name != "any" || tag_end(&whole) != Some(head.len()) {
        return Err(Error::new(ErrorKind::BadData, "expected declarations of prefixes, found other text"));
    }
    let shared = declared(&head);
    let mut written = head.len();
    // Text between elements is copied unchanged.
    while let Some(open) = cursor.next_open().map_err(refuse)? {
        let element = cursor.raw(&open).map_err(refuse)?;
        let name_end = element.find([' ', '\t', '\r', '\n', '/', '>']).unwrap_or(element.len());
        out.extend_from_slice(&whole.as_bytes()[written..open.at + name_end]);
        let own = declared(&element[..tag_end(element).unwrap_or(0)]);
        for (name, value) in &shared {
            if own.iter().all(|(known, _)| known != name) {
                out.push(b' ');
                out.extend_from_slice(name.as_bytes());
                out.push(b'=');
                out.extend_from_slice(value.as_bytes());
            }
        }
        out.extend_from_slice(&element.as_bytes()[name_end..]);
        // Each element may have all declarations: a little text can become much.
        if out.len() > most {
            let message = format!("expected a message of at most {most} bytes, found more");
            return Err(Error::new(ErrorKind::TooLarge, message));
        }
        written = open.at + element.len();
    }
    let end = whole.len() - "</any>".len();
    if cursor.depth() != 0 || written > end {
        return Err(Error::new(ErrorKind::BadData, "expected XML that is well-formed, found an end tag"));
    }
    out.extend_from_slice(&whole.as_bytes()[written..end]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, declarations: &str) -> Result<String, String> {
        let mut out = Vec::new();
        write(text, declarations, &mut out, 1_000).map_err(|error| error.message)?;
        Ok(String::from_utf8(out).expect("UTF-8"))
    }

    #[test]
    fn elements_get_the_declarations_that_they_lack() {
        for (text, declarations, expected) in [
            ("", "", ""),
            ("just text &amp; more", "", "just text &amp; more"),
            ("<a:b/>", "xmlns:a='urn:a'", "<a:b xmlns:a='urn:a'/>"),
            (
                "x<a:b c=\"xmlns:a=1\"><d/></a:b>y",
                "xmlns:a='urn:a'",
                "x<a:b xmlns:a='urn:a' c=\"xmlns:a=1\"><d/></a:b>y",
            ),
            ("<a:b xmlns:a = 'urn:own'/>", "xmlns:a='urn:a'", "<a:b xmlns:a = 'urn:own'/>"),
            ("<b/><c>d</c>", "xmlns=\"urn:x\"", "<b xmlns=\"urn:x\"/><c xmlns=\"urn:x\">d</c>"),
            ("<!-- <a --><b/>", "", "<!-- <a --><b/>"),
        ] {
            assert_eq!(written(text, declarations).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for (text, declarations) in [
            ("<a>", ""),
            ("</any><any>", ""),
            ("</any>", ""),
            ("<a:b/>", ""),
            ("<a/>", "x>"),
            ("<a/>", "xmlns:a='1'><b"),
            ("<?pi?>", ""),
            ("<!DOCTYPE a>", ""),
            ("a & b", ""),
            ("<a/>", "/"),
            (&"<a/>".repeat(100), "xmlns:a='a-uri'"),
        ] {
            assert!(
                written(text, declarations).is_err(),
                "{text} {declarations}: {:?}",
                written(text, declarations)
            );
        }
    }

    #[test]
    fn the_inside_of_an_element_is_what_is_between_its_tags() {
        for (text, tag, inner) in [
            ("<a/>", "<a/>", ""),
            ("<a b='>'>c<d></d></a >", "<a b='>'>", "c<d></d>"),
            ("<a></a>", "<a>", ""),
        ] {
            assert_eq!(inside(text), (tag, inner));
        }
    }
}
