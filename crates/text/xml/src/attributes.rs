//! The attributes and declarations in a tag.

use std::borrow::Cow;

use crate::characters::{is_allowed, is_name, is_space};
use crate::error::Fault;
use crate::{XML_ATTRIBUTES_MAX, XML_NAME_BYTES_MAX};

/// An attribute that is not a declaration of a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Its start in the text, in bytes.
    pub at: usize,
    /// Its namespace; empty for none. An attribute without a prefix has none.
    pub namespace: Cow<'a, str>,
    /// Its name without a prefix.
    pub name: &'a str,
    /// Its value, with references resolved and white space as blanks.
    pub value: Cow<'a, str>,
}

/// One attribute as written, or a declaration.
#[derive(Clone, Debug)]
pub(crate) struct RawAttribute<'a> {
    /// Its start in the text.
    pub(crate) at: usize,
    pub(crate) name: &'a str,
    pub(crate) value: Cow<'a, str>,
}

impl<'a> RawAttribute<'a> {
    /// The prefix that it declares, empty for the default namespace; none if it is not a declaration.
    pub(crate) fn declared(&self) -> Option<&'a str> {
        match self.name.split_once(':') {
            Some(("xmlns", prefix)) => Some(prefix),
            None if self.name == "xmlns" => Some(""),
            _ => None,
        }
    }
}

/// Reads the attributes in `text[at..end]`, which begins behind a name.
pub(crate) fn attributes(text: &str, mut at: usize, end: usize) -> Result<Vec<RawAttribute<'_>>, Fault> {
    let bytes = text.as_bytes();
    let mut attributes: Vec<RawAttribute<'_>> = Vec::new();
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
        attributes.push(RawAttribute { at: start, name, value });
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
