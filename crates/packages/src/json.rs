//! JSON of others: schemas and Swagger documents, within limits.

use serde_json::Value;

use crate::fault::{Fault, FaultKind};
use crate::limits::Limits;

/// Reads a document; the parser itself refuses what nests deeper than 128.
pub(crate) fn parse(file: &str, text: &str, limits: &Limits) -> Result<Value, Fault> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| Fault::at(FaultKind::Syntax, file, error.line(), error.to_string()))?;
    let mut count = 0;
    let mut pending = vec![(&value, 1)];
    while let Some((value, depth)) = pending.pop() {
        count += 1;
        crate::archive::limit("depth_max", depth, limits.depth_max, file)?;
        crate::archive::limit("node_count_max", count, limits.node_count_max, file)?;
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => pending.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    Ok(value)
}
