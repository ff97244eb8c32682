//! Paths with parameters, and queries, from values of records: whatever a value holds, it stays in its place.

use std::fmt;

use percent::escaped;

/// The characters of a path besides parameters (`pchar` of RFC 3986, section 3.3, and the slash).
const PATH_MARKS: &[u8] = b"-._~!$&'()*+,;=:@/%";

/// A path with parameters in braces: `/items/{itemID}`, also within a part, `/report-{year}.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTemplate {
    /// Text in front of each parameter; behind the last comes `end`.
    parts: Vec<(String, String)>,
    end: String,
}

/// Why a text is not a [`PathTemplate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError(String);

/// Why a value cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError(pub(crate) String);

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TemplateError {}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ValueError {}

impl PathTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// It does not begin with a slash, has braces that do not match, a parameter without a name or twice, `.` or
    /// `..` as a part, or characters that a path cannot have.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let wrong = |why: String| TemplateError(format!("the path '{text}' {why}"));
        if !text.starts_with('/') {
            return Err(wrong("does not begin with a slash".to_owned()));
        }
        if text.split('/').any(|part| matches!(part, "." | "..")) {
            return Err(wrong("has '.' or '..' as a part".to_owned()));
        }
        let mut parts: Vec<(String, String)> = Vec::new();
        let mut rest = text;
        while let Some((literal, behind)) = rest.split_once('{') {
            let (name, behind) = behind
                .split_once('}')
                .ok_or_else(|| wrong("has a brace without its other one".to_owned()))?;
            if name.is_empty() || name.contains(['{', '/']) {
                return Err(wrong(format!("has the parameter '{name}', which is not a valid name")));
            }
            if parts.iter().any(|(_, known)| known == name) {
                return Err(wrong(format!("has the parameter '{name}' twice")));
            }
            parts.push((literal.to_owned(), name.to_owned()));
            rest = behind;
        }
        let literals = parts.iter().map(|(literal, _)| literal.as_str()).chain([rest]);
        for literal in literals {
            if let Some(odd) = odd_character(literal) {
                return Err(wrong(format!("has '{}', which a path cannot have", odd.escape_default())));
            }
        }
        Ok(Self { parts, end: rest.to_owned() })
    }

    /// The names of the parameters, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|(_, name)| name.as_str())
    }

    /// Writes the path with the parameters' values, in the order of [`PathTemplate::names`], at the end of `out`.
    ///
    /// # Errors
    /// A value is missing or empty, or has control characters, or would make a part `.` or `..`; `out` is then of no
    /// use.
    pub fn fill<'v>(
        &self,
        values: impl IntoIterator<Item = &'v str>,
        out: &mut String,
    ) -> Result<(), ValueError> {
        let start = out.len();
        let mut values = values.into_iter();
        for (literal, name) in &self.parts {
            out.push_str(literal);
            let value = values.next().unwrap_or_default();
            if value.is_empty() {
                return Err(ValueError(format!("the path parameter '{name}' is empty")));
            }
            check_text(value).map_err(|error| ValueError(format!("the path parameter '{name}': {error}")))?;
            out.extend(escaped(value));
        }
        out.push_str(&self.end);
        if out[start..].split('/').any(|part| matches!(part, "." | "..")) {
            return Err(ValueError("a path parameter makes a part of the path '.' or '..'".to_owned()));
        }
        Ok(())
    }
}

/// The first character that cannot stand in a path as it is; a percent sign needs two digits behind it.
fn odd_character(literal: &str) -> Option<char> {
    let bytes = literal.as_bytes();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || PATH_MARKS.contains(&byte);
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    literal
        .char_indices()
        .find(|(at, character)| {
            let fine = u8::try_from(*character).is_ok_and(plain);
            !fine || (*character == '%' && !(digit(at + 1) && digit(at + 2)))
        })
        .map(|(_, character)| character)
}

/// Adds a query parameter to a path, behind those that it has.
///
/// # Errors
/// The value has control characters.
pub fn push_query(target: &mut String, name: &str, value: &str) -> Result<(), ValueError> {
    check_text(value).map_err(|error| ValueError(format!("the query parameter '{name}': {error}")))?;
    target.push(if target.contains('?') { '&' } else { '?' });
    target.extend(escaped(name));
    target.push('=');
    target.extend(escaped(value));
    Ok(())
}

/// Values with control characters are refused everywhere: escaped they would do no harm here, but who unescapes them
/// may write them into a header or a log.
pub(crate) fn check_text(value: &str) -> Result<(), ValueError> {
    match value.chars().position(char::is_control) {
        Some(at) => Err(ValueError(format!("character {} of the value is a control character", at + 1))),
        None => Ok(()),
    }
}
