//! A request that fits a record: JSON that the record takes and can show again.

use std::collections::HashMap;

use copybook::{Field, FieldId, Layout, Literal};
use record::{Bind, Schema};
use serde_json::{Map, Value, json};

/// The rows of a table in a sample. A table that needs more rows is left out.
const ROWS_MAX: usize = 2;
/// The characters of a text in a sample.
const TEXT_MAX: usize = 8;

/// The JSON of a request. A field with condition names (level 88) gets the first of their values. A text gets its VALUE.
///
/// # Errors
/// The record's own initial values cannot be shown, and no other values can be made.
pub(crate) fn sample(layout: &Layout, bind: &Bind) -> Result<Value, String> {
    if let Some(value) = value_of("", &bind.request_schema())
        && is_answered(bind, &value)
    {
        let mut chosen = value.clone();
        let with_conditions = |(path, id): (String, FieldId)| {
            let field = layout.field(id);
            (!field.conditions.is_empty() || field.value.is_some()).then_some((path, field))
        };
        choose(&mut chosen, "", &bind.fields().into_iter().filter_map(with_conditions).collect());
        return Ok(if is_answered(bind, &chosen) { chosen } else { value });
    }
    let mut record = Vec::new();
    bind.encode(b"{}", &mut record).map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    bind.decode(&record, &mut text).map_err(|error| error.to_string())?;
    let value: Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    // The record may show views that a request must choose from.
    Ok(if is_answered(bind, &value) { value } else { json!({}) })
}

/// Puts values of condition names, and those of VALUE clauses, into members of objects.
fn choose(value: &mut Value, path: &str, fields: &HashMap<String, &Field>) {
    let Value::Object(members) = value else { return };
    for (name, value) in members {
        let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        choose(value, &path, fields);
        let Some(field) = fields.get(&path) else { continue };
        let mut values = field.conditions.iter().flat_map(|condition| &condition.values);
        let found = values.find_map(|(literal, _)| match (literal, &*value) {
            (Literal::Text(text), Value::String(_)) => Some(Value::from(text.trim_end())),
            (Literal::Number(number), Value::Number(_)) => serde_json::from_str(number).ok(),
            (Literal::Number(number), Value::String(_)) => Some(Value::from(number.as_str())),
            _ => None,
        });
        let own = || match (&field.value, &*value) {
            (Some(Literal::Text(text)), Value::String(_)) if !text.trim().is_empty() => {
                Some(Value::from(text.trim_end()))
            }
            _ => None,
        };
        if let Some(found) = found.or_else(own) {
            *value = found;
        }
    }
}

/// True if the record takes the JSON, and can show it afterwards.
fn is_answered(bind: &Bind, value: &Value) -> bool {
    let mut record = Vec::new();
    bind.encode(value.to_string().as_bytes(), &mut record).is_ok()
        && bind.decode(&record, &mut Vec::new()).is_ok()
}

/// A value that fits a schema; none if the value should be left out.
fn value_of(name: &str, schema: &Schema) -> Option<Value> {
    if let Some(first) = schema.enumeration.first() {
        return serde_json::from_str(first).ok();
    }
    if schema.format == Some("date") || schema.pattern.is_some() || schema.content_encoding.is_some() {
        return None;
    }
    match schema.kind {
        "object" => {
            let mut members = Map::new();
            let mut has_view = false;
            for (name, schema) in &schema.properties {
                if schema.is_view && std::mem::replace(&mut has_view, true) {
                    continue;
                }
                if let Some(value) = value_of(name, schema) {
                    members.insert(name.clone(), value);
                }
            }
            Some(Value::Object(members))
        }
        "array" => {
            let rows = schema.min_items.unwrap_or(0).max(1);
            let row = value_of(name, schema.items.as_ref()?)?;
            let fits = rows <= ROWS_MAX && schema.max_items.is_none_or(|max| rows <= max);
            fits.then(|| Value::Array(vec![row; rows]))
        }
        "integer" | "number" => number(schema),
        "string" => {
            let text: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
            let length = schema.max_length.unwrap_or(TEXT_MAX).min(TEXT_MAX);
            Some(text.to_ascii_uppercase().chars().take(length).collect::<String>().into())
        }
        _ => None,
    }
}

/// 1, or the nearest limit.
fn number(schema: &Schema) -> Option<Value> {
    let limit = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<f64>().ok());
    let above = limit(&schema.minimum).is_some_and(|least| least > 1.0);
    let below = limit(&schema.maximum).is_some_and(|greatest| greatest < 1.0);
    match (above, below) {
        (true, _) => serde_json::from_str(schema.minimum.as_ref()?).ok(),
        (_, true) => serde_json::from_str(schema.maximum.as_ref()?).ok(),
        _ => Some(json!(1)),
    }
}

#[cfg(test)]
mod tests {
    use record::{Bind, Options};
    use serde_json::json;

    use super::sample;

    #[test]
    fn texts_have_their_value_clauses_and_conditions_come_first() {
        let text = "       01  R.
           05  CURRENCY-CODE PIC X(3) VALUE 'EUR'.
           05  NAME PIC X(20) VALUE SPACES.
           05  KIND PIC X VALUE 'N'.
             88 OLD VALUE 'O'.
           05  AMOUNT PIC 9(5) VALUE 0.
";
        let parsed = copybook::parse("R", text, &copybook::Options::default()).expect("a copybook");
        let encoding = codepage::Encoding::by_ccsid(819).expect("Latin 1");
        let layout = &parsed.layouts[0];
        let bind = Bind::compile(layout, &Options::new(encoding)).expect("a bind");
        let expected = json!({"currency_code": "EUR", "name": "NAME", "kind": "O", "amount": 1});
        assert_eq!(sample(layout, &bind), Ok(expected));
    }
}
