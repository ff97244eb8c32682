//! The values that the text of a parameter may become by its schema: a number, a truth value or the text
//! itself.

use expression::{Number, Value};

use super::{SchemaId, Schemas, Types};

/// Types that a parameter's text, or each of its elements, may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextTypes {
    /// The types of a parameter with one value.
    pub(crate) single: Types,
    /// The types of the elements, if the parameter is an array.
    pub(crate) element: Types,
}

/// Types that the texts of an object's members may become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemberTypes {
    /// The members that the schema names.
    named: Vec<(Box<str>, MemberType)>,
    others: MemberType,
}

impl MemberTypes {
    pub(crate) fn of(&self, name: &str) -> MemberType {
        self.named.iter().find(|(known, _)| **known == *name).map_or(self.others, |(_, found)| *found)
    }
}

/// Types that the texts of one member may become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemberType {
    pub(crate) types: TextTypes,
    /// It may occur more than once: each text is an element.
    pub(crate) is_array: bool,
}

impl Default for TextTypes {
    fn default() -> Self {
        Self { single: Types::STRING, element: Types::STRING }
    }
}

/// The most schemas that are read for the types of one parameter.
const LOOKED_INTO_MAX: usize = 200;

/// The types of a parameter with this schema.
pub(crate) fn text_types(schemas: &Schemas, id: SchemaId) -> TextTypes {
    let mut left = LOOKED_INTO_MAX;
    let single = types(schemas, id, &mut left);
    let mut pending = vec![id];
    let mut element = None;
    while let Some(id) = pending.pop().filter(|_| left > 0) {
        left -= 1;
        let schema = schemas.get(id);
        if let Some(items) = schema.array.as_ref().and_then(|rules| rules.rest) {
            element = Some(types(schemas, items, &mut left));
            break;
        }
        pending.extend(&schema.all);
        pending.extend(schema.alternatives.iter().flat_map(|alternatives| &alternatives.schemas));
    }
    // A value without a type could be a text, so it does not become a number.
    let text = |types: Types| if types == Types::ALL { Types::STRING } else { types };
    TextTypes { single: text(single), element: text(element.unwrap_or(Types::ALL)) }
}

/// The types of the members of a parameter with this schema.
pub(crate) fn member_types(schemas: &Schemas, id: SchemaId) -> MemberTypes {
    let mut left = LOOKED_INTO_MAX;
    let mut found = MemberTypes::default();
    let of = |id: SchemaId| {
        let mut left = LOOKED_INTO_MAX;
        let all = types(schemas, id, &mut left);
        MemberType { types: text_types(schemas, id), is_array: all != Types::ALL && all.has(Types::ARRAY) }
    };
    let mut pending = vec![id];
    while let Some(id) = pending.pop().filter(|_| left > 0) {
        left -= 1;
        let schema = schemas.get(id);
        if let Some(rules) = &schema.object {
            for property in &rules.properties {
                if found.named.iter().all(|(known, _)| *known != property.name) {
                    found.named.push((property.name.clone(), of(property.schema)));
                }
            }
            found.others = rules.others.map_or(found.others, of);
        }
        pending.extend(&schema.all);
        pending.extend(schema.alternatives.iter().flat_map(|alternatives| &alternatives.schemas));
    }
    found
}

fn types(schemas: &Schemas, id: SchemaId, left: &mut usize) -> Types {
    if *left == 0 {
        return Types::ALL;
    }
    *left -= 1;
    let schema = schemas.get(id);
    let mut found = schema.types;
    for values in &schema.values {
        found = found.and(values.iter().fold(Types::NONE, |all, value| all.or(Types::of(value))));
    }
    for inner in &schema.all {
        found = found.and(types(schemas, *inner, left));
    }
    for alternatives in &schema.alternatives {
        let any = alternatives.schemas.iter().fold(Types::NONE, |all, id| all.or(types(schemas, *id, left)));
        found = found.and(any);
    }
    found
}

impl Types {
    /// The value of a text. If it fits none of the types, it stays text, so that the schema refuses it.
    pub(crate) fn value_of(self, text: &str) -> Value {
        if self.meets(Types::NUMBER)
            && let Some(number) = number(text)
            && (self.meets(Types::of(&Value::Number(number.clone()))) || !self.has(Types::STRING))
        {
            return Value::Number(number);
        }
        match text {
            "true" if self.has(Types::BOOLEAN) => Value::Bool(true),
            "false" if self.has(Types::BOOLEAN) => Value::Bool(false),
            "" if self.has(Types::NULL) && !self.has(Types::STRING) => Value::Null,
            _ => Value::from(text),
        }
    }
}

/// A number in JSON's grammar. Leading zeros are accepted too, because keys of fixed length have them.
fn number(text: &str) -> Option<Number> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    let short = digits.trim_start_matches('0');
    if short.len() == digits.len() {
        return Number::parse(text);
    }
    let zero = if short.starts_with(|first: char| first.is_ascii_digit()) { "" } else { "0" };
    Number::parse(&format!("{sign}{zero}{short}"))
}

/// The default of a schema, or of the target of its reference.
pub(crate) fn default_of(schemas: &Schemas, id: SchemaId) -> Option<Value> {
    let mut pending = vec![id];
    let mut left = LOOKED_INTO_MAX;
    while let Some(id) = pending.pop().filter(|_| left > 0) {
        left -= 1;
        let schema = schemas.get(id);
        if schema.default.is_some() {
            return schema.default.clone();
        }
        pending.extend(schema.all.iter().rev());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_what_their_types_say() {
        let number = |text: &str| Value::Number(Number::parse(text).expect("a number"));
        let null_or_integer = Types::NULL.or(Types::INTEGER);
        let cases = [
            (Types::INTEGER, "007", number("7")),
            (Types::INTEGER, "-0", number("0")),
            (Types::NUMBER, "00.50", number("0.5")),
            (Types::NUMBER, "12345678901234567890.05", number("12345678901234567890.05")),
            (Types::NUMBER, "1.", Value::from("1.")),
            (Types::NUMBER, "0x1", Value::from("0x1")),
            (Types::INTEGER, "", Value::from("")),
            (Types::STRING, "007", Value::from("007")),
            (Types::STRING.or(Types::INTEGER), "1.5", Value::from("1.5")),
            (Types::STRING.or(Types::INTEGER), "15", number("15")),
            (Types::BOOLEAN, "true", Value::Bool(true)),
            (Types::BOOLEAN, "TRUE", Value::from("TRUE")),
            (null_or_integer, "", Value::Null),
        ];
        for (types, text, value) in cases {
            assert_eq!(types.value_of(text), value, "{text:?} as {}", types.words());
        }
    }
}
