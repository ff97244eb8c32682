//! Hides secrets in records: headers by name, query parameters by name, JSON by field or path, XML
//! by element or path.

mod xml;

use std::borrow::Cow;
use std::fmt;

use document::{RawElements, RawMembers};
use http::HeaderName;
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE};
use serde_json::value::RawValue;

/// The text in place of a secret.
pub const REDACTED: &str = "***";

/// Headers whose values are always hidden.
pub const SECRET_HEADERS: [HeaderName; 4] = [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE, SET_COOKIE];

/// JSON that is nested deeper is withheld, because it is not searched.
pub const DEPTH_MAX: usize = 64;

/// The rules for hiding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    /// Headers with hidden values, beside [`SECRET_HEADERS`]. Most of them hold API keys.
    headers: Vec<HeaderName>,
    /// Names of fields, at any place, and of query parameters. Case does not matter.
    names: Vec<Box<str>>,
    /// Paths of fields from the root. A path does not count the elements of arrays.
    paths: Vec<Box<[Box<str>]>>,
}

/// A rule that is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRule(pub String);

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is not a field: expected a name, or a path such as /customer/card", self.0)
    }
}

impl std::error::Error for BadRule {}

impl Redaction {
    /// Makes rules for fields. A name means every field and query parameter of that name. A path
    /// with a leading slash means one field, in all elements of the arrays on its way.
    ///
    /// # Errors
    /// A rule is empty or has an empty part.
    pub fn new(headers: Vec<HeaderName>, fields: &[String]) -> Result<Self, BadRule> {
        let (mut names, mut paths) = (Vec::new(), Vec::new());
        for field in fields {
            match field.strip_prefix('/') {
                Some(path) => paths.push(path.split('/').map(Box::from).collect::<Box<[Box<str>]>>()),
                None => names.push(field.as_str().into()),
            }
            let empty_part = |path: &[Box<str>]| path.iter().any(|part| part.is_empty());
            if field.is_empty() || paths.last().is_some_and(|path| empty_part(path)) {
                return Err(BadRule(field.clone()));
            }
        }
        Ok(Self { headers, names, paths })
    }

    /// Whether the value of a header is hidden.
    #[must_use]
    pub fn hides(&self, header: &HeaderName) -> bool {
        SECRET_HEADERS.contains(header) || self.headers.contains(header)
    }

    /// A query with the values of secret parameters hidden. Names are compared after percent
    /// decoding.
    #[must_use]
    pub fn query<'q>(&self, query: &'q str) -> Cow<'q, str> {
        let hidden = |pair: &str| {
            let name = pair.split_once('=').map_or(pair, |(name, _)| name);
            self.hides_name(&percent_decoded(name))
        };
        if self.names.is_empty() || !query.split('&').any(hidden) {
            return Cow::Borrowed(query);
        }
        let shown = |pair: &str| match pair.split_once('=') {
            Some((name, _)) if hidden(pair) => format!("{name}={REDACTED}"),
            _ => pair.to_owned(),
        };
        Cow::Owned(query.split('&').map(shown).collect::<Vec<_>>().join("&"))
    }

    fn hides_name(&self, name: &str) -> bool {
        self.names.iter().any(|hidden| hidden.eq_ignore_ascii_case(name))
    }

    /// A body with secrets hidden. It is XML if it begins with a tag, else JSON. None if the code
    /// cannot tell where the secrets are.
    #[must_use]
    pub fn body<'b>(&self, body: &'b [u8]) -> Option<Cow<'b, str>> {
        // Neither XML nor JSON has this character, but UTF-16 has it in each letter, also in the names of secrets.
        if body.contains(&0) {
            return None;
        }
        if !body.trim_ascii_start().starts_with(b"<") {
            return self.json(body);
        }
        self.xml(std::str::from_utf8(body).ok()?)
    }

    /// A JSON text with secret fields hidden. None if the code cannot find them: the text is not
    /// JSON, or is nested deeper than [`DEPTH_MAX`].
    #[must_use]
    pub fn json<'j>(&self, text: &'j [u8]) -> Option<Cow<'j, str>> {
        let text = std::str::from_utf8(text).ok()?;
        if self.names.is_empty() && self.paths.is_empty() {
            return Some(Cow::Borrowed(text));
        }
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        let paths: Vec<&[Box<str>]> = self.paths.iter().map(|path| &**path).collect();
        let mut out = String::with_capacity(text.len());
        self.value(raw, Around { paths, depth: 0 }, &mut out)?;
        Some(Cow::Owned(out))
    }

    fn value(&self, raw: &RawValue, around: Around<'_>, out: &mut String) -> Option<()> {
        if around.depth > DEPTH_MAX {
            return None;
        }
        match raw.get().as_bytes().first() {
            Some(b'{') => self.object(raw, &around, out),
            Some(b'[') => self.array(raw, &around, out),
            _ => {
                out.push_str(raw.get());
                Some(())
            }
        }
    }

    fn object(&self, raw: &RawValue, around: &Around<'_>, out: &mut String) -> Option<()> {
        let RawMembers(members) = serde_json::from_str(raw.get()).ok()?;
        out.push('{');
        for (at, (name, value)) in members.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            out.push_str(&serde_json::to_string(name).ok()?);
            out.push(':');
            let inner = around.inner(name);
            if self.hides_name(name) || inner.paths.iter().any(|path| path.is_empty()) {
                out.push_str("\"***\"");
            } else {
                self.value(value, inner, out)?;
            }
        }
        out.push('}');
        Some(())
    }

    fn array(&self, raw: &RawValue, around: &Around<'_>, out: &mut String) -> Option<()> {
        let RawElements(elements) = serde_json::from_str(raw.get()).ok()?;
        out.push('[');
        for (at, value) in elements.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            self.value(value, Around { paths: around.paths.clone(), depth: around.depth + 1 }, out)?;
        }
        out.push(']');
        Some(())
    }
}

/// The place of a value: the rest of the paths that lead through it.
struct Around<'p> {
    paths: Vec<&'p [Box<str>]>,
    depth: usize,
}

impl<'p> Around<'p> {
    /// The place of the member with this name.
    fn inner(&self, name: &str) -> Around<'p> {
        let next = |path: &&'p [Box<str>]| match path.split_first() {
            Some((first, rest)) if **first == *name => Some(rest),
            _ => None,
        };
        Around { paths: self.paths.iter().filter_map(next).collect(), depth: self.depth + 1 }
    }
}

/// A name with its percent escapes decoded. Bytes that are not UTF-8 are replaced, because no rule
/// can name them.
fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains(['%', '+']) {
        return Cow::Borrowed(text);
    }
    let digit = |byte: Option<&u8>| (*byte? as char).to_digit(16);
    let bytes = text.as_bytes();
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high << 4 | low) as u8);
                at += 2;
            }
            (b'+', ..) => decoded.push(b' '),
            _ => decoded.push(*byte),
        }
        at += 1;
    }
    Cow::Owned(String::from_utf8_lossy(&decoded).into_owned())
}
