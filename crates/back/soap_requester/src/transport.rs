//! How messages go to a server, and how its answers come back: over HTTP, or over two queues.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, StatusCode};
use message::{Ccsid, Expiry, Format, Kind, Message, NewMessage, Property, PropertyValue};
use message_calls::{is_package, soap_to_utf8};
use pipeline::By;
use queue_config::QueueExchange;
use remote::{Answer, Connection, Outgoing, Reachable};

use crate::call::{CallError, Within};
use crate::config::SOAP_ACTION;
use crate::jms::{JmsForm, JmsUri};

/// Whether a message is answered: the patterns of messages that SOAP has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A request and its answer.
    RequestResponse,
    /// A message that is not answered.
    OneWay,
}

/// A way for messages to a server, made for one message.
pub trait Transport: fmt::Debug + Send {
    /// Sends a message, and waits for its answer if there is one. Of a message, its headers `Content-Type` and `SOAPAction` and its
    /// body count everywhere. An answer has a content type, a body, and a status that means success or failure.
    fn exchange(
        self,
        outgoing: Outgoing,
        pattern: Pattern,
        within: &Within,
    ) -> impl Future<Output = Result<Answer, CallError>> + Send;
}

/// A server over HTTP.
#[derive(Clone, Debug)]
pub struct HttpRoute {
    /// The connection.
    pub connection: Arc<Connection>,
    /// The path and query below that of the connection.
    pub path: String,
}

impl Transport for HttpRoute {
    async fn exchange(
        self,
        mut outgoing: Outgoing,
        _: Pattern,
        within: &Within,
    ) -> Result<Answer, CallError> {
        outgoing.target = self.path;
        Ok(self.connection.exchange(outgoing, &within.call(&self.connection)).await?)
    }
}

/// A server behind a queue.
#[derive(Clone, Debug)]
pub struct QueueRoute {
    /// The address of the queue.
    pub uri: Arc<JmsUri>,
    /// The queues.
    pub queues: QueueExchange,
    /// The web service that is meant, if the address names none; empty for none.
    pub path: String,
}

impl Transport for QueueRoute {
    async fn exchange(
        self,
        outgoing: Outgoing,
        pattern: Pattern,
        within: &Within,
    ) -> Result<Answer, CallError> {
        let wait = self.wait(within);
        let message = self.message(outgoing, pattern, wait)?;
        match pattern {
            Pattern::OneWay => {
                self.queues.send(message).await.map_err(of_queues)?;
                let headers = HeaderMap::new();
                Ok(Answer { status: StatusCode::ACCEPTED, headers, body: Bytes::new() })
            }
            Pattern::RequestResponse => {
                let reply = self.queues.ask(message, wait).await.map_err(of_queues)?;
                answer(reply.ok_or(CallError::TimedOut)?)
            }
        }
    }
}

impl QueueRoute {
    /// How long a reply is waited for.
    fn wait(&self, within: &Within) -> Duration {
        let left = within.deadline.saturating_duration_since(Instant::now());
        self.uri.timeout_ms.map_or(left, |ms| left.min(Duration::from_millis(ms)))
    }

    /// The message of a request. It expires when its caller stops waiting for the answer.
    fn message(&self, outgoing: Outgoing, pattern: Pattern, wait: Duration) -> Result<NewMessage, CallError> {
        let uri = &self.uri;
        let wait_ms = match pattern {
            Pattern::OneWay => None,
            Pattern::RequestResponse => Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        };
        let expiry = [uri.time_to_live_ms, wait_ms].into_iter().flatten().min();
        Ok(NewMessage {
            persistence: uri.persistence,
            priority: uri.priority,
            expiry: expiry.map_or(Expiry::Unlimited, Expiry::AfterMs),
            kind: match pattern {
                Pattern::OneWay => Kind::Datagram,
                Pattern::RequestResponse => Kind::Request,
            },
            // A MIME package has parts that no queue manager may convert.
            format: if has_package(&outgoing.headers) { Format::NONE } else { Format::STRING },
            ccsid: Ccsid::UTF_8,
            properties: self.properties(&outgoing.headers)?,
            ..NewMessage::bytes(outgoing.body)
        })
    }

    /// The properties of a message, as readers of such addresses expect them.
    fn properties(&self, headers: &HeaderMap) -> Result<Vec<Property>, CallError> {
        let header = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let content_type = header(CONTENT_TYPE).unwrap_or_default();
        let action = header(SOAP_ACTION).map(|action| action.trim_matches('"'));
        let path = Some(self.path.as_str()).filter(|path| !path.is_empty());
        let service = self.uri.target_service.as_deref().or(path);
        let written: [(&str, Option<&str>); 5] = match self.uri.form {
            JmsForm::Mq => [
                ("contentType", Some(content_type)),
                ("transportVersion", Some("1")),
                ("endpointURL", Some(&self.uri.text)),
                ("targetService", service),
                ("soapAction", action),
            ],
            JmsForm::W3c => [
                ("SOAPJMS_contentType", Some(content_type)),
                ("SOAPJMS_bindingVersion", Some("1.0")),
                ("SOAPJMS_requestURI", Some(&self.uri.text)),
                ("SOAPJMS_targetService", service),
                ("SOAPJMS_soapAction", action),
            ],
        };
        let given = written.into_iter().filter_map(|(name, value)| Some((name, value?)));
        given
            .map(|(name, value)| Property::new(name, PropertyValue::Text(value.to_owned())))
            .collect::<Result<_, _>>()
            .map_err(|error| CallError::Refused(error.to_string()))
    }
}

/// The media type of messages that do not say theirs.
const TEXT_XML: &str = "text/xml";

fn has_package(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|written| written.to_str().ok());
    content_type.is_some_and(is_package)
}

/// Makes the answer of a reply. Its content type stands in a property, or follows from its code page.
fn answer(mut reply: Message) -> Result<Answer, CallError> {
    let written = ["SOAPJMS_contentType", "contentType"].into_iter().find_map(|name| text_of(&reply, name));
    let is_utf8 = soap_to_utf8(&mut reply, written.as_deref()).map_err(|reason| {
        let ccsid = reply.descriptor.ccsid.0;
        let message = format!("the reply cannot be converted from CCSID {ccsid}: {}", reason.name());
        CallError::Conversion(message)
    })?;
    // Bytes that are not text by their format name their charset themselves.
    let written = written.unwrap_or_else(|| TEXT_XML.to_owned());
    let content_type = match is_utf8 {
        true => format!("{}; charset=utf-8", written.split(';').next().unwrap_or_default().trim()),
        false => written,
    };
    let content_type = HeaderValue::try_from(content_type)
        .map_err(|_| CallError::Conversion("the reply's content type is not one".to_owned()))?;
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, content_type)]);
    Ok(Answer { status: StatusCode::OK, headers, body: reply.body.into() })
}

fn text_of(message: &Message, name: &str) -> Option<String> {
    let property = message.properties.iter().find(|property| property.name() == name)?;
    match property.value() {
        PropertyValue::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn of_queues(error: service::Error) -> CallError {
    match error.kind {
        service::ErrorKind::TimedOut => CallError::TimedOut,
        service::ErrorKind::Refused | service::ErrorKind::NotAuthorized => CallError::Refused(error.message),
        _ => CallError::Conversion(error.message),
    }
}

/// Where a message goes.
#[derive(Clone, Debug)]
pub enum Route {
    /// Over HTTP.
    Http(HttpRoute),
    /// Over queues.
    Queue(QueueRoute),
}

impl Route {
    /// Its address, as programs see it.
    #[must_use]
    pub fn uri(&self) -> String {
        match self {
            Route::Http(route) => format!("{}{}", route.connection.base(), route.path),
            Route::Queue(route) => route.uri.text.clone(),
        }
    }

    /// The transport, for which a pipeline may have handlers of its own.
    #[must_use]
    pub fn by(&self) -> By<'_> {
        match self {
            Route::Http(_) => By::Http(""),
            Route::Queue(route) => By::Queue(route.uri.destination.as_str()),
        }
    }

    /// True if the server learns the name of the caller.
    #[must_use]
    pub fn names_callers(&self) -> bool {
        match self {
            Route::Http(route) => route.connection.names_callers(),
            Route::Queue(_) => false,
        }
    }

    /// Where an address leads that a program has in place of this one. It is below a connection, this one's first. A queue is
    /// that of this one: options alone may differ.
    ///
    /// # Errors
    /// The configuration does not allow the address; the reason.
    pub fn at(&self, uri: &str, reachable: &Reachable) -> Result<Self, String> {
        if JmsUri::is_meant(uri) {
            let Route::Queue(own) = self else {
                return Err("is of a queue, and the API requester has a connection".to_owned());
            };
            return own.at(uri).map(Route::Queue);
        }
        let own = match self {
            Route::Http(route) => Some(&route.connection),
            Route::Queue(_) => None,
        };
        let found = reachable.at(uri, own);
        let (connection, path) = found.ok_or("is not below the url of any of [connections]")?;
        Ok(Route::Http(HttpRoute { connection, path }))
    }
}

impl QueueRoute {
    fn at(&self, uri: &str) -> Result<Self, String> {
        let uri = JmsUri::parse(uri).map_err(|error| format!("cannot be read: {error}"))?;
        let (own, other) = (&self.uri, &uri);
        if (&own.destination, &own.manager) != (&other.destination, &other.manager)
            || other
                .reply_destination
                .as_ref()
                .is_some_and(|queue| Some(queue) != own.reply_destination.as_ref())
        {
            return Err("has other queues than the uri of the API requester".to_owned());
        }
        Ok(Self { uri: Arc::new(uri), ..self.clone() })
    }
}

impl Transport for Route {
    async fn exchange(
        self,
        outgoing: Outgoing,
        pattern: Pattern,
        within: &Within,
    ) -> Result<Answer, CallError> {
        match self {
            Route::Http(route) => route.exchange(outgoing, pattern, within).await,
            Route::Queue(route) => route.exchange(outgoing, pattern, within).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use message::Descriptor;
    use queue_config::QueueSlot;

    use super::*;

    #[test]
    fn a_route_over_queues_takes_the_handlers_of_queues() {
        let slot = Arc::new(QueueSlot::default());
        let (uri, queues) =
            crate::config::queue("jms:/queue?destination=ASKED", Some(&slot)).expect("an address");
        let route = Route::Queue(QueueRoute { uri, queues, path: String::new() });
        let file = "<requester_pipeline xmlns='http://www.ibm.com/software/htp/cics/pipeline'><service/><transport>\
            <default_http_transport_handler_list><handler><program>WEB</program></handler></default_http_transport_handler_list>\
            <default_mq_transport_handler_list><handler><program>QUEUE</program></handler></default_mq_transport_handler_list>\
            </transport></requester_pipeline>";
        let pipeline = pipeline::file::parse(file).expect("a pipeline");
        let programs: Vec<&str> =
            pipeline.transport.of(route.by()).iter().map(|handler| handler.program.as_str()).collect();
        assert_eq!(programs, ["QUEUE"]);
    }

    #[test]
    fn replies_in_other_code_pages_become_utf_8_whatever_their_content_type_says() {
        let reply = |format, ccsid, content_type: Option<&str>, body: &[u8]| {
            let property = |text: &str| Property::new("contentType", PropertyValue::Text(text.to_owned()));
            Message {
                descriptor: Descriptor { format, ccsid: Ccsid(ccsid), ..Descriptor::default() },
                properties: content_type.into_iter().map(|text| property(text).expect("a name")).collect(),
                body: body.to_vec(),
            }
        };
        // <a/> in EBCDIC, as programs on z/OS put it, and what Gantry must understand.
        let (ebcdic, ascii) = (b"\x4c\x81\x61\x6e".as_slice(), b"<a/>".as_slice());
        let (text, utf_8) = (Format::STRING, "text/xml; charset=utf-8");
        let package = "multipart/related; boundary=b";
        for (reply, content_type, body) in [
            (reply(text, 37, Some(utf_8), ebcdic), utf_8, ascii),
            (reply(text, 37, Some("text/xml;charset=ibm037"), ebcdic), utf_8, ascii),
            (reply(text, 37, Some("text/xml"), ebcdic), utf_8, ascii),
            (reply(text, 37, None, ebcdic), utf_8, ascii),
            (
                reply(text, 37, Some("application/soap+xml; charset=utf-8; action=\"a\""), ebcdic),
                "application/soap+xml; charset=utf-8",
                ascii,
            ),
            (reply(text, 819, Some("text/xml; charset=iso-8859-1"), b"\xe4"), utf_8, "\u{e4}".as_bytes()),
            // Text in UTF-8, and bytes that queue managers do not treat as text, stay.
            (reply(text, 1208, Some("text/xml"), ascii), "text/xml; charset=utf-8", ascii),
            (reply(text, 1208, Some("text/xml; charset=ibm037"), ascii), "text/xml; charset=utf-8", ascii),
            (
                reply(Format::NONE, 37, Some("text/xml; charset=ibm037"), ebcdic),
                "text/xml; charset=ibm037",
                ebcdic,
            ),
            (reply(Format::NONE, 37, None, ascii), "text/xml", ascii),
            (reply(text, 37, Some(package), ebcdic), package, ebcdic),
        ] {
            let answer = answer(reply).expect("an answer");
            let found = answer.headers.get(CONTENT_TYPE).expect("a content type");
            assert_eq!((found, &answer.body[..]), (&HeaderValue::from_static(content_type), body));
        }
        let unknown = answer(reply(text, 99_999, Some(utf_8), ascii));
        assert!(matches!(unknown, Err(CallError::Conversion(_))), "{unknown:?}");
    }
}
