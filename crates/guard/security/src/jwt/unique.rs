//! JSON objects of tokens. No name may occur twice, because readers disagree about which value
//! counts.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Why a text is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is not exactly one JSON object.
    Form,
    /// A name occurs twice in one object, at any depth.
    Twice,
}

/// Reads one object with all its content.
pub(super) fn object(text: &[u8]) -> Result<Map<String, Value>, Fault> {
    let twice = Cell::new(false);
    let mut reader = serde_json::Deserializer::from_slice(text);
    let read =
        Unique { twice: &twice }.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    match read {
        Ok(Value::Object(members)) => Ok(members),
        Err(_) if twice.get() => Err(Fault::Twice),
        _ => Err(Fault::Form),
    }
}

/// Reads a value. `twice` notes a repeated name, because serde's errors are only text.
#[derive(Clone, Copy)]
struct Unique<'t> {
    twice: &'t Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = elements.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut found = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if found.contains_key(&name) {
                self.twice.set(true);
                return Err(A::Error::custom("a name occurs twice"));
            }
            found.insert(name, members.next_value_seed(self)?);
        }
        Ok(Value::Object(found))
    }
}
