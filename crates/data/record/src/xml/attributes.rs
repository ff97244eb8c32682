//! What stands in a tag beside its name: declarations of namespaces, `xsi:nil`, and all else, which has no meaning
//! here.

use std::borrow::Cow;

use super::characters::{is_allowed, is_name, is_space};
use super::{XML, XML_ATTRIBUTES_MAX, XML_NAME_BYTES_MAX, XML_NAMESPACES_MAX, XMLNS};
use crate::error::{Error, ErrorKind};

/// One attribute as written.
#[derive(Clone, Debug)]
pub(crate) struct Attribute<'a> {
    /// Where it starts in the text.
    pub(crate) at: usize,
    pub(crate) name: &'a str,
    pub(crate) value: Cow<'a, str>,
}

/// The fault of a tag, and its place.
pub(crate) type Fault = (usize, String);

/// Reads the attributes in `text[at..end]`, which starts behind a name.
pub(crate) fn attributes(text: &str, mut at: usize, end: usize) -> Result<Vec<Attribute<'_>>, Fault> {
    let bytes = text.as_bytes();
    let mut attributes: Vec<Attribute<'_>> = Vec::new();
    loop {
        let start = skip_spaces(bytes, at, end);
        if start == end {
            return Ok(attributes);
        }
        if start == at {
            return Err((at, "expected white space before an attribute".to_owned()));
        }
        if attributes.len() == XML_ATTRIBUTES_MAX {
            return Err((start, format!("a tag has more than {XML_ATTRIBUTES_MAX} attributes")));
        }
        let name_end = bytes[start..end]
            .iter()
            .position(|byte| *byte == b'=' || is_space(*byte))
            .map_or(end, |length| start + length);
        let name = &text[start..name_end];
        check_name(name, start)?;
        if attributes.iter().any(|other| other.name == name) {
            return Err((start, format!("the attribute {name} occurs twice in one tag")));
        }
        let equals = skip_spaces(bytes, name_end, end);
        if equals == end || bytes[equals] != b'=' {
            return Err((equals, format!("expected '=' and a value for the attribute {name}")));
        }
        let quote_at = skip_spaces(bytes, equals + 1, end);
        let Some(quote) = bytes[..end].get(quote_at).filter(|byte| matches!(byte, b'"' | b'\'')) else {
            return Err((quote_at, format!("the value of the attribute {name} must be in quotes")));
        };
        let value_at = quote_at + 1;
        let Some(length) = bytes[value_at..end].iter().position(|byte| byte == quote) else {
            return Err((quote_at, format!("the value of the attribute {name} does not end")));
        };
        let value = value(text, value_at, value_at + length)?;
        at = value_at + length + 1;
        attributes.push(Attribute { at: start, name, value });
    }
}

fn skip_spaces(bytes: &[u8], at: usize, end: usize) -> usize {
    bytes[at..end].iter().position(|byte| !is_space(*byte)).map_or(end, |spaces| at + spaces)
}

/// Checks a name, with a prefix or without.
pub(crate) fn check_name(name: &str, at: usize) -> Result<(), Fault> {
    if name.len() > XML_NAME_BYTES_MAX {
        return Err((at, format!("a name is longer than {XML_NAME_BYTES_MAX} bytes")));
    }
    let (prefix, local) = name.split_once(':').unwrap_or(("_", name));
    if is_name(prefix) && is_name(local) {
        return Ok(());
    }
    let shown: String = name.chars().take(64).collect();
    Err((
        at,
        if shown.is_empty() { "expected a name".to_owned() } else { format!("'{shown}' is not a name") },
    ))
}

/// An attribute's value: references resolved, white space as blanks.
fn value(text: &str, at: usize, end: usize) -> Result<Cow<'_, str>, Fault> {
    let raw = &text[at..end];
    if !raw.contains(['&', '<', '\t', '\n', '\r']) {
        return Ok(Cow::Borrowed(raw));
    }
    if let Some(found) = raw.find('<') {
        return Err((at + found, "'<' in an attribute must be written as &lt;".to_owned()));
    }
    let mut value = String::new();
    let mut rest = raw;
    while let Some(amp) = rest.find('&') {
        let here = end - rest.len() + amp;
        push_blanks(&rest[..amp], &mut value);
        let Some(length) = rest[amp..].find(';') else {
            return Err((here, "'&' must be written as &amp;".to_owned()));
        };
        value.push(reference(&rest[amp + 1..amp + length], here)?);
        rest = &rest[amp + length + 1..];
    }
    push_blanks(rest, &mut value);
    Ok(Cow::Owned(value))
}

fn push_blanks(text: &str, value: &mut String) {
    value.push_str(&text.replace("\r\n", " ").replace(['\t', '\n', '\r'], " "));
}

/// The character of a reference, between `&` and `;`.
pub(crate) fn reference(name: &str, at: usize) -> Result<char, Fault> {
    let named = match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    };
    if let Some(character) = named {
        return Ok(character);
    }
    let Some(number) = name.strip_prefix('#') else {
        let shown: String = name.chars().take(32).collect();
        return Err((at, format!("&{shown}; is not one of XML's own entities, and others are not allowed")));
    };
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    let valid = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    let character = u32::from_str_radix(digits, radix).ok().filter(|_| valid).and_then(char::from_u32);
    character.filter(|character| is_allowed(*character)).ok_or_else(|| {
        let shown: String = name.chars().take(16).collect();
        (at, format!("&{shown}; is not a character of XML"))
    })
}

/// The namespaces that are in force.
#[derive(Debug, Default)]
pub(crate) struct Scopes<'a> {
    bindings: Vec<Binding<'a>>,
}

#[derive(Debug)]
struct Binding<'a> {
    depth: usize,
    /// Empty for the default namespace.
    prefix: &'a str,
    uri: Cow<'a, str>,
}

impl<'a> Scopes<'a> {
    /// The namespace of a prefix, the default one for an empty prefix; empty for none.
    pub(crate) fn find(&self, prefix: &str) -> Option<&str> {
        let found = self.bindings.iter().rev().find(|binding| binding.prefix == prefix);
        match (found, prefix) {
            (Some(binding), _) => Some(&binding.uri),
            (None, "") => Some(""),
            (None, "xml") => Some(XML),
            (None, _) => None,
        }
    }

    /// Notes a declaration for elements of this depth and below.
    pub(crate) fn declare(
        &mut self,
        depth: usize,
        prefix: &'a str,
        given: &Attribute<'a>,
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
        self.bindings.push(Binding { depth, prefix, uri: uri.clone() });
        Ok(())
    }

    /// Forgets the declarations of elements below this depth.
    pub(crate) fn leave(&mut self, depth: usize) {
        while self.bindings.last().is_some_and(|binding| binding.depth > depth) {
            self.bindings.pop();
        }
    }
}

/// An error at a byte of a text.
pub(crate) fn syntax(text: &str, (at, message): Fault) -> Error {
    let position = crate::json::position(text, at);
    Error { position: Some(position), ..Error::new(ErrorKind::Syntax, message) }
}
