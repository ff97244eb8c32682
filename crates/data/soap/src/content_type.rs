//! The content type of a message: its version and its charset.

use crate::version::Version;

/// The content type of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentType<'h> {
    /// The version of SOAP with this media type.
    pub version: Version,
    /// The charset, if given.
    pub charset: Option<&'h str>,
    /// The parameter `action`, if given.
    pub action: Option<&'h str>,
}

impl<'h> ContentType<'h> {
    /// Reads the value of the header. None if it is not a content type of SOAP.
    #[must_use]
    pub fn parse(value: &'h str) -> Option<Self> {
        let (media, mut rest) = value.split_once(';').unwrap_or((value, ""));
        let media = media.trim_matches(BLANKS);
        let version = if media.eq_ignore_ascii_case("text/xml") {
            Version::Soap11
        } else if media.eq_ignore_ascii_case("application/soap+xml") {
            Version::Soap12
        } else {
            return None;
        };
        let mut found = Self { version, charset: None, action: None };
        loop {
            rest = rest.trim_start_matches([' ', '\t', ';']);
            if rest.is_empty() {
                return Some(found);
            }
            let (name, after) = rest.split_once('=')?;
            let (value, after) = parameter(after.trim_start_matches(BLANKS))?;
            let place = match name.trim_end_matches(BLANKS) {
                name if name.eq_ignore_ascii_case("charset") => Some(&mut found.charset),
                name if name.eq_ignore_ascii_case("action") => Some(&mut found.action),
                _ => None,
            };
            match place {
                // Two charsets for one text contradict each other.
                Some(Some(_)) => return None,
                Some(place) => *place = Some(value),
                None => {}
            }
            rest = after;
        }
    }
}

const BLANKS: [char; 2] = [' ', '\t'];

/// The value of a parameter, and the text behind it. Quoted values have no escapes here, because
/// charsets and actions need none.
fn parameter(text: &str) -> Option<(&str, &str)> {
    let (value, rest) = match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => text.split_at(text.find(';').unwrap_or(text.len())),
    };
    let rest = rest.trim_start_matches(BLANKS);
    let value = if text.starts_with('"') { value } else { value.trim_end_matches(BLANKS) };
    (rest.is_empty() || rest.starts_with(';')).then_some((value, rest))
}

/// The action in a header `SOAPAction`: the value without its quotes.
#[must_use]
pub fn soap_action(value: &str) -> &str {
    let value = value.trim_matches(BLANKS);
    value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_tell_versions() {
        let plain = |version| ContentType { version, charset: None, action: None };
        assert_eq!(ContentType::parse("text/xml"), Some(plain(Version::Soap11)));
        assert_eq!(ContentType::parse("Application/SOAP+xml ;"), Some(plain(Version::Soap12)));
        for other in ["", "application/json", "text/xmlx", "application/xml", "multipart/related"] {
            assert_eq!(ContentType::parse(other), None, "{other}");
        }
    }

    #[test]
    fn parameters_are_read_in_any_order() {
        let found = ContentType::parse("application/soap+xml; action=\"urn:a;b\"; charset = UTF-16");
        let expected =
            ContentType { version: Version::Soap12, charset: Some("UTF-16"), action: Some("urn:a;b") };
        assert_eq!(found, Some(expected));
        let found = ContentType::parse("text/xml;charset=\"utf-8\";x=y").expect("a content type");
        assert_eq!((found.charset, found.action), (Some("utf-8"), None));
    }

    #[test]
    fn what_is_not_well_formed_is_no_content_type() {
        for wrong in [
            "text/xml; charset",
            "text/xml; charset=\"utf-8",
            "text/xml; charset=\"a\"b",
            "text/xml; charset=utf-8; charset=utf-16",
        ] {
            assert_eq!(ContentType::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn actions_stand_in_quotes_or_not() {
        for (value, action) in
            [("\"\"", ""), ("", ""), ("\"urn:a\"", "urn:a"), (" urn:a ", "urn:a"), ("\"", "\"")]
        {
            assert_eq!(soap_action(value), action, "{value}");
        }
    }
}
