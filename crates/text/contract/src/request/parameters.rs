//! Finds each parameter of an operation in the request, makes a value of it and checks the value.

use std::borrow::Cow;
use std::collections::HashMap;

use expression::{Object, Value};
use http::header::COOKIE;

use super::query;
use super::{Parameters, RequestParts};
use crate::check::{Check, Options, Path, quoted, shortened};
use crate::operation::{Location, Operation, Parameter, Style};
use crate::schema::Types;
use crate::violation::{Subject, Violation, ViolationKind};

/// Reads all parameters of an operation.
pub(super) fn read(
    check: &mut Check<'_>,
    operation: &Operation,
    parts: &RequestParts<'_>,
    options: &Options,
) -> Parameters {
    let mut read = Parameters { headers: Object::ignoring_case(), ..Parameters::default() };
    for parameter in &operation.parameters {
        if check.is_full() {
            break;
        }
        check.subject = Subject::Parameter(parameter.location);
        let value = match parameter.style {
            Style::Deep => deep(check, parameter, parts.query),
            _ => texts(check, parameter, parts).and_then(|texts| value(check, parameter, &texts)),
        };
        let Some(value) = value else { continue };
        let object = match parameter.location {
            Location::Path => &mut read.path,
            Location::Query => &mut read.query,
            Location::Header => &mut read.headers,
            Location::Cookie => &mut read.cookies,
        };
        object.insert(parameter.name.as_str(), value);
    }
    if options.unknown_query_refused {
        refuse_unknown(check, operation, parts.query);
    }
    read
}

/// The texts under a parameter's name, still encoded. None after a reported violation.
fn texts<'a>(check: &mut Check<'_>, parameter: &Parameter, parts: &RequestParts<'a>) -> Option<Vec<&'a str>> {
    let name = parameter.name.as_str();
    let mut found = Vec::new();
    match parameter.location {
        Location::Path => {
            found.extend(parts.path.iter().filter(|(known, _)| *known == name).map(|(_, text)| *text))
        }
        Location::Query => {
            for (known, text) in query::pairs(parts.query) {
                match query::decoded(known, true) {
                    Ok(known) if known == name => found.push(text),
                    Ok(_) => {}
                    Err(expected) => {
                        bad_url(check, known, expected, known);
                        return None;
                    }
                }
            }
        }
        Location::Header => {
            for value in parts.headers.get_all(name) {
                found.push(header_text(check, name, value.as_bytes())?);
            }
        }
        Location::Cookie => {
            for value in parts.headers.get_all(COOKIE) {
                let text = header_text(check, name, value.as_bytes())?;
                found.extend(query::cookies(text).filter(|(known, _)| *known == name).map(|(_, text)| text));
            }
        }
    }
    Some(found)
}

fn header_text<'a>(check: &mut Check<'_>, name: &str, bytes: &'a [u8]) -> Option<&'a str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text.trim()),
        Err(_) => {
            bad_url(check, name, "UTF-8", "");
            None
        }
    }
}

/// The object whose members are parameters of their own, checked; the default if the request has none of
/// them.
fn deep(check: &mut Check<'_>, parameter: &Parameter, query: &str) -> Option<Value> {
    let mut members: Vec<(String, Vec<&str>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (known, text) in query::pairs(query) {
        let name = match query::decoded(known, true) {
            Ok(name) => name,
            Err(expected) => {
                bad_url(check, known, expected, known);
                return None;
            }
        };
        let Some(member) = member_of(&name, &parameter.name) else { continue };
        let place = *places.entry(member.to_owned()).or_insert(members.len());
        if place == members.len() {
            members.push((member.to_owned(), Vec::new()));
        }
        members[place].1.push(text);
    }
    if members.is_empty() {
        return value(check, parameter, &[]);
    }
    let mut object = Object::new();
    for (name, texts) in members {
        let known = parameter.members.of(&name);
        let value = match (known.is_array, texts.as_slice()) {
            (false, [text]) => known.types.single.value_of(&decoded(check, parameter, text)?),
            (true, texts) => {
                let elements = texts.iter().map(|text| Cow::Borrowed(*text));
                array(check, parameter, elements, known.types.element)?
            }
            (false, texts) => {
                let path = shortened(&format!("{}[{name}]", parameter.name));
                let found = format!("{} of them", texts.len());
                let (kind, subject) = (ViolationKind::RepeatedParameter, check.subject);
                check.add(Violation { kind, subject, path, expected: "one value".to_owned(), found });
                return None;
            }
        };
        object.insert(name, value);
    }
    let value = Value::Object(object);
    check.value(parameter.schema, &value, &Path::Root(&parameter.name)).then_some(value)
}

/// The member that `name[member]` names.
fn member_of<'n>(text: &'n str, name: &str) -> Option<&'n str> {
    let member = text.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?;
    (!member.contains(['[', ']'])).then_some(member)
}

/// The value of a parameter, checked; its default if the request lacks it.
fn value(check: &mut Check<'_>, parameter: &Parameter, texts: &[&str]) -> Option<Value> {
    if texts.is_empty() {
        if parameter.required {
            tell(check, ViolationKind::MissingParameter, parameter, "a value", "");
        }
        return parameter.default.clone();
    }
    // In HTTP, several lines of one header are one list.
    let one_list = parameter.location == Location::Header && matches!(parameter.style, Style::Separated(_));
    if texts.len() > 1 && parameter.style != Style::Repeated && !one_list {
        let found = format!("{} of them", texts.len());
        tell(check, ViolationKind::RepeatedParameter, parameter, "one value", &found);
        return None;
    }
    if parameter.empty_allowed && texts == [""] {
        return Some(Value::from(""));
    }
    let value = unjudged(check, parameter, texts)?;
    check.value(parameter.schema, &value, &Path::Root(&parameter.name)).then_some(value)
}

/// The value of a parameter's texts.
fn unjudged(check: &mut Check<'_>, parameter: &Parameter, texts: &[&str]) -> Option<Value> {
    let types = parameter.types;
    let elements: Vec<Cow<'_, str>> = match parameter.style {
        Style::Single => return Some(types.single.value_of(&decoded(check, parameter, texts[0])?)),
        Style::Json => {
            let text = decoded(check, parameter, texts[0])?;
            return check.json(text.as_bytes(), &Path::Root(&parameter.name));
        }
        // Its members have texts, but not the object itself.
        Style::Deep => return None,
        Style::Repeated => texts.iter().map(|text| Cow::Borrowed(*text)).collect(),
        Style::Separated(separator) => {
            texts.iter().flat_map(|text| query::elements(text, separator)).collect()
        }
    };
    array(check, parameter, elements.into_iter(), types.element)
}

/// The array of elements that are still encoded.
fn array<'t>(
    check: &mut Check<'_>,
    parameter: &Parameter,
    elements: impl Iterator<Item = Cow<'t, str>>,
    types: Types,
) -> Option<Value> {
    let mut values = Vec::new();
    for element in elements {
        values.push(types.value_of(&decoded(check, parameter, &element)?));
    }
    Some(Value::array(values))
}

/// A text with its escapes resolved. Headers have no escapes.
fn decoded<'a>(check: &mut Check<'_>, parameter: &Parameter, text: &'a str) -> Option<Cow<'a, str>> {
    let read = match parameter.location {
        Location::Header => return Some(Cow::Borrowed(text.trim())),
        Location::Query => query::decoded(text, true),
        Location::Path | Location::Cookie => query::decoded(text, false),
    };
    read.map_err(|expected| bad_url(check, &parameter.name, expected, text)).ok()
}

fn bad_url(check: &mut Check<'_>, name: &str, expected: &str, found: &str) {
    let subject = check.subject;
    let found = if found.is_empty() { "other bytes".to_owned() } else { quoted(found) };
    let (path, expected) = (shortened(name), expected.to_owned());
    check.add(Violation { kind: ViolationKind::BadUrl, subject, path, expected, found });
}

fn tell(check: &mut Check<'_>, kind: ViolationKind, parameter: &Parameter, expected: &str, found: &str) {
    let subject = Subject::Parameter(parameter.location);
    let (expected, found) = (expected.to_owned(), found.to_owned());
    check.add(Violation { kind, subject, path: parameter.name.clone(), expected, found });
}

/// Reports query parameters that the operation does not have.
fn refuse_unknown(check: &mut Check<'_>, operation: &Operation, text: &str) {
    check.subject = Subject::Parameter(Location::Query);
    let known = |name: &str| {
        let mut query = operation.parameters.iter().filter(|one| one.location == Location::Query);
        query.any(|one| match one.style {
            Style::Deep => member_of(name, &one.name).is_some(),
            _ => one.name == name,
        })
    };
    for (name, _) in query::pairs(text) {
        match query::decoded(name, true) {
            Ok(name) if known(&name) => {}
            Ok(name) => check.add(Violation {
                kind: ViolationKind::UnknownParameter,
                subject: check.subject,
                path: shortened(&name),
                expected: "only parameters that the document has".to_owned(),
                found: String::new(),
            }),
            Err(expected) => bad_url(check, name, expected, name),
        }
    }
}
