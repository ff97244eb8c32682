//! The parameters of a media type (RFC 2045, section 5.1).

use std::borrow::Cow;

const BLANKS: [char; 2] = [' ', '\t'];

/// The most parameters of a media type.
const PARAMETERS_MAX: usize = 16;

/// A media type with its parameters.
#[derive(Debug)]
pub(super) struct MediaType<'h> {
    /// The type itself, as written.
    pub(super) name: &'h str,
    /// Its parameters, in their order.
    parameters: Vec<(&'h str, Cow<'h, str>)>,
}

impl<'h> MediaType<'h> {
    /// Reads a media type. None if it is not well formed, or has a parameter twice.
    pub(super) fn parse(value: &'h str) -> Option<Self> {
        let (name, mut rest) = value.split_once(';').unwrap_or((value, ""));
        let mut found = Self { name: name.trim_matches(BLANKS), parameters: Vec::new() };
        loop {
            rest = rest.trim_start_matches([' ', '\t', ';']);
            if rest.is_empty() {
                return Some(found);
            }
            let (name, after) = rest.split_once('=')?;
            let name = name.trim_end_matches(BLANKS);
            let (value, after) = parameter(after.trim_start_matches(BLANKS))?;
            if found.parameter(name).is_some() || found.parameters.len() == PARAMETERS_MAX {
                return None;
            }
            found.parameters.push((name, value));
            rest = after;
        }
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    pub(super) fn parameter(&self, name: &str) -> Option<&Cow<'h, str>> {
        let found = self.parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }

    /// A parameter whose value has no escapes.
    pub(super) fn plain(&self, name: &str) -> Option<&'h str> {
        match self.parameter(name)? {
            Cow::Borrowed(value) => Some(value),
            Cow::Owned(_) => None,
        }
    }
}

/// The value of a parameter, and the text behind it.
fn parameter(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let (value, rest) = match text.strip_prefix('"') {
        Some(quoted) => quoted_value(quoted)?,
        None => {
            let (value, rest) = text.split_at(text.find(';').unwrap_or(text.len()));
            (Cow::Borrowed(value.trim_end_matches(BLANKS)), rest)
        }
    };
    let rest = rest.trim_start_matches(BLANKS);
    (rest.is_empty() || rest.starts_with(';')).then_some((value, rest))
}

/// A value up to its closing quote. A backslash escapes the next character.
fn quoted_value(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let end = text.find(['"', '\\'])?;
    if text[end..].starts_with('"') {
        return Some((Cow::Borrowed(&text[..end]), &text[end + 1..]));
    }
    let mut value = text[..end].to_owned();
    let mut characters = text[end..].char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((Cow::Owned(value), &text[end + at + 1..])),
            '\\' => value.push(characters.next()?.1),
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_with_their_escapes() {
        let value = "multipart/related; type = \"application/xop+xml\";start-info=\"a; action=\\\"urn:b\\\"\" ; Boundary=x:y";
        let found = MediaType::parse(value).expect("a media type");
        assert!(found.is("Multipart/Related"));
        assert_eq!(found.plain("TYPE"), Some("application/xop+xml"));
        assert_eq!(found.parameter("start-info").map(|value| &**value), Some("a; action=\"urn:b\""));
        assert_eq!((found.plain("start-info"), found.plain("boundary")), (None, Some("x:y")));
    }

    #[test]
    fn what_is_not_well_formed_is_no_media_type() {
        for wrong in ["a/b; c", "a/b; c=\"d", "a/b; c=\"d\"e", "a/b; c=d; C=e", "a/b; c=\"\\"] {
            assert!(MediaType::parse(wrong).is_none(), "{wrong}");
        }
    }
}
