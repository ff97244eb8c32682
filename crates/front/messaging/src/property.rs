//! User properties in a header: `name;value;type`, with commas between several.
//!
//! IBM's documents show the form for the predecessor of version 3 and for z/OS Connect. A text stands in quotes, in which a
//! backslash comes before a quote or a backslash. Types are those of MQRFH2 folders.

use std::fmt::Write;

use message::{Property, PropertyValue};

use crate::descriptor::CORRELATION_TEXT;

/// Properties of one message.
pub const PROPERTIES_MAX: usize = 100;

/// Bytes of the header with the properties of a message that is got. A put has no longer one, because its headers together are not
/// longer than that (`limits.header_max_bytes`).
pub const PROPERTIES_HEADER_BYTES_MAX: usize = 64 * 1024;

/// Reads a header's value; none if it cannot be read.
pub(crate) fn parse(text: &str, found: &mut Vec<Property>) -> Option<()> {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once(';')?;
        let name = name.trim();
        let (value, quoted, after) = value(after.trim_start())?;
        let (kind, after) = match after.trim_start().strip_prefix(';') {
            Some(after) => match after.split_once(',') {
                Some((kind, after)) => (kind.trim(), Some(after)),
                None => (after.trim(), None),
            },
            None => ("string", end(after)?),
        };
        let is_last = after.is_none_or(|after| after.trim().is_empty());
        // A comma promises one more.
        if after.is_some() && is_last {
            return None;
        }
        add(found, name, typed(kind, value, quoted)?)?;
        rest = after.unwrap_or_default().trim();
    }
    Some(())
}

/// The text behind a value without a type: nothing, or a comma and more.
fn end(after: &str) -> Option<Option<&str>> {
    let after = after.trim_start();
    if after.is_empty() { Some(None) } else { after.strip_prefix(',').map(Some) }
}

/// Names that senders cannot use: another header, or the queue manager, sets these properties.
const RESERVED: [&str; 2] = [CORRELATION_TEXT, Property::ORIGIN_QUEUE];

/// Adds a property; none if there are too many, or one of the name already, or no name can be so.
pub(crate) fn add(found: &mut Vec<Property>, name: &str, value: PropertyValue) -> Option<()> {
    let is_taken = RESERVED.contains(&name) || found.iter().any(|known| known.name() == name);
    if found.len() >= PROPERTIES_MAX || is_taken {
        return None;
    }
    found.push(Property::new(name, value).ok()?);
    Some(())
}

/// A value, whether it was quoted, and what follows it.
fn value(text: &str) -> Option<(String, bool, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        return Some((text[..end].trim_end().to_owned(), false, &text[end..]));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((value, true, &quoted[at + 1..])),
            '\\' => value.push(characters.next()?.1),
            _ => value.push(c),
        }
    }
    None
}

fn typed(kind: &str, value: String, quoted: bool) -> Option<PropertyValue> {
    use PropertyValue::{Boolean, Float32, Float64, Int8, Int16, Int32, Int64, Text};
    if kind == "string" {
        return Some(Text(value));
    }
    if quoted {
        return None;
    }
    match kind {
        "boolean" => match &*value.to_ascii_lowercase() {
            "true" | "1" => Some(Boolean(true)),
            "false" | "0" => Some(Boolean(false)),
            _ => None,
        },
        "i1" => value.parse().ok().map(Int8),
        "i2" => value.parse().ok().map(Int16),
        "i4" => value.parse().ok().map(Int32),
        "i8" => value.parse().ok().map(Int64),
        "r4" => value.parse().ok().filter(|number: &f32| number.is_finite()).map(Float32),
        "r8" => value.parse().ok().filter(|number: &f64| number.is_finite()).map(Float64),
        _ => None,
    }
}

/// Writes properties as a header's value has them; none if there are none. A property without a value, one of
/// bytes, and a text with control characters cannot stand in a header.
pub(crate) fn written<'p>(properties: impl Iterator<Item = &'p Property>) -> Option<String> {
    use PropertyValue::{Boolean, Bytes, Float32, Float64, Int8, Int16, Int32, Int64, Null, Text};
    let mut text = String::new();
    for property in properties {
        let name = property.name();
        let is_left_out = match property.value() {
            Null | Bytes(_) => true,
            Text(value) => value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t'),
            _ => false,
        };
        if is_left_out {
            continue;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        // Writing to a string does not fail.
        let _ = match property.value() {
            Null | Bytes(_) => Ok(()),
            Boolean(value) => write!(text, "{name};{};boolean", if *value { "TRUE" } else { "FALSE" }),
            Int8(value) => write!(text, "{name};{value};i1"),
            Int16(value) => write!(text, "{name};{value};i2"),
            Int32(value) => write!(text, "{name};{value};i4"),
            Int64(value) => write!(text, "{name};{value};i8"),
            Float32(value) => write!(text, "{name};{value};r4"),
            Float64(value) => write!(text, "{name};{value};r8"),
            Text(value) => {
                let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
                write!(text, "{name};\"{escaped}\";string")
            }
        };
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Option<Vec<Property>> {
        let mut found = Vec::new();
        parse(text, &mut found).map(|()| found)
    }

    fn values() -> impl Strategy<Value = PropertyValue> {
        prop_oneof![
            any::<bool>().prop_map(PropertyValue::Boolean),
            any::<i8>().prop_map(PropertyValue::Int8),
            any::<i16>().prop_map(PropertyValue::Int16),
            any::<i32>().prop_map(PropertyValue::Int32),
            any::<i64>().prop_map(PropertyValue::Int64),
            any::<f32>().prop_filter("finite", |number| number.is_finite()).prop_map(PropertyValue::Float32),
            any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(PropertyValue::Float64),
            "\\PC*".prop_map(PropertyValue::Text),
        ]
    }

    #[test]
    fn a_text_that_no_header_can_have_leaves_the_others() {
        let text = |name: &str, value: &str| {
            Property::new(name, PropertyValue::Text(value.to_owned())).expect("a name")
        };
        let properties =
            [text("a", "low\0"), text("b", "two\r\nlines"), text("c", "del\x7F"), text("d", "tab\t")];
        let written = written(properties.iter()).expect("one of them");
        assert_eq!(written, "d;\"tab\t\";string");
        assert!(http::HeaderValue::from_bytes(written.as_bytes()).is_ok());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(values in prop::collection::vec(values(), 1..6)) {
            let named = values.into_iter().enumerate();
            let properties: Vec<_> = named
                .map(|(at, value)| Property::new(&format!("p{at}"), value).expect("a name"))
                .collect();
            let text = written(properties.iter()).expect("some");
            prop_assert_eq!(parsed(&text), Some(properties), "{}", text);
        }
    }

    #[test]
    fn forms_that_clients_send() {
        let text = |name: &str, value: &str| {
            Property::new(name, PropertyValue::Text(value.to_owned())).expect("a name")
        };
        assert_eq!(parsed("color;\"red, or; not\";string"), Some(vec![text("color", "red, or; not")]));
        assert_eq!(parsed("a;b,c;d"), Some(vec![text("a", "b"), text("c", "d")]));
        assert_eq!(parsed(""), Some(vec![]));
        for bad in [
            "a",
            "a;",
            "a;1;i9",
            "a;x;i4",
            "a;\"1\";i4",
            "a;\"x",
            "1a;b",
            "a;b,",
            "a;b;string,",
            "a;1,a;2",
            "a;NaN;r8",
            "JMSCorrelationID;\"x\";string",
            "gantry_origin_queue;\"Q\";string",
        ] {
            assert!(bad == "a;" || parsed(bad).is_none(), "{bad}");
        }
    }
}
