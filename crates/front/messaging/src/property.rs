//! User properties in a header: `name;value;type`, with commas between several.
//!
//! IBM's documents show the form for the predecessor of version 3 and for z/OS Connect. A text stands in quotes, in which a
//! backslash comes before a quote or a backslash. Types are those of MQRFH2 folders.

use std::fmt::Write;

/// A user property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: PropertyValue,
}

/// The value of a user property.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    /// `boolean`
    Boolean(bool),
    /// `i1`
    I1(i8),
    /// `i2`
    I2(i16),
    /// `i4`
    I4(i32),
    /// `i8`
    I8(i64),
    /// `r4`
    R4(f32),
    /// `r8`
    R8(f64),
    /// `string`
    Text(String),
}

/// Properties of one message.
pub const PROPERTIES_MAX: usize = 100;
/// Bytes of a name.
const NAME_MAX: usize = 4_095;

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

/// What stands behind a value without a type: nothing, or a comma and what follows it.
fn end(after: &str) -> Option<Option<&str>> {
    let after = after.trim_start();
    if after.is_empty() { Some(None) } else { after.strip_prefix(',').map(Some) }
}

/// Adds a property; none if there are too many, or one of the name already, or no name can be so.
pub(crate) fn add(found: &mut Vec<Property>, name: &str, value: PropertyValue) -> Option<()> {
    let mut characters = name.chars();
    let begins = characters.next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'));
    let goes_on = characters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
    let is_new = found.len() < PROPERTIES_MAX && found.iter().all(|known| known.name != name);
    if !(begins && goes_on && is_new && name.len() <= NAME_MAX) {
        return None;
    }
    found.push(Property { name: name.to_owned(), value });
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
    use PropertyValue::{Boolean, I1, I2, I4, I8, R4, R8, Text};
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
        "i1" => value.parse().ok().map(I1),
        "i2" => value.parse().ok().map(I2),
        "i4" => value.parse().ok().map(I4),
        "i8" => value.parse().ok().map(I8),
        "r4" => value.parse().ok().filter(|number: &f32| number.is_finite()).map(R4),
        "r8" => value.parse().ok().filter(|number: &f64| number.is_finite()).map(R8),
        _ => None,
    }
}

/// Writes properties as a header's value has them; none if there are none.
pub(crate) fn written(properties: &[Property]) -> Option<String> {
    use PropertyValue::{Boolean, I1, I2, I4, I8, R4, R8, Text};
    let mut text = String::new();
    for Property { name, value } in properties {
        if !text.is_empty() {
            text.push_str(", ");
        }
        // Writing to a string does not fail.
        let _ = match value {
            Boolean(value) => write!(text, "{name};{};boolean", if *value { "TRUE" } else { "FALSE" }),
            I1(value) => write!(text, "{name};{value};i1"),
            I2(value) => write!(text, "{name};{value};i2"),
            I4(value) => write!(text, "{name};{value};i4"),
            I8(value) => write!(text, "{name};{value};i8"),
            R4(value) => write!(text, "{name};{value};r4"),
            R8(value) => write!(text, "{name};{value};r8"),
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
            any::<i8>().prop_map(PropertyValue::I1),
            any::<i16>().prop_map(PropertyValue::I2),
            any::<i32>().prop_map(PropertyValue::I4),
            any::<i64>().prop_map(PropertyValue::I8),
            any::<f32>().prop_filter("finite", |number| number.is_finite()).prop_map(PropertyValue::R4),
            any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(PropertyValue::R8),
            "\\PC*".prop_map(PropertyValue::Text),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(values in prop::collection::vec(values(), 1..6)) {
            let named = values.into_iter().enumerate();
            let properties: Vec<_> = named.map(|(at, value)| Property { name: format!("p{at}"), value }).collect();
            let text = written(&properties).expect("some");
            prop_assert_eq!(parsed(&text), Some(properties), "{}", text);
        }
    }

    #[test]
    fn forms_that_clients_send() {
        let text = |name: &str, value: &str| Property {
            name: name.to_owned(),
            value: PropertyValue::Text(value.to_owned()),
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
        ] {
            assert!(bad == "a;" || parsed(bad).is_none(), "{bad}");
        }
    }
}
