//! The names of a copybook's fields for a service file, so that JSON has the schema's own names.

use std::fmt::Write;

use crate::Copybook;
use crate::structure::Role;

/// The part of a service file that describes one record: `section` is `request` or `response`, `file` the
/// name of the copybook's file, `record` the 01 level; by default the first.
///
/// Counters for OCCURS DEPENDING ON are not in it, because a bind fills them. Counters of other kinds, and
/// lengths, are named in comments: a bind treats them as ordinary fields.
#[must_use]
pub fn service_fields(copybook: &Copybook, section: &str, file: &str, record: Option<&str>) -> String {
    let first = copybook.names.first().map_or("", |name| name.record.as_str());
    let record = record.unwrap_or(first);
    let several = copybook.names.iter().any(|name| name.record != first);
    let mut text = format!("[{section}]\ncopybook = {}\n", quoted(file));
    // Writing into a string does not fail.
    if several {
        let _ = writeln!(text, "record = {}", quoted(record));
    }
    let _ = writeln!(text, "wrapper = \"\"\n\n[{section}.fields]");
    for name in copybook.names.iter().filter(|name| name.record == record) {
        if name.role == Role::Counter {
            continue;
        }
        if let Some(about) = about(name.role) {
            let _ = writeln!(text, "# {} is {about}", name.field);
            continue;
        }
        let mut choices = vec![format!("name = {}", quoted(&name.name))];
        if name.required {
            choices.push("required = true".to_owned());
        }
        if name.boolean {
            choices.push(BOOLEAN.to_owned());
            if !name.required {
                // A blank means neither, and leaves the member out.
                choices.push("omit = \"\", values = { blank_numbers = \"null\" }".to_owned());
            }
        }
        for (key, limit) in [("minimum", &name.minimum), ("maximum", &name.maximum)] {
            if let Some(limit) = limit {
                let limit =
                    if limit.contains('.') || limit.len() > 18 { quoted(limit) } else { limit.clone() };
                choices.push(format!("{key} = {limit}"));
            }
        }
        let _ = writeln!(text, "{} = {{ {} }}", name.field, choices.join(", "));
    }
    text
}

/// The key of a boolean field, with the bytes of true and false by the assistants' rule.
pub const BOOLEAN: &str = r#"boolean = { true = "\u0001", false = "\u0000" }"#;

/// The purpose of a field without a member of the schema.
fn about(role: Role) -> Option<&'static str> {
    match role {
        Role::Presence => Some("0 where the next field is missing; a bind does not set it, consumers do"),
        Role::Length => Some("the length of the next field; a bind does not set it, consumers do"),
        Role::Count => Some("a number of rows that count; a bind does not set it, consumers do"),
        Role::Choice => Some("which of several members is there; a bind does not set it, consumers do"),
        Role::Container => Some("the name of a container, which a bind does not fill"),
        Role::Value | Role::Rows | Role::Counter => None,
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
