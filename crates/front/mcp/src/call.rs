//! Turns a call of a tool into a request: writes each argument to its place.

use api::Style;
use bytes::Bytes;
use failure::{Code, Failure};
use http::{HeaderName, HeaderValue, Method, Uri};
use serde_json::value::RawValue;

use crate::members::{Fault, Members};
use crate::tool::{Input, Piece, Place, Tool};

/// The request that a call is.
#[derive(Debug)]
pub struct Call {
    /// The operation's method.
    pub method: Method,
    /// Path and query.
    pub target: Uri,
    /// Headers that arguments set.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The JSON body, byte for byte as the caller wrote it; none if it is empty.
    pub body: Bytes,
}

impl Tool {
    /// Makes the request of a call. `arguments` is a JSON object as text, or nothing.
    ///
    /// Types, lengths and limits are not checked here: the operation checks its request.
    ///
    /// # Errors
    /// Arguments that have no place, or that cannot stand in theirs.
    pub fn call(&self, arguments: Option<&str>) -> Result<Call, Failure> {
        let given = match arguments {
            Some(text) => Members::parse(text).map_err(unreadable)?,
            None => Members::default(),
        };
        let known = |name: &str| self.inputs.iter().any(|input| input.name == name);
        if let Some((name, _)) = given.0.iter().find(|(name, _)| !known(name)) {
            return Err(Failure::with_details(Code::UnknownField, format!("argument {name}")));
        }
        let mut call = Parts::default();
        for input in &self.inputs {
            if let Some(value) = given.get(&input.name).filter(|value| is_given(input, value)) {
                call.put(input, value)?;
            }
        }
        let target = self.path(&given)? + &call.query;
        let target =
            Uri::try_from(target).map_err(|error| bad(format!("the arguments make no URL: {error}")))?;
        Ok(Call { method: self.method.clone(), target, headers: call.headers, body: call.body })
    }

    fn path(&self, given: &Members<'_>) -> Result<String, Failure> {
        let mut path = String::new();
        for piece in &self.path {
            match piece {
                Piece::Literal(text) => path.push_str(text),
                Piece::Input(at) => {
                    let name = &self.inputs[*at].name;
                    let value = given.get(name).filter(|value| value.get() != "null").ok_or_else(|| {
                        Failure::with_details(Code::MissingParameter, format!("argument {name}"))
                    })?;
                    let value = in_url(&self.inputs[*at], value)?;
                    if value.is_empty() {
                        return Err(bad(format!("argument {name}: a part of the path must not be empty")));
                    }
                    path.push_str(&value);
                }
            }
        }
        Ok(path)
    }
}

/// Null is an argument that is not given; a body says itself what null is.
fn is_given(input: &Input, value: &RawValue) -> bool {
    input.place == Place::Body || value.get() != "null"
}

#[derive(Default)]
struct Parts {
    /// With its question mark.
    query: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

impl Parts {
    fn put(&mut self, input: &Input, value: &RawValue) -> Result<(), Failure> {
        match &input.place {
            Place::Path => {}
            Place::Query(name) => {
                let list = list(value).filter(|_| matches!(input.style, Style::Single | Style::Repeated));
                match list {
                    // A list is the parameter as often as it has elements (OpenAPI: form, exploded).
                    Some(list) => {
                        for value in list {
                            self.add(name, &escaped(&text(&input.name, value)?));
                        }
                    }
                    None => self.add(name, &in_url(input, value)?),
                }
            }
            Place::Header(name) => {
                let value = HeaderValue::from_bytes(in_header(input, value)?.as_bytes()).map_err(|_| {
                    bad(format!("argument {}: a header cannot have control characters", input.name))
                })?;
                self.headers.push((name.clone(), value));
            }
            Place::Body => self.body = Bytes::copy_from_slice(value.get().as_bytes()),
        }
        Ok(())
    }

    fn add(&mut self, name: &str, value: &str) {
        self.query.push(if self.query.is_empty() { '?' } else { '&' });
        self.query.push_str(&escaped(name));
        self.query.push('=');
        self.query.push_str(value);
    }
}

/// A value as a part of a URL.
fn in_url(input: &Input, value: &RawValue) -> Result<String, Failure> {
    match (input.style, list(value)) {
        (Style::Json, _) => Ok(escaped(value.get())),
        (Style::Separated(separator), Some(list)) => {
            let between = if separator == COMMA {
                ",".to_owned()
            } else {
                escaped(&String::from(char::from(separator)))
            };
            // Escapes separate commas from those in values; other separators have no such escapes.
            let forbidden = (separator != COMMA).then_some(separator);
            let texts: Vec<String> =
                elements(input, &list, forbidden)?.iter().map(|text| escaped(text)).collect();
            Ok(texts.join(&between))
        }
        _ => Ok(escaped(&text(&input.name, value)?)),
    }
}

/// A value as that of a header.
fn in_header(input: &Input, value: &RawValue) -> Result<String, Failure> {
    match (input.style, list(value)) {
        // Numbers and names in JSON may have line ends between them, which mean nothing.
        (Style::Json, _) => Ok(value.get().replace(['\r', '\n'], " ")),
        (Style::Separated(separator), Some(list)) => {
            let texts = elements(input, &list, Some(separator))?;
            Ok(texts.join(&String::from(char::from(separator))))
        }
        _ => text(&input.name, value),
    }
}

const COMMA: u8 = b',';

/// The texts of a list that becomes one text.
fn elements(input: &Input, list: &[&RawValue], forbidden: Option<u8>) -> Result<Vec<String>, Failure> {
    let name = &input.name;
    let texts: Result<Vec<String>, Failure> = list.iter().map(|value| text(name, value)).collect();
    let texts = texts?;
    if let [only] = texts.as_slice()
        && only.is_empty()
    {
        return Err(bad(format!("argument {name}: a list of one empty text looks like an empty list")));
    }
    if let Some(separator) = forbidden.map(char::from)
        && texts.iter().any(|text| text.contains(separator))
    {
        return Err(bad(format!("argument {name}: an element must not contain the separator '{separator}'")));
    }
    Ok(texts)
}

fn list(value: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(value.get()).ok()
}

/// Everything that is not plain is escaped, so that no value is more than a value.
fn escaped(text: &str) -> String {
    percent::escaped(text).to_string()
}

/// The text of a single value: that of a string, else as it is written, so that numbers stay exact.
fn text(name: &str, value: &RawValue) -> Result<String, Failure> {
    match value.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str(value.get())
            .map_err(|_| bad(format!("argument {name}: a text with half of a surrogate pair"))),
        Some(b'{' | b'[' | b'n') => {
            Err(bad(format!("argument {name}: expected a text, a number, true or false")))
        }
        _ => Ok(value.get().to_owned()),
    }
}

fn bad(details: String) -> Failure {
    Failure::with_details(Code::BadParameter, details)
}

fn unreadable(fault: Fault) -> Failure {
    match fault {
        Fault::Twice(name) => Failure::with_details(Code::DuplicateField, format!("argument {name}")),
        Fault::Json(error) => Failure::with_details(Code::BadJson, format!("arguments: {error}")),
    }
}
