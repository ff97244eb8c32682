//! The JSON Schema that follows from a layout: types, lengths, limits, in the order of the copybook.

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::value::RawValue;

use crate::decimal::Decimal;
use crate::model::{Member, Node};
use crate::slot::{Codec, Slot};

/// A schema, in the part of JSON Schema that layouts need. It serialises as JSON Schema 2020-12, which OpenAPI 3.1
/// takes as it is, and Swagger 2.0 without `multipleOf`.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// `object`, `array`, `string`, `integer` or `number`.
    pub kind: &'static str,
    /// A sentence for the reader.
    pub description: Option<String>,
    /// Members of an object, in order.
    pub properties: Vec<(String, Schema)>,
    /// Members that must be there.
    pub required: Vec<String>,
    /// No other members are allowed.
    pub closed: bool,
    /// The schema of an array's elements.
    pub items: Option<Box<Schema>>,
    /// The least number of elements.
    pub min_items: Option<usize>,
    /// The greatest number of elements.
    pub max_items: Option<usize>,
    /// The greatest number of characters.
    pub max_length: Option<usize>,
    /// The least value, as decimal text.
    pub minimum: Option<String>,
    /// The greatest value, as decimal text.
    pub maximum: Option<String>,
    /// The unit of the last decimal place, as decimal text.
    pub multiple_of: Option<String>,
    /// `decimal` for numbers with decimal places.
    pub format: Option<&'static str>,
}

impl Schema {
    /// An object with members, with none required.
    #[must_use]
    pub fn object(properties: Vec<(String, Schema)>) -> Self {
        Self { kind: "object", properties, ..Self::default() }
    }

    /// The same schema without `multipleOf`, which tools for Swagger 2.0 do not expect.
    #[must_use]
    pub fn without_multiple_of(mut self) -> Self {
        self.multiple_of = None;
        self.properties =
            self.properties.into_iter().map(|(name, schema)| (name, schema.without_multiple_of())).collect();
        self.items = self.items.map(|items| Box::new(items.without_multiple_of()));
        self
    }
}

impl Serialize for Schema {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind)?;
        if let Some(description) = &self.description {
            map.serialize_entry("description", description)?;
        }
        if let Some(format) = self.format {
            map.serialize_entry("format", format)?;
        }
        if self.kind == "object" {
            map.serialize_entry("properties", &Properties(&self.properties))?;
            if !self.required.is_empty() {
                map.serialize_entry("required", &self.required)?;
            }
            if self.closed {
                map.serialize_entry("additionalProperties", &false)?;
            }
        }
        let limits =
            [("minItems", self.min_items), ("maxItems", self.max_items), ("maxLength", self.max_length)];
        for (key, limit) in limits {
            if let Some(limit) = limit {
                map.serialize_entry(key, &limit)?;
            }
        }
        if let Some(items) = &self.items {
            map.serialize_entry("items", items)?;
        }
        let numbers =
            [("minimum", &self.minimum), ("maximum", &self.maximum), ("multipleOf", &self.multiple_of)];
        for (key, number) in numbers {
            if let Some(number) = number {
                // Raw, because a number of 18 digits does not survive as a float.
                let raw = RawValue::from_string(number.clone()).map_err(serde::ser::Error::custom)?;
                map.serialize_entry(key, &raw)?;
            }
        }
        map.end()
    }
}

struct Properties<'a>(&'a [(String, Schema)]);

impl Serialize for Properties<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, schema)| (name, schema)))
    }
}

/// How a record is described: what a request may leave out or add differs from what a response has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaRules {
    /// Unknown members are refused.
    pub(crate) closed: bool,
    /// A record may be cut, and tables then have fewer rows.
    pub(crate) rows_may_be_missing: bool,
}

/// The schema of an object with these members.
pub(crate) fn object_schema(members: &[Member], rules: SchemaRules) -> Schema {
    let properties =
        members.iter().map(|member| (member.name.clone(), member_schema(member, rules))).collect();
    let required =
        members.iter().filter(|member| member.required).map(|member| member.name.clone()).collect();
    Schema { required, closed: rules.closed, ..Schema::object(properties) }
}

fn member_schema(member: &Member, rules: SchemaRules) -> Schema {
    let value = match &member.node {
        Node::Object(members) => object_schema(members, rules),
        Node::Scalar(slot) => scalar_schema(slot),
    };
    let schema = match member.table {
        None => value,
        Some(table) => Schema {
            kind: "array",
            // An array without rows is left out, so one that is there has a row at least.
            min_items: Some(if rules.rows_may_be_missing { 0 } else { table.min }),
            max_items: Some(table.max),
            items: Some(Box::new(value)),
            ..Schema::default()
        },
    };
    Schema { description: member.description.clone(), ..schema }
}

/// The schema of an elementary field. Text of `n` bytes has at most `n` characters; a number has the limits of its
/// picture's digits (z/OS Connect's rule, not the limits of its bytes).
pub(crate) fn scalar_schema(slot: &Slot) -> Schema {
    match &slot.codec {
        Codec::Text(_) => Schema { kind: "string", max_length: Some(slot.bytes), ..Schema::default() },
        Codec::Number(codec) => {
            let decimal = |mantissa| Decimal { mantissa, scale: codec.scale }.to_string();
            let fractional = codec.scale > 0;
            Schema {
                kind: if fractional { "number" } else { "integer" },
                format: fractional.then_some("decimal"),
                minimum: Some(decimal(codec.least)),
                maximum: Some(decimal(codec.greatest)),
                multiple_of: (codec.scale != 0).then(|| decimal(1)),
                ..Schema::default()
            }
        }
    }
}
