//! SOAP messages: their properties, and their replies.
//!
//! The properties are those of IBM MQ's transport for SOAP, which CICS also uses, or those of SOAP
//! over JMS (W3C).

use bytes::Bytes;
use gateway::Answered;
use http::HeaderValue;
use message::{Ccsid, Format, Message, Property, PropertyValue};
use message_calls::{is_package, soap_to_utf8};
use soap::ContentType;

use crate::delivery::{Failed, PathOf, failed, not_now, of_answer};
use crate::reply::Body;

/// The namespace of envelopes of SOAP 1.2.
const SOAP_12: &[u8] = b"http://www.w3.org/2003/05/soap-envelope";
/// The first bytes of a body, where the namespace of an envelope is searched.
const HEAD_BYTES: usize = 4096;

const TYPE_11: &str = "text/xml; charset=utf-8";
const TYPE_12: &str = "application/soap+xml; charset=utf-8";

/// A message in its form for a web service.
pub(crate) struct SoapMessage {
    pub(crate) content_type: HeaderValue,
    /// The header SOAPAction.
    pub(crate) action: Option<HeaderValue>,
    pub(crate) body: Bytes,
}

/// The path of the web service in a message's property.
pub(crate) fn target_service(message: &Message) -> Result<&str, Failed> {
    let named = text(message, ["targetService", "SOAPJMS_targetService"]);
    let named = named.ok_or_else(|| failed("it has no property targetService"))?;
    match named.strip_prefix('=').unwrap_or(named) {
        path if path.starts_with('/') => Ok(path),
        other => Err(failed(&format!("its targetService is not a path of a web service: '{other}'"))),
    }
}

impl SoapMessage {
    /// Makes it from the message and its properties.
    pub(crate) fn of(message: &Message) -> Result<Self, Failed> {
        let written = text(message, ["contentType", "SOAPJMS_contentType"]);
        let mut message = message.clone();
        let is_utf8 = soap_to_utf8(&mut message, written)
            .map_err(|reason| failed(&format!("its text cannot be converted to UTF-8: {}", reason.name())))?;
        let is_12 = match written {
            Some(written) => media_type(written).eq_ignore_ascii_case(media_type(TYPE_12)),
            None => is_of_soap_12(&message.body),
        };
        let usual = if is_12 { TYPE_12 } else { TYPE_11 };
        let content_type = match (written, is_utf8) {
            (_, true) => usual,
            (Some(written), false) => written,
            // The bytes say in their own words what they are.
            (None, false) => media_type(usual),
        };
        let value = |text: &str| HeaderValue::try_from(text).map_err(|_| failed("a property is no header"));
        let named =
            text(&message, ["soapAction", "SOAPJMS_soapAction"]).map(|action| action.trim_matches('"'));
        let of_type = written.and_then(ContentType::parse).and_then(|written| written.action);
        let has_own = ContentType::parse(content_type).is_some_and(|own| own.action.is_some());
        // SOAP 1.2 has the action in the content type.
        let action = of_type.or(named).filter(|action| !action.is_empty() && !action.contains(['"', '\\']));
        let content_type = match action {
            Some(action) if is_12 && !has_own => value(&format!("{content_type}; action=\"{action}\""))?,
            _ => value(content_type)?,
        };
        let action = named.map(|action| value(&format!("\"{action}\""))).transpose()?;
        Ok(Self { content_type, action, body: message.body.into() })
    }
}

/// The reply of a web service; none if the web service gives none. If the fault is the caller's and
/// it wants a reply, the reply carries the fault.
pub(crate) fn reply(
    message: &Message,
    answered: Answered,
    chosen_by: PathOf,
) -> Result<Option<Body>, Failed> {
    let chosen_by = if answered.names_caller { PathOf::Message } else { chosen_by };
    let is_told = match answered.code {
        // A program may have made this fault on purpose.
        None => true,
        Some(code) => {
            let wants_reply = message.descriptor.reply_to.is_some();
            let is_of_caller = code.is_of_caller() && !chosen_by.waits_for_correction(code);
            is_of_caller && wants_reply && answered.content_type.is_some()
        }
    };
    if !is_told {
        let of = of_answer(answered, chosen_by);
        return of.map(|_| None);
    }
    let Some(content_type) = answered.content_type.filter(|_| !answered.body.is_empty()) else {
        return Ok(None);
    };
    let content_type = content_type.to_str().map_err(|_| failed("the content type of its answer is none"))?;
    Ok(Some(Body {
        bytes: answered.body.to_vec(),
        format: if is_package(content_type) { Format::NONE } else { Format::STRING },
        ccsid: Ccsid::UTF_8,
        properties: properties(message, content_type, !answered.status.is_success()),
    }))
}

/// The properties of a reply, in the style of the request.
fn properties(message: &Message, content_type: &str, is_fault: bool) -> Vec<Property> {
    let of_text = |text: &str| PropertyValue::Text(text.to_owned());
    let written = match text(message, ["SOAPJMS_contentType", "SOAPJMS_requestURI"]) {
        Some(_) => vec![
            ("SOAPJMS_contentType", of_text(content_type)),
            ("SOAPJMS_bindingVersion", of_text("1.0")),
            ("SOAPJMS_isFault", PropertyValue::Boolean(is_fault)),
        ],
        None => vec![("contentType", of_text(content_type)), ("transportVersion", of_text("1"))],
    };
    let uri = text(message, ["SOAPJMS_requestURI"]).map(|uri| ("SOAPJMS_requestURI", of_text(uri)));
    written.into_iter().chain(uri).filter_map(|(name, value)| Property::new(name, value).ok()).collect()
}

/// The text of the first of these properties in a message.
fn text<'m, const N: usize>(message: &'m Message, names: [&str; N]) -> Option<&'m str> {
    names.into_iter().find_map(|name| {
        let property = message.properties.iter().find(|property| property.name() == name)?;
        match property.value() {
            PropertyValue::Text(text) => Some(text.as_str()),
            _ => None,
        }
    })
}

/// A content type without its parameters.
fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

fn is_of_soap_12(body: &[u8]) -> bool {
    let head = &body[..body.len().min(HEAD_BYTES)];
    head.windows(SOAP_12.len()).any(|found| found == SOAP_12)
}

/// The failure for a path without a web service.
pub(crate) fn no_web_service(path: &str, chosen_by: PathOf) -> Failed {
    let cause = format!("there is no web service at {path}");
    match chosen_by {
        PathOf::Listener => not_now(&cause),
        PathOf::Message => failed(&cause),
    }
}

#[cfg(test)]
mod tests {
    use failure::Code;
    use http::StatusCode;
    use message::{Descriptor, ReplyTo};

    use super::*;

    fn message(format: Format, ccsid: u32, properties: &[(&str, &str)], body: &[u8]) -> Message {
        let property = |(name, text): &(&str, &str)| {
            Property::new(name, PropertyValue::Text((*text).to_owned())).expect("a name")
        };
        Message {
            descriptor: Descriptor { format, ccsid: Ccsid(ccsid), ..Descriptor::default() },
            properties: properties.iter().map(property).collect(),
            body: body.to_vec(),
        }
    }

    #[test]
    fn what_a_message_is_follows_from_its_properties_or_its_text() {
        let of_12 = [b"<e:Envelope xmlns:e='".as_slice(), SOAP_12, b"'/>"].concat();
        let latin = ("contentType", "text/xml; charset=iso-8859-1");
        for (message, content_type, body) in [
            (message(Format::STRING, 1208, &[], b"<a/>"), TYPE_11, b"<a/>".as_slice()),
            (message(Format::STRING, 1208, &[], &of_12), TYPE_12, &of_12),
            (message(Format::NONE, 1208, &[], &of_12), "application/soap+xml", &of_12),
            (message(Format::STRING, 37, &[latin], b"\x4c\x81\x61\x6e"), TYPE_11, b"<a/>"),
            (message(Format::STRING, 1208, &[latin], b"<a/>"), TYPE_11, b"<a/>"),
            (message(Format::NONE, 37, &[latin], b"<\xe4/>"), latin.1, b"<\xe4/>"),
            (message(Format::NONE, 37, &[("SOAPJMS_contentType", TYPE_12)], b"<a/>"), TYPE_12, b"<a/>"),
        ] {
            let found = SoapMessage::of(&message).expect("a message");
            assert_eq!((found.content_type, &found.body[..]), (HeaderValue::from_static(content_type), body));
        }
        let found = message(Format::STRING, 1208, &[("soapAction", "urn:a")], b"<a/>");
        assert_eq!(
            SoapMessage::of(&found).expect("a message").action,
            Some(HeaderValue::from_static("\"urn:a\""))
        );
        assert!(SoapMessage::of(&message(Format::STRING, 99_999, &[], b"<a/>")).is_err());
        // SOAP 1.2 has its action in the content type.
        let (of_type, named) =
            ("Application/SOAP+xml; action=\"urn:a\"", ("SOAPJMS_soapAction", "\"urn:a\""));
        let in_type = format!("{TYPE_12}; action=\"urn:a\"");
        for (format, properties, expected) in [
            (Format::STRING, &[("SOAPJMS_contentType", of_type)][..], &*in_type),
            (Format::NONE, &[("SOAPJMS_contentType", of_type), named], of_type),
            (Format::STRING, &[("SOAPJMS_contentType", TYPE_12), named], &in_type),
            (Format::NONE, &[("SOAPJMS_contentType", TYPE_12), named], &in_type),
            (Format::STRING, &[("SOAPJMS_contentType", TYPE_12), ("soapAction", "")], TYPE_12),
            (Format::STRING, &[("SOAPJMS_contentType", TYPE_11), named], TYPE_11),
        ] {
            let found = SoapMessage::of(&message(format, 1208, properties, b"<a/>")).expect("a message");
            assert_eq!(found.content_type, expected, "{properties:?}");
        }
    }

    #[test]
    fn a_target_service_is_a_path() {
        let with = |name, text| message(Format::STRING, 1208, &[(name, text)], b"");
        for named in
            [with("targetService", "/a"), with("SOAPJMS_targetService", "/a"), with("targetService", "=/a")]
        {
            assert_eq!(target_service(&named).expect("a path"), "/a");
        }
        assert!(target_service(&with("targetService", "a.asmx")).is_err());
        assert!(target_service(&message(Format::STRING, 1208, &[], b"")).is_err());
    }

    #[test]
    fn faults_of_the_caller_are_replies_and_others_are_failures() {
        let answered = |status: u16, code| Answered {
            status: StatusCode::from_u16(status).expect("a status"),
            body: Bytes::from_static(b"<fault/>"),
            code,
            content_type: Some(HeaderValue::from_static(TYPE_11)),
            names_caller: false,
        };
        let mut asks = message(Format::STRING, 1208, &[("SOAPJMS_requestURI", "jms:queue:A")], b"");
        let of_listener = |answered| reply(&asks, answered, PathOf::Listener);
        assert!(of_listener(answered(500, Some(Code::BadEnvelope))).is_err(), "nobody would hear of it");
        let queue = message::QueueName::new("R").expect("a name");
        asks.descriptor.reply_to = Some(ReplyTo { queue, manager: None });
        let of_listener = |answered| reply(&asks, answered, PathOf::Listener);
        for (status, code) in [(500, Some(Code::BadEnvelope)), (500, None), (200, None)] {
            let body = of_listener(answered(status, code)).ok().flatten().expect("a reply");
            let is_fault =
                Property::new("SOAPJMS_isFault", PropertyValue::Boolean(status != 200)).expect("a name");
            assert!(body.properties.contains(&is_fault), "{status} {code:?}: {:?}", body.properties);
        }
        for code in [Code::BadRecord, Code::Stopped, Code::NotAuthorized, Code::UnknownPath] {
            assert!(of_listener(answered(500, Some(code))).is_err(), "{code:?}");
        }
        // A path that the message has chosen is its own fault.
        for code in [Code::NotAuthorized, Code::UnknownPath] {
            let told = reply(&asks, answered(500, Some(code)), PathOf::Message);
            assert!(told.is_ok_and(|body| body.is_some()), "{code:?}");
        }
        // So is a caller that the message has named.
        let named = Answered { names_caller: true, ..answered(401, Some(Code::Unauthenticated)) };
        assert!(of_listener(named).is_ok_and(|body| body.is_some()));
        let nothing = Answered { body: Bytes::new(), ..answered(202, None) };
        assert!(of_listener(nothing).is_ok_and(|body| body.is_none()));
    }
}
