//! The responses of an operation: the default one, and those with rules.

use std::fmt::Write;

use crate::description::{FILE, Operation};
use crate::fault::Notes;
use crate::mapping::{Action, Mapping, Response, Rules};
use crate::toml;

use super::pointer;

/// Statuses that a response with rules may have.
const STATUSES: std::ops::RangeInclusive<u16> = 200..=599;

/// The tables `[operation.response]` and `[[operation.responses]]`.
pub(super) fn text(operation: &Operation, mapping: &Mapping, notes: &mut Notes) -> String {
    let file = operation.mapping.as_deref().unwrap_or(FILE);
    let called = format!("{} {}", operation.method, operation.path);
    let by_status = |status| mapping.responses.iter().find(|response| response.status == status);
    // Without a default, the response without rules is the default.
    let ruleless = || mapping.responses.iter().find(|response| response.rules == Ok(None));
    let chosen = mapping.default_status.and_then(by_status).or_else(ruleless);
    let Some(chosen) = chosen.or_else(|| mapping.responses.first()) else { return String::new() };
    let mut writer = Writer { file, called, notes };
    let mut out = String::new();
    let keys = writer.keys(chosen, chosen.status != 200);
    if !keys.is_empty() {
        let _ = write!(out, "\n[operation.response]\n{keys}");
    }
    for other in mapping.responses.iter().filter(|other| !std::ptr::eq(*other, chosen)) {
        match ruled(other, wrapper(mapping)) {
            Ok(when) => {
                let keys = writer.keys(other, true);
                let _ = write!(out, "\n[[operation.responses]]\n{when}{keys}");
            }
            Err((line, why)) => writer.left_out(other, line, &why, chosen.status),
        }
    }
    out
}

/// The object around the fields of the answer, if a map of the operation shows it.
fn wrapper(mapping: &Mapping) -> Option<&str> {
    let maps = mapping.responses.iter().filter_map(|response| response.map.as_ref());
    maps.map(|map| map.wrapper.as_str()).find(|wrapper| !wrapper.is_empty())
}

/// The rules of a response as keys. The error names a rule that cannot be written, with its line.
fn ruled(response: &Response, wrapper: Option<&str>) -> Result<String, (usize, String)> {
    let Some(Rules { rules, all }) = response.rules.as_ref().map_err(Clone::clone)? else {
        return Err((response.line, "it has no rules".to_owned()));
    };
    if !STATUSES.contains(&response.status) {
        return Err((response.line, format!("statuses here are {} to {}", STATUSES.start(), STATUSES.end())));
    }
    let mut out = String::from("when = [\n");
    for rule in rules {
        let field = field(&rule.field, wrapper);
        if field.is_empty() {
            return Err((response.line, format!("'{}' is the path of no field", rule.field)));
        }
        let _ = writeln!(
            out,
            "    {{ field = {}, is = {}, value = {} }},",
            toml::string(&pointer(field)),
            toml::string(rule.comparison),
            toml::string(&rule.value)
        );
    }
    out.push_str("]\n");
    if !all {
        out.push_str("match = \"any\"\n");
    }
    Ok(out)
}

/// The path of a field below the object around all fields.
fn field<'p>(path: &'p str, wrapper: Option<&str>) -> &'p str {
    let path = path.trim_start_matches('/');
    let inner = path.strip_prefix("Body/");
    let rest = inner.unwrap_or(path);
    let below = |wrapper: &str| rest.strip_prefix(wrapper)?.strip_prefix('/');
    match (wrapper.and_then(below), inner, wrapper) {
        (Some(rest), ..) => rest,
        // A body always has an object around the fields.
        (None, Some(rest), None) => rest.split_once('/').map_or("", |(_, rest)| rest),
        _ => rest,
    }
}

struct Writer<'a> {
    file: &'a str,
    called: String,
    notes: &'a mut Notes,
}

impl Writer<'_> {
    fn left_out(&mut self, response: &Response, line: usize, why: &str, given: u16) {
        let reason = format!(
            "{}: the response {} is not imported: {why}; where its rules hold, {given} is given",
            self.called, response.status
        );
        self.notes.add(self.file, line, reason);
    }

    /// The keys of a response beside its rules.
    fn keys(&mut self, response: &Response, status: bool) -> String {
        let (mut remove, mut headers) = (Vec::new(), Vec::new());
        for step in response.map.iter().flat_map(|map| &map.steps) {
            match &step.action {
                Action::Remove { field } => remove.push(pointer(field)),
                Action::MoveOut { field, header } => {
                    let field = toml::string(&pointer(field));
                    headers.push(format!("{} = {{ field = {field} }}", toml::key(header)));
                }
                Action::AssignHeader { header, value } => {
                    headers.push(format!("{} = {{ value = {} }}", toml::key(header), toml::string(value)));
                }
                Action::MoveIn { .. } | Action::Assign { .. } => {}
                Action::Other { what } => {
                    let file = response.map.as_ref().map_or(self.file, |map| &map.file);
                    self.notes.add(file, step.line, format!("{}: {what} has no counterpart", self.called));
                }
            }
        }
        let mut out = String::new();
        if status {
            let _ = writeln!(out, "status = {}", response.status);
        }
        if !response.description.is_empty() && status {
            let _ = writeln!(out, "description = {}", toml::string(&response.description));
        }
        if !remove.is_empty() {
            let _ = writeln!(out, "remove = {}", toml::list(remove.iter().map(String::as_str)));
        }
        if !headers.is_empty() {
            let _ = writeln!(out, "headers = {{ {} }}", headers.join(", "));
        }
        out
    }
}
