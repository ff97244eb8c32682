//! A SOAP message to try: the values of a request as XML, in the order of the record.

use record::Schema;
use serde_json::Value;
use xml::{element_name, write_text};

use crate::ways::Way;

/// The message for the operation of a service, as the web service `NAME-soap` takes it.
///
/// # Errors
/// No request fits the record, or a value cannot stand in XML.
pub(crate) fn envelope(name: &str, request: &Way) -> Result<String, String> {
    let (element, mut content) = (element_name(&format!("{name}Operation")), Vec::new());
    if let (Some(side), Some(sample)) = (request.record(), request.sample()?) {
        members(&side.bind.request_schema(), &sample, &mut content)?;
    }
    // Names and texts are UTF-8, and so is all that stands between them.
    let content = String::from_utf8(content).unwrap_or_default();
    Ok(format!(
        "<Envelope xmlns=\"http://schemas.xmlsoap.org/soap/envelope/\"><Body><{element} xmlns=\"http://www.{name}-soap.Request.com\">\
         {content}</{element}></Body></Envelope>"
    ))
}

fn members(schema: &Schema, values: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    for (name, schema) in &schema.properties {
        match values.get(name) {
            None => {}
            Some(Value::Array(rows)) => {
                let row = schema.items.as_deref().unwrap_or(schema);
                rows.iter().try_for_each(|value| element(name, row, value, out))?;
            }
            Some(value) => element(name, schema, value, out)?,
        }
    }
    Ok(())
}

fn element(name: &str, schema: &Schema, value: &Value, out: &mut Vec<u8>) -> Result<(), String> {
    let name = element_name(name);
    out.extend_from_slice(format!("<{name}>").as_bytes());
    match value {
        Value::Object(_) => members(schema, value, out)?,
        Value::String(text) => write_text(text, out).map_err(|error| error.to_string())?,
        other => out.extend_from_slice(other.to_string().as_bytes()),
    }
    out.extend_from_slice(format!("</{name}>").as_bytes());
    Ok(())
}
