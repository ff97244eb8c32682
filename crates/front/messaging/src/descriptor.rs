//! What a put says of its message beside its text: headers `ibm-mq-md-...` and `ibm-mq-usr`.

use http::{HeaderMap, HeaderName};

use crate::id::{self, Id, NO_ID};
use crate::property::{self, Property, PropertyValue};
use crate::resource::Version;
use crate::trouble::Trouble;

pub(crate) const MESSAGE_ID: HeaderName = HeaderName::from_static("ibm-mq-md-messageid");
pub(crate) const CORRELATION_ID: HeaderName = HeaderName::from_static("ibm-mq-md-correlationid");
pub(crate) const EXPIRY: HeaderName = HeaderName::from_static("ibm-mq-md-expiry");
pub(crate) const PERSISTENCE: HeaderName = HeaderName::from_static("ibm-mq-md-persistence");
pub(crate) const REPLY_TO: HeaderName = HeaderName::from_static("ibm-mq-md-replyto");
pub(crate) const PRIORITY: HeaderName = HeaderName::from_static("ibm-mq-md-priority");
pub(crate) const PROPERTIES: HeaderName = HeaderName::from_static("ibm-mq-usr");
/// Some clients send each property as a header of its own.
const PROPERTY_PREFIX: &str = "ibm-mq-usr-";
/// Milliseconds that a message may last; a tenth of a second is the least that counts.
const EXPIRY_MAX_MS: u64 = 99_999_999_900;

/// What a put says of its message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Descriptor {
    /// The correlation id; all zeros is none.
    pub correlation: Id,
    /// The text that the correlation id was made of, if it is longer than an id.
    pub correlation_text: Option<String>,
    /// Tenths of a second until it expires; none is never.
    pub expiry_tenths: Option<u64>,
    /// It outlives a restart.
    pub persistent: bool,
    /// None is that of the queue.
    pub priority: Option<u8>,
    /// The queue for replies, and its queue manager if it is another one.
    pub reply_to: Option<(String, String)>,
    /// User properties.
    pub properties: Vec<Property>,
}

/// The priority of versions without the header for it.
const PRIORITY_DEFAULT: u8 = 4;

impl Descriptor {
    /// What these headers say.
    ///
    /// # Errors
    /// A value that is none.
    pub fn parse(version: Version, headers: &HeaderMap) -> Result<Self, Trouble> {
        let mut found = Self::default();
        if let Some(text) = text(headers, &CORRELATION_ID)? {
            found.correlate(version, text)?;
        }
        if let Some(text) = text(headers, &EXPIRY)? {
            found.expiry_tenths = expiry(text)?;
        }
        if let Some(text) = text(headers, &PERSISTENCE)? {
            found.persistent = match text {
                _ if text.eq_ignore_ascii_case("persistent") => true,
                _ if text.eq_ignore_ascii_case("nonPersistent") => false,
                _ => return Err(bad(&PERSISTENCE, text, "persistent or nonPersistent")),
            };
        }
        if let Some(text) = text(headers, &REPLY_TO)? {
            let (queue, manager) = text.split_once('@').unwrap_or((text, ""));
            if !(is_name(queue) && (manager.is_empty() || is_name(manager))) {
                return Err(bad(&REPLY_TO, text, "queue or queue@queue-manager"));
            }
            found.reply_to = Some((queue.to_owned(), manager.to_owned()));
        }
        if version < Version::V3 {
            found.priority = Some(PRIORITY_DEFAULT);
            return Ok(found);
        }
        found.priority = match text(headers, &PRIORITY)? {
            None => None,
            Some(text) if text.eq_ignore_ascii_case("asDestination") => None,
            Some(text) => match text.as_bytes() {
                [digit @ b'0'..=b'9'] => Some(digit - b'0'),
                _ => return Err(bad(&PRIORITY, text, "0 to 9 or asDestination")),
            },
        };
        found.take_properties(headers)?;
        Ok(found)
    }

    fn correlate(&mut self, version: Version, text: &str) -> Result<(), Trouble> {
        match correlation(version, text) {
            Some(id) => self.correlation = id,
            None => return Err(bad(&CORRELATION_ID, text, expected_id(version))),
        }
        let is_free = id::parse(version, text).is_none();
        self.correlation_text = (is_free && text.len() > id::ID_BYTES).then(|| text.to_owned());
        Ok(())
    }

    fn take_properties(&mut self, headers: &HeaderMap) -> Result<(), Trouble> {
        let expected = "name;value;type with types boolean, i1, i2, i4, i8, r4, r8, string";
        for value in headers.get_all(PROPERTIES) {
            let read = std::str::from_utf8(value.as_bytes()).ok();
            read.and_then(|text| property::parse(text, &mut self.properties))
                .ok_or_else(|| Trouble::header(PROPERTIES.as_str(), value.as_bytes(), expected))?;
        }
        for (name, value) in headers {
            let Some(property) = name.as_str().strip_prefix(PROPERTY_PREFIX) else { continue };
            let read = std::str::from_utf8(value.as_bytes()).ok();
            read.and_then(|text| {
                property::add(&mut self.properties, property, PropertyValue::Text(text.to_owned()))
            })
            .ok_or_else(|| Trouble::header(name.as_str(), value.as_bytes(), "one property of each name"))?;
        }
        Ok(())
    }
}

/// A correlation id as a header or a query has it. From version 3 on it may be a text of the application.
pub(crate) fn correlation(version: Version, text: &str) -> Option<Id> {
    match id::parse(version, text) {
        Some(id) => Some(id),
        None if version == Version::V3 && !text.is_empty() && !text.starts_with("ID:") => {
            Some(id::of_text(text)).filter(|id| *id != NO_ID)
        }
        None => None,
    }
}

pub(crate) fn expected_id(version: Version) -> &'static str {
    match version {
        Version::V3 => "ID: and 48 hexadecimal digits",
        _ => "48 hexadecimal digits",
    }
}

fn expiry(text: &str) -> Result<Option<u64>, Trouble> {
    if text.eq_ignore_ascii_case("unlimited") {
        return Ok(None);
    }
    let digits = !text.is_empty() && text.len() <= 11 && text.bytes().all(|byte| byte.is_ascii_digit());
    let milliseconds = if digits { text.parse::<u64>().ok() } else { None };
    let milliseconds = milliseconds.filter(|milliseconds| *milliseconds <= EXPIRY_MAX_MS);
    match milliseconds {
        // What expires at once lasts for the shortest time that there is.
        Some(milliseconds) => Ok(Some(milliseconds.div_ceil(100).max(1))),
        None => Err(bad(&EXPIRY, text, "unlimited, or milliseconds from 0 to 99999999900")),
    }
}

/// The value of a header that may stand once.
fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, Trouble> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Trouble::header(name.as_str(), value.as_bytes(), "the header once"));
    }
    let text = std::str::from_utf8(value.as_bytes()).ok().map(str::trim);
    text.map(Some).ok_or_else(|| Trouble::header(name.as_str(), value.as_bytes(), "UTF-8"))
}

fn bad(name: &HeaderName, text: &str, expected: &str) -> Trouble {
    Trouble::header(name.as_str(), text.as_bytes(), expected)
}

/// Whether a name of a queue or queue manager can be so.
pub(crate) fn is_name(name: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"._/%".contains(&byte);
    !name.is_empty() && name.len() <= 48 && name.bytes().all(good)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn parse(version: Version, pairs: &[(&'static str, &str)]) -> Result<Descriptor, Trouble> {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).expect("a value"))
        };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs.iter().map(pair) {
            headers.append(name, value);
        }
        Descriptor::parse(version, &headers)
    }

    #[test]
    fn headers_say_what_a_message_is() {
        let found = parse(
            Version::V2,
            &[
                ("ibm-mq-md-persistence", "persistent"),
                ("ibm-mq-md-expiry", "60001"),
                ("ibm-mq-md-correlationid", "000000000000000000000000000000000000000000000000"),
                ("ibm-mq-md-replyto", "R@QM1"),
                ("ibm-mq-md-priority", "9"),
            ],
        );
        let expected = Descriptor {
            expiry_tenths: Some(601),
            persistent: true,
            priority: Some(4),
            reply_to: Some(("R".to_owned(), "QM1".to_owned())),
            ..Descriptor::default()
        };
        assert_eq!(found, Ok(expected));
        let found =
            parse(Version::V3, &[("ibm-mq-md-priority", "9"), ("ibm-mq-md-correlationid", "order 7")]);
        let found = found.expect("good");
        assert_eq!((found.priority, &found.correlation[..7]), (Some(9), &b"order 7"[..]));
        let found = parse(
            Version::V3,
            &[("ibm-mq-usr", "a;1;i4"), ("ibm-mq-usr", "b;\"x\";string"), ("ibm-mq-usr-c", "y")],
        );
        assert_eq!(found.expect("good").properties.len(), 3);
        assert_eq!(parse(Version::V1, &[("ibm-mq-md-expiry", "0")]).expect("good").expiry_tenths, Some(1));
        assert_eq!(
            parse(Version::V1, &[("ibm-mq-md-expiry", "unlimited")]).expect("good").expiry_tenths,
            None
        );
    }

    #[test]
    fn bad_values_are_refused_with_the_name_of_the_header() {
        for (version, name, value) in [
            (Version::V2, "ibm-mq-md-correlationid", "abc"),
            (Version::V2, "ibm-mq-md-correlationid", "ID:000000000000000000000000000000000000000000000000"),
            (Version::V3, "ibm-mq-md-correlationid", "ID:00"),
            (Version::V3, "ibm-mq-md-correlationid", ""),
            (Version::V1, "ibm-mq-md-expiry", "99999999901"),
            (Version::V1, "ibm-mq-md-expiry", "-1"),
            (Version::V1, "ibm-mq-md-expiry", "soon"),
            (Version::V1, "ibm-mq-md-persistence", "true"),
            (Version::V1, "ibm-mq-md-replyto", "a b"),
            (Version::V1, "ibm-mq-md-replyto", "@QM1"),
            (Version::V3, "ibm-mq-md-priority", "10"),
            (Version::V3, "ibm-mq-usr", "a;b;odd"),
        ] {
            let trouble = parse(version, &[(name, value)]).expect_err(value);
            assert_eq!((trouble.status.as_u16(), trouble.id), (400, "MQWB0302E"), "{name}: {value}");
            assert!(trouble.message.contains(name), "{}", trouble.message);
        }
        let twice = [("ibm-mq-md-expiry", "1"), ("ibm-mq-md-expiry", "2")];
        assert_eq!(parse(Version::V1, &twice).expect_err("twice").status, 400);
    }
}
