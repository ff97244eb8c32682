//! Properties of a message: names with values that travel beside the body.

use std::fmt;

/// A property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    name: String,
    value: PropertyValue,
}

/// The value of a property, in the types of JMS and IBM MQ.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyValue {
    /// No value.
    Null,
    /// `boolean`
    Boolean(bool),
    /// `i1`
    Int8(i8),
    /// `i2`
    Int16(i16),
    /// `i4`
    Int32(i32),
    /// `i8`
    Int64(i64),
    /// `r4`
    Float32(f32),
    /// `r8`
    Float64(f64),
    /// `string`
    Text(String),
    /// Bytes without a known meaning.
    Bytes(Vec<u8>),
}

/// The most characters of a property's name, as in IBM MQ.
const NAME_BYTES_MAX: usize = 4095;

/// A text that cannot be the name of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyError(String);

impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PropertyError {}

impl Property {
    /// The name of the property with the queue from which a message came to its backout queue. Senders cannot
    /// set it; `gantry queue import` keeps it.
    pub const ORIGIN_QUEUE: &str = "gantry_origin_queue";

    /// A property. Its name begins with a letter, `_` or `$`; letters, digits, `_`, `$` and `.` follow.
    ///
    /// # Errors
    /// The name is empty, too long, or has other characters.
    pub fn new(name: &str, value: PropertyValue) -> Result<Self, PropertyError> {
        if name.len() > NAME_BYTES_MAX {
            let message = format!("expected a name of at most {NAME_BYTES_MAX} bytes, found {}", name.len());
            return Err(PropertyError(message));
        }
        let begins = |first: char| first.is_alphabetic() || matches!(first, '_' | '$');
        let follows = |next: char| next.is_alphanumeric() || matches!(next, '_' | '$' | '.');
        match name.chars().next() {
            Some(first) if begins(first) && name.chars().all(follows) => {
                Ok(Self { name: name.to_owned(), value })
            }
            None => Err(PropertyError("expected a name, found none".to_owned())),
            Some(_) => Err(PropertyError(format!(
                "expected a letter, _ or $, then letters, digits, _, $ and dots, found {name:?}"
            ))),
        }
    }

    /// Its name; case matters.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its value.
    #[must_use]
    pub fn value(&self) -> &PropertyValue {
        &self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_jms() {
        for good in ["colour", "_a", "$9", "usr.region", "größe"] {
            assert_eq!(Property::new(good, PropertyValue::Null).unwrap().name(), good);
        }
        for bad in ["", "9a", ".a", "a b", "a;b", "a\"", &"a".repeat(4096)] {
            assert!(Property::new(bad, PropertyValue::Null).is_err(), "{bad:?}");
        }
    }
}
