//! The JSON Schema that follows from a layout: types, lengths, limits, in the order of the copybook.

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::value::RawValue;
use xsd::TextType;

use std::cmp::Ordering;

use copybook::{Field, Kind, Literal};

use crate::decimal::Decimal;
use crate::fields::number_of;
use crate::model::{Member, Node, Shown, Table};
use crate::options::{EmptyRows, FloatForm};
use crate::policies::{LowValueText, Nulls};
use crate::rich::{Base, Form};
use crate::slot::{Codec, Limits, Slot};

/// A schema, in the part of JSON Schema that layouts need. It serialises as JSON Schema 2020-12. OpenAPI 3.1
/// takes this unchanged, Swagger 2.0 without `multipleOf`.
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
    /// `decimal` for numbers with decimal places, `date` for dates.
    pub format: Option<&'static str>,
    /// A regular expression that text matches.
    pub pattern: Option<&'static str>,
    /// `base16` or `base64`, for text that encodes bytes.
    pub content_encoding: Option<&'static str>,
    /// A value, if the limits do not show what values look like.
    pub example: Option<&'static str>,
    /// The values that are possible, each as JSON text.
    pub enumeration: Vec<String>,
    /// Alternatives: at least one of these schemas holds.
    pub any_of: Vec<Schema>,
    /// The value may be null.
    pub nullable: bool,
    /// The member is one of several views of the same bytes, and not every record shows it. This is for
    /// writers of other forms of JSON: JSON Schema has no word for it.
    pub is_view: bool,
    /// The number may have more digits than a double holds. This is for the same writers.
    pub is_wide: bool,
}

impl Schema {
    /// An object with members, with none required.
    #[must_use]
    pub fn object(properties: Vec<(String, Schema)>) -> Self {
        Self { kind: "object", properties, ..Self::default() }
    }

    /// The same schema in the form of Swagger 2.0: without `multipleOf`, `anyOf`, `contentEncoding` and null.
    #[must_use]
    pub fn without_multiple_of(mut self) -> Self {
        self.multiple_of = None;
        // These two came later as well.
        self.content_encoding = None;
        self.any_of.clear();
        self.properties =
            self.properties.into_iter().map(|(name, schema)| (name, schema.without_multiple_of())).collect();
        self.items = self.items.map(|items| Box::new(items.without_multiple_of()));
        self
    }
}

impl Serialize for Schema {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match (self.kind, self.nullable) {
            // Only limits. The type stands elsewhere.
            ("", _) => {}
            (kind, true) => map.serialize_entry("type", &[kind, "null"])?,
            (kind, false) => map.serialize_entry("type", kind)?,
        }
        if let Some(description) = &self.description {
            map.serialize_entry("description", description)?;
        }
        if let Some(format) = self.format {
            map.serialize_entry("format", format)?;
        }
        if let Some(pattern) = self.pattern {
            map.serialize_entry("pattern", pattern)?;
        }
        if let Some(encoding) = self.content_encoding {
            map.serialize_entry("contentEncoding", encoding)?;
        }
        if let Some(example) = self.example {
            map.serialize_entry("example", example)?;
        }
        if !self.enumeration.is_empty() {
            let raw: Result<Vec<_>, _> =
                self.enumeration.iter().cloned().map(RawValue::from_string).collect();
            map.serialize_entry("enum", &raw.map_err(serde::ser::Error::custom)?)?;
        }
        if !self.any_of.is_empty() {
            map.serialize_entry("anyOf", &self.any_of)?;
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
                // Raw text, because a number of 18 digits would lose digits as a float.
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

/// The rules of a description: requests and responses may leave out or add different members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaRules {
    /// Unknown members are refused.
    pub(crate) closed: bool,
    /// A record may be cut, and tables then have fewer rows.
    pub(crate) rows_may_be_missing: bool,
    /// Empty rows at the end of tables are left out.
    pub(crate) empty_rows: EmptyRows,
    /// True for a response: it leaves out empty tables and values to omit, and may have null.
    pub(crate) response: bool,
}

/// The schema of an object with these members.
pub(crate) fn object_schema(members: &[Member], rules: SchemaRules) -> Schema {
    let properties =
        members.iter().map(|member| (member.name.clone(), member_schema(member, rules))).collect();
    let required = members
        .iter()
        .filter(|member| member.required && !(rules.response && may_be_left_out(member, rules)))
        .map(|member| member.name.clone())
        .collect();
    Schema { required, closed: rules.closed, ..Schema::object(properties) }
}

/// True if a response may leave out a member that a request must have.
fn may_be_left_out(member: &Member, rules: SchemaRules) -> bool {
    let omitted = match &member.node {
        Node::Scalar(Slot { codec: Codec::Rich(rich), .. }) => rich.may_be_omitted(),
        _ => false,
    };
    let is_short =
        |table: Table| table.counter.is_some() || rules.rows_may_be_missing || omits_rows(member, rules);
    omitted || member.table.is_some_and(is_short)
}

/// True if empty rows at the end of the member's table are left out.
fn omits_rows(member: &Member, rules: SchemaRules) -> bool {
    let of_groups = matches!(member.node, Node::Object(_));
    member.table.is_some_and(|table| table.counter.is_none()) && rules.empty_rows.omits(of_groups)
}

fn member_schema(member: &Member, rules: SchemaRules) -> Schema {
    let value = match &member.node {
        Node::Object(members) => object_schema(members, rules),
        Node::Scalar(slot) => {
            let mut schema = scalar_schema(slot);
            if let Codec::Rich(rich) = &slot.codec {
                let refuses = rich.policies.nulls == Nulls::Refuse;
                schema.nullable = if rules.response { rich.may_be_null() } else { !refuses };
            }
            if let Some(listed) = &member.listed {
                list(&mut schema, listed);
            }
            schema
        }
    };
    let schema = match member.table {
        None => value,
        Some(table) => Schema {
            kind: "array",
            // An array without rows is left out, so an array that is there has at least one row.
            min_items: Some(match rules.rows_may_be_missing && (rules.response || table.counter.is_none()) {
                true => 0,
                false if omits_rows(member, rules) => 0,
                false => table.min,
            }),
            max_items: Some(table.max),
            items: Some(Box::new(value)),
            ..Schema::default()
        },
    };
    let is_view = member.view.as_ref().is_some_and(|view| view.shown != Shown::Always);
    Schema { description: member.description.clone(), is_view, ..schema }
}

/// A value of a condition name.
#[derive(Clone, Debug)]
pub(crate) enum Listed {
    /// As decimal text.
    Number(String),
    Text(String),
}

/// The values and ranges of a field's condition names; none if it has none, or if JSON cannot show some of
/// them.
pub(crate) fn listed(field: &Field, node: &Node) -> Option<Vec<(Listed, Option<Listed>)>> {
    let Node::Scalar(slot) = node else { return None };
    // Dates and similar formats have other values than the field.
    if let Codec::Rich(rich) = &slot.codec
        && !matches!(rich.form, Form::Plain | Form::Quoted | Form::Typed { .. })
    {
        return None;
    }
    let limits = slot.codec.limits();
    // Condition names of floating point are not exact numbers, and are not enforced either.
    if field.kind == Kind::Float {
        return None;
    }
    let value = |literal: &Literal| match (limits, literal) {
        (Some(limits), literal) => {
            let mantissa = number_of(literal, limits.scale)?;
            Some(Listed::Number(Decimal { mantissa, scale: limits.scale }.to_string()))
        }
        (None, Literal::Text(text) | Literal::Number(text)) => Some(Listed::Text(text.trim_end().to_owned())),
        (None, Literal::Spaces) => Some(Listed::Text(String::new())),
        _ => None,
    };
    let values = field.conditions.iter().flat_map(|condition| &condition.values);
    let listed: Option<Vec<_>> = values
        .map(|(first, last)| match last {
            None => Some((value(first)?, None)),
            Some(last) => Some((value(first)?, Some(value(last)?))),
        })
        .collect();
    listed.filter(|listed| !listed.is_empty())
}

/// Adds the values of condition names: an enumeration if there are only single ones, else a choice of ranges. JSON
/// Schema has no ranges of text, so that text with a range is not limited.
fn list(schema: &mut Schema, listed: &[(Listed, Option<Listed>)]) {
    let json = |value: &Listed| match value {
        Listed::Number(number) if schema.kind != "string" => number.clone(),
        Listed::Number(text) | Listed::Text(text) => {
            let mut json = Vec::new();
            crate::json::write_string(text, &mut json);
            String::from_utf8_lossy(&json).into_owned()
        }
    };
    let mut singles: Vec<String> = Vec::new();
    let mut ranges = Vec::new();
    for (first, last) in listed {
        match (first, last) {
            (first, None) => {
                let json = json(first);
                if !singles.contains(&json) {
                    singles.push(json);
                }
            }
            (Listed::Number(least), Some(Listed::Number(greatest))) if schema.kind != "string" => {
                let (minimum, maximum) = (Some(least.clone()), Some(greatest.clone()));
                ranges.push(Schema { minimum, maximum, ..Schema::default() });
            }
            _ => return,
        }
    }
    if ranges.is_empty() {
        if schema.nullable {
            singles.push("null".to_owned());
        }
        schema.enumeration = singles;
        return;
    }
    if !singles.is_empty() {
        ranges.push(Schema { enumeration: singles, ..Schema::default() });
    }
    match <[Schema; 1]>::try_from(ranges) {
        // The options may give narrower limits.
        Ok([range]) => {
            schema.minimum = tighter(schema.minimum.take(), range.minimum, Ordering::Greater);
            schema.maximum = tighter(schema.maximum.take(), range.maximum, Ordering::Less);
        }
        Err(several) => schema.any_of = several,
    }
}

/// The greater or the lesser of two limits.
fn tighter(own: Option<String>, listed: Option<String>, wanted: Ordering) -> Option<String> {
    let number = |text: &String| Decimal::from_text(text.as_bytes()).ok();
    let order =
        own.as_ref().and_then(number).zip(listed.as_ref().and_then(number)).and_then(|(own, listed)| {
            let scale = own.scale.max(listed.scale);
            Some(own.scaled_to(scale).ok()?.cmp(&listed.scaled_to(scale).ok()?))
        });
    if order == Some(wanted) { own } else { listed.or(own) }
}

fn decimal_schema(limits: &Limits) -> Schema {
    let decimal = |mantissa| Decimal { mantissa, scale: limits.scale }.to_string();
    let fractional = limits.scale > 0;
    Schema {
        kind: if fractional { "number" } else { "integer" },
        format: fractional.then_some("decimal"),
        minimum: Some(decimal(limits.least)),
        maximum: Some(decimal(limits.greatest)),
        multiple_of: (limits.scale != 0).then(|| decimal(1)),
        ..Schema::default()
    }
}

fn text_schema(characters: usize) -> Schema {
    Schema { kind: "string", max_length: Some(characters), ..Schema::default() }
}

/// The schema of an elementary field. Text of `n` bytes has at most `n` characters; a number has the limits of its
/// picture's digits (z/OS Connect's rule, not the limits of its bytes).
pub(crate) fn scalar_schema(slot: &Slot) -> Schema {
    let rich = match &slot.codec {
        Codec::Text(_) => return text_schema(slot.bytes),
        Codec::Number(codec) => return decimal_schema(&codec.limits),
        Codec::Rich(rich) => rich,
    };
    let encoded = |content_encoding, characters: usize| Schema {
        content_encoding: Some(content_encoding),
        ..text_schema(characters)
    };
    match (&rich.form, &rich.base) {
        (Form::Hex, _) => encoded("base16", slot.bytes * 2),
        (Form::Base64, _) => encoded("base64", slot.bytes.div_ceil(3) * 4),
        (Form::Typed { kind, .. }, _) => Schema {
            content_encoding: match kind {
                TextType::HexBinary => Some("base16"),
                TextType::Base64Binary => Some("base64"),
                _ => None,
            },
            example: Some(kind.example()).filter(|example| example.len() <= slot.bytes),
            ..text_schema(slot.bytes)
        },
        (Form::Boolean { .. }, _) => Schema { kind: "boolean", ..Schema::default() },
        (Form::Date(format), _) => Schema {
            kind: "string",
            format: format.schema_format(),
            pattern: Some(format.schema_pattern()),
            ..Schema::default()
        },
        (Form::Quoted, _) => Schema {
            kind: "string",
            pattern: Some(r"^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$"),
            ..Schema::default()
        },
        (Form::Plain, Base::Number(codec)) => decimal_schema(&codec.limits),
        (Form::Plain, Base::EditedNumber { limits, .. }) => decimal_schema(limits),
        (Form::Plain, Base::Float(codec)) => Schema {
            is_wide: codec.form == FloatForm::Ibm && slot.bytes == 8,
            kind: "number",
            format: Some(if slot.bytes == 4 { "float" } else { "double" }),
            ..Schema::default()
        },
        (Form::Plain, base) => match base {
            Base::Text { most: Some(most), .. } => text_schema(*most),
            Base::Text { encoding, .. }
                if matches!(encoding.form(), codepage::Form::DoubleByte | codepage::Form::Utf16) =>
            {
                text_schema(slot.bytes / 2)
            }
            Base::EditedText { plan, .. } => text_schema(plan.length()),
            _ if rich.policies.low_value_text == LowValueText::End => {
                text_schema(slot.bytes.saturating_sub(1))
            }
            _ => text_schema(slot.bytes),
        },
    }
}
