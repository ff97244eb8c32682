//! JSON of request bodies in which an object may not have a member twice: else the last one would count, unseen.

use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::trouble::shown;

/// A value. No object in it has a member twice.
pub(crate) struct Unique(pub(crate) Value);

/// An object, in which no object has a member twice.
#[derive(Default)]
pub(crate) struct Members(pub(crate) Map<String, Value>);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Values)
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Unique::deserialize(from)? {
            Unique(Value::Object(members)) => Ok(Self(members)),
            _ => Err(D::Error::custom("expected an object")),
        }
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Unique, E> {
        Ok(Unique(Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Unique, E> {
        Ok(Unique(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Unique, A::Error> {
        let mut found = Vec::new();
        while let Some(Unique(value)) = elements.next_element()? {
            found.push(value);
        }
        Ok(Unique(Value::Array(found)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Unique, A::Error> {
        let mut found = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if found.contains_key(&name) {
                let name = shown(name.as_bytes());
                return Err(A::Error::custom(format_args!("the member '{name}' is there twice")));
            }
            let Unique(value) = members.next_value()?;
            found.insert(name, value);
        }
        Ok(Unique(Value::Object(found)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Result<Value, String> {
        serde_json::from_str(text).map(|Unique(value)| value).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_those_of_the_text() {
        let text = r#" {"a":[1,-2,2.5,"x\n",null,true,{}],"b":{"a":18446744073709551615,"A":[]}} "#;
        assert_eq!(read(text), Ok(serde_json::from_str(text).expect("JSON")));
        assert_eq!(read("3"), Ok(json!(3)));
    }

    #[test]
    fn a_member_that_is_there_twice_is_refused_at_any_depth() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"c":2,"\u0061":3}}]"#] {
            let error = read(text).expect_err(text);
            assert!(error.starts_with("the member 'a' is there twice at line 1 column "), "{error}");
        }
        assert!(serde_json::from_str::<Members>("[]").is_err());
    }
}
