//! The descriptor of a message in the headers of a put: `ibm-mq-md-...` and `ibm-mq-usr`.

use http::{HeaderMap, HeaderName};

use message::{
    CorrelationId, Expiry, Kind, ManagerName, NewMessage, Persistence, Priority, Property, PropertyValue,
    QueueName, ReplyTo,
};

use crate::id::{self, Id, NO_ID};
use crate::property;
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

/// The property whose text becomes the correlation id, by its name in JMS.
pub(crate) const CORRELATION_TEXT: &str = "JMSCorrelationID";

/// Tenths of a second are what counts.
const TENTH_MS: u64 = 100;

/// The priority of versions without the header for it.
const PRIORITY_DEFAULT: u8 = 4;

/// A message with the descriptor of these headers; its body and format come later.
pub(crate) fn parse(version: Version, headers: &HeaderMap) -> Result<NewMessage, Trouble> {
    let message = NewMessage { persistence: Some(Persistence::NonPersistent), ..NewMessage::default() };
    let mut reading = Reading(message);
    reading.read(version, headers)?;
    Ok(reading.0)
}

/// A message whose headers are read.
struct Reading(NewMessage);

impl Reading {
    fn read(&mut self, version: Version, headers: &HeaderMap) -> Result<(), Trouble> {
        let found = &mut self.0;
        if let Some(text) = text(headers, &EXPIRY)? {
            found.expiry = expiry(text)?;
        }
        if let Some(text) = text(headers, &PERSISTENCE)? {
            found.persistence = Some(match text {
                _ if text.eq_ignore_ascii_case("persistent") => Persistence::Persistent,
                _ if text.eq_ignore_ascii_case("nonPersistent") => Persistence::NonPersistent,
                _ => return Err(bad(&PERSISTENCE, text, "persistent or nonPersistent")),
            });
        }
        if let Some(text) = text(headers, &REPLY_TO)? {
            let reply_to = reply_to(text);
            found.reply_to =
                Some(reply_to.ok_or_else(|| bad(&REPLY_TO, text, "queue or queue@queue-manager"))?);
            // IBM MQ, "Mapping JMS provider-specific fields": a queue for the reply makes it MQMT_REQUEST.
            found.kind = Kind::Request;
        }
        found.priority = match text(headers, &PRIORITY)? {
            _ if version < Version::V3 => Priority::new(PRIORITY_DEFAULT),
            None => None,
            Some(text) if text.eq_ignore_ascii_case("asDestination") => None,
            Some(text) => match text.as_bytes() {
                [digit @ b'0'..=b'9'] => Priority::new(digit - b'0'),
                _ => return Err(bad(&PRIORITY, text, "0 to 9 or asDestination")),
            },
        };
        if let Some(text) = text(headers, &CORRELATION_ID)? {
            self.correlate(version, text)?;
        }
        if version == Version::V3 {
            self.take_properties(headers)?;
        }
        Ok(())
    }

    fn correlate(&mut self, version: Version, text: &str) -> Result<(), Trouble> {
        match correlation(version, text) {
            Some(id) => self.0.correlation_id = CorrelationId(id),
            None => return Err(bad(&CORRELATION_ID, text, expected_id(version))),
        }
        if id::parse(version, text).is_none() {
            let value = PropertyValue::Text(text.to_owned());
            self.0.properties.extend(Property::new(CORRELATION_TEXT, value));
        }
        Ok(())
    }

    fn take_properties(&mut self, headers: &HeaderMap) -> Result<(), Trouble> {
        let expected = || {
            let types = "boolean, i1, i2, i4, i8, r4, r8, string";
            let most = property::PROPERTIES_MAX;
            format!("at most {most} properties name;value;type, each name once, none reserved, types {types}")
        };
        for value in headers.get_all(PROPERTIES) {
            let read = std::str::from_utf8(value.as_bytes()).ok();
            read.and_then(|text| property::parse(text, &mut self.0.properties))
                .ok_or_else(|| Trouble::header(PROPERTIES.as_str(), value.as_bytes(), &expected()))?;
        }
        for (name, value) in headers {
            let Some(property) = name.as_str().strip_prefix(PROPERTY_PREFIX) else { continue };
            let read = std::str::from_utf8(value.as_bytes()).ok();
            read.and_then(|text| {
                property::add(&mut self.0.properties, property, PropertyValue::Text(text.to_owned()))
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

fn expiry(text: &str) -> Result<Expiry, Trouble> {
    if text.eq_ignore_ascii_case("unlimited") {
        return Ok(Expiry::Unlimited);
    }
    let digits = !text.is_empty() && text.len() <= 11 && text.bytes().all(|byte| byte.is_ascii_digit());
    let milliseconds = if digits { text.parse::<u64>().ok() } else { None };
    let milliseconds = milliseconds.filter(|milliseconds| *milliseconds <= EXPIRY_MAX_MS);
    match milliseconds {
        // An expiry of 0 becomes the shortest time that a message can have.
        Some(milliseconds) => Ok(Expiry::AfterMs(milliseconds.div_ceil(TENTH_MS).max(1) * TENTH_MS)),
        None => Err(bad(&EXPIRY, text, "unlimited, or milliseconds from 0 to 99999999900")),
    }
}

fn reply_to(text: &str) -> Option<ReplyTo> {
    let (queue, manager) = match text.split_once('@') {
        Some((queue, manager)) => (queue, Some(ManagerName::new(manager).ok()?)),
        None => (text, None),
    };
    Some(ReplyTo { queue: QueueName::new(queue).ok()?, manager })
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

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn parse(version: Version, pairs: &[(&'static str, &str)]) -> Result<NewMessage, Trouble> {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).expect("a value"))
        };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs.iter().map(pair) {
            headers.append(name, value);
        }
        super::parse(version, &headers)
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
        let reply_to = ReplyTo {
            queue: QueueName::new("R").expect("a name"),
            manager: Some(ManagerName::new("QM1").expect("a name")),
        };
        let expected = NewMessage {
            expiry: Expiry::AfterMs(60_100),
            persistence: Some(Persistence::Persistent),
            priority: Priority::new(4),
            kind: Kind::Request,
            reply_to: Some(reply_to),
            ..NewMessage::default()
        };
        assert_eq!(found, Ok(expected));
        let found =
            parse(Version::V3, &[("ibm-mq-md-priority", "9"), ("ibm-mq-md-correlationid", "order 7")]);
        let found = found.expect("good");
        assert_eq!((found.priority, &found.correlation_id.0[..7]), (Priority::new(9), &b"order 7"[..]));
        // The text comes back as it was sent, also if it is short.
        let text = Property::new(CORRELATION_TEXT, PropertyValue::Text("order 7".to_owned()));
        assert_eq!(found.properties, [text.expect("a name")]);
        let id = format!("ID:{}", "ab".repeat(24));
        let found = parse(Version::V3, &[("ibm-mq-md-correlationid", &id)]).expect("good");
        assert!(found.properties.is_empty());
        let found = parse(
            Version::V3,
            &[("ibm-mq-usr", "a;1;i4"), ("ibm-mq-usr", "b;\"x\";string"), ("ibm-mq-usr-c", "y")],
        );
        assert_eq!(found.expect("good").properties.len(), 3);
        assert_eq!(
            parse(Version::V1, &[("ibm-mq-md-expiry", "0")]).expect("good").expiry,
            Expiry::AfterMs(100)
        );
        assert_eq!(
            parse(Version::V1, &[("ibm-mq-md-expiry", "unlimited")]).expect("good").expiry,
            Expiry::Unlimited
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
