//! A service over a transport in memory: what goes out, and what becomes of each answer.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, StatusCode};
use record::{Bind, Options};
use remote::{Answer, Outgoing};
use soap::{RemoteOperation, Side, Version};

use super::*;
use crate::transport::Pattern;

const COPYBOOK: &str = "       01 ITEM.\n          05 NAME PIC X(5).\n";

/// The messages that a server was sent.
type Sent = Arc<Mutex<Vec<(String, Pattern)>>>;

/// How a server answers.
type Answering = fn(&str) -> Result<Answer, CallError>;

/// A server in memory: it keeps what it was sent, and answers by a function.
#[derive(Clone, Debug)]
struct InMemory {
    sent: Sent,
    answer: Answering,
}

impl Transport for InMemory {
    async fn exchange(self, outgoing: Outgoing, pattern: Pattern, _: &Within) -> Result<Answer, CallError> {
        let body = String::from_utf8(outgoing.body.to_vec()).expect("UTF-8");
        let answer = (self.answer)(&body);
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).push((body, pattern));
        answer
    }
}

fn bind(root: &str) -> Side {
    let parsed = copybook::parse("ITEM.cpy", COPYBOOK, &copybook::Options::default()).expect("a layout");
    let mut options = Options::new(codepage::Encoding::by_ccsid(37).expect("a page"));
    options.xml.root = Some(root.to_owned());
    options.xml.namespace = Some("urn:shop".to_owned());
    Arc::new(Bind::compile(&parsed.layouts[0], &options).expect("a bind")).into()
}

/// A service, and what its server was sent.
fn service(response: Option<Side>, answer: Answering) -> (MessageProvider<InMemory>, Sent) {
    let sent = Sent::default();
    let messages = RemoteOperation {
        version: Version::Soap11,
        action: "urn:find".to_owned(),
        request: bind("Find"),
        response,
    };
    let operation = Arc::new(SoapOperation {
        messages,
        path: String::new(),
        headers: HeaderMap::new(),
        binary_elements: Vec::new(),
        idempotent: false,
        unanswered: Payload::Record(b"none".to_vec()),
    });
    (MessageProvider { operation, transport: InMemory { sent: Arc::clone(&sent), answer } }, sent)
}

async fn called(service: &MessageProvider<InMemory>, request: Payload) -> Result<Payload, Error> {
    let context = CallContext { time_left: Duration::from_secs(1), ..CallContext::default() };
    match service.call(context, request) {
        Outcome::Ready(result) => result,
        Outcome::Pending(future) => future.await,
    }
}

/// "PEN  " in CCSID 37.
fn pen() -> Payload {
    Payload::Record(vec![0xD7, 0xC5, 0xD5, 0x40, 0x40])
}

fn message(body: &str) -> Result<Answer, CallError> {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("text/xml; charset=utf-8"))]);
    let namespace = Version::Soap11.namespace();
    let body = format!("<e:Envelope xmlns:e='{namespace}'><e:Body>{body}</e:Body></e:Envelope>");
    Ok(Answer { status: StatusCode::OK, headers, body: body.into() })
}

#[tokio::test]
async fn a_record_goes_out_and_another_comes_back() {
    let answer = |_: &str| message("<Found xmlns='urn:shop'><name>INK</name></Found>");
    let (service, sent) = service(Some(bind("Found")), answer);
    let record = called(&service, pen()).await.expect("an answer");
    assert_eq!(record, Payload::Record(vec![0xC9, 0xD5, 0xD2, 0x40, 0x40]));
    let sent = sent.lock().expect("nobody has panicked");
    let (body, pattern) = &sent[0];
    assert!(body.contains("<Find xmlns=\"urn:shop\"><name>PEN</name></Find>"), "{body}");
    assert_eq!((sent.len(), *pattern), (1, Pattern::RequestResponse));
}

/// The element of an answer whose elements come in any order, with values of the schema.
const FOUND: &str = r#"<x:element name="Found"><x:complexType><x:all><x:element name="name" type="x:string" default="INK"/>
    <x:element name="count" type="x:int"/><x:element name="note" type="x:string" minOccurs="0"/></x:all>
    <x:attribute name="unit" type="x:token" default="box"/></x:complexType></x:element>"#;

/// The answer as a channel that a WSDL lays out.
fn channel_side() -> Side {
    let text = format!(
        "<w:definitions xmlns:w='http://schemas.xmlsoap.org/wsdl/' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/' xmlns:t='urn:shop' \
         targetNamespace='urn:shop'><w:types><x:schema xmlns:x='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:shop' \
         elementFormDefault='qualified'>{FOUND}</x:schema></w:types><w:message name='M'><w:part name='p' element='t:Found'/></w:message>\
         <w:portType name='P'><w:operation name='O'><w:input message='t:M'/></w:operation></w:portType>\
         <w:binding name='B' type='t:P'><s:binding transport='http://schemas.xmlsoap.org/soap/http'/><w:operation name='O'>\
         <s:operation/><w:input><s:body use='literal'/></w:input></w:operation></w:binding></w:definitions>"
    );
    let read =
        wsdl::read::read("t.wsdl", text.into_bytes(), &mut |_| Err("none".to_owned())).expect("a WSDL");
    let operation = read.bindings[0].operations[0].as_ref().expect("an operation");
    let rules = assistant::Options::web_service("FOUND");
    let shape = wsdl::read::shape(operation.request.as_ref().expect("an element"), &rules).expect("a shape");
    let options = channel::Options {
        container: "DFHWS-DATA".to_owned(),
        ..channel::Options::assistant(codepage::Encoding::by_ccsid(37).expect("a page"))
    };
    let name = channel::Element {
        local: "Found",
        namespace: "urn:shop",
        other_attributes: &xml::OtherAttributes::default(),
    };
    let interface =
        channel::Interface::compile_message(&shape, name, &rules, &options).expect("an interface");
    Side::Channel(Arc::new(interface))
}

/// The answer as a record whose fields say the same.
fn record_side() -> Side {
    const FIELDS: &str = "       01 FOUND.\n          05 UNIT PIC X(3).\n          05 NAME PIC X(3).\n          05 COUNTER PIC 9.\n";
    let parsed = copybook::parse("FOUND.cpy", FIELDS, &copybook::Options::default()).expect("a layout");
    let layout = &parsed.layouts[0];
    let mut options = Options::new(codepage::Encoding::by_ccsid(37).expect("a page"));
    options.xml.root = Some("Found".to_owned());
    options.xml.namespace = Some("urn:shop".to_owned());
    let unit = record::XmlField {
        form: record::XmlForm::Attribute,
        default: Some("box".to_owned()),
        ..Default::default()
    };
    let name = record::XmlField { any_order: true, default: Some("INK".to_owned()), ..Default::default() };
    let count = record::XmlField { name: Some("count".to_owned()), any_order: true, ..Default::default() };
    for (field, xml) in [("UNIT", unit), ("NAME", name), ("COUNTER", count)] {
        let field = layout.resolve(field).expect("a field");
        options.fields.entry(field).or_default().xml = Some(xml);
    }
    Arc::new(Bind::compile(layout, &options).expect("a bind")).into()
}

#[tokio::test]
async fn elements_of_all_in_an_answer_come_in_any_order_and_have_their_defaults() {
    let answers: [Answering; 4] = [
        |_| message("<Found xmlns='urn:shop' unit='box'><name>INK</name><count>7</count></Found>"),
        |_| message("<Found xmlns='urn:shop' unit='box'><count>7</count><name>INK</name></Found>"),
        |_| message("<Found xmlns='urn:shop'><count>7</count><name/></Found>"),
        |_| message("<f:Found xmlns:f='urn:shop'><f:name></f:name><f:count>+07</f:count></f:Found>"),
    ];
    let sides: [fn() -> Side; 2] = [record_side, channel_side];
    for side in sides {
        let mut payloads = Vec::new();
        for answer in answers {
            let (service, _) = service(Some(side()), answer);
            payloads.push(called(&service, pen()).await.expect("an answer"));
        }
        assert!(payloads.iter().all(|payload| *payload == payloads[0]), "{payloads:?}");
        let (service, _) = service(Some(side()), |_| {
            message("<Found xmlns='urn:shop'><count>7</count><name/><count>8</count></Found>")
        });
        let error = called(&service, pen()).await.expect_err("an element that is there twice");
        assert!(error.message.contains("this element occurs twice in its group"), "{error:?}");
    }
    let (service, _) = service(Some(record_side()), answers[2]);
    let record = called(&service, pen()).await.expect("an answer");
    // "boxINK7" in CCSID 37.
    assert_eq!(record, Payload::Record(vec![0x82, 0x96, 0xA7, 0xC9, 0xD5, 0xD2, 0xF7]));
}

#[tokio::test]
async fn a_message_that_is_not_answered_has_an_empty_record() {
    let accepted =
        |_: &str| Ok(Answer { status: StatusCode::ACCEPTED, headers: HeaderMap::new(), body: Bytes::new() });
    let (service, sent) = service(None, accepted);
    let record = called(&service, pen()).await.expect("an answer");
    assert_eq!(record, Payload::Record(b"none".to_vec()));
    assert_eq!(sent.lock().expect("nobody has panicked")[0].1, Pattern::OneWay);
}

#[test]
fn an_action_of_a_handler_goes_where_the_version_has_it() {
    let (service, _) = service(None, |_| Err(CallError::TimedOut));
    let mut operation = (*service.operation).clone();
    operation.headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("own"))]);
    let sent = |operation: &SoapOperation, action: &str| {
        let outgoing = operation.request_for("", action)?;
        let header =
            |name: &str| outgoing.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Some((header("content-type"), header("soapaction")))
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(sent(&operation, "urn:find"), Some((text("own"), None)));
    assert_eq!(sent(&operation, "urn:other"), Some((text("own"), text("\"urn:other\""))));
    operation.messages.version = Version::Soap12;
    let type_12 = "application/soap+xml; charset=utf-8";
    let expected = format!("{type_12}; action=\"urn:other\"");
    assert_eq!(sent(&operation, "urn:other"), Some((text(&expected), None)));
    assert_eq!(sent(&operation, ""), Some((text(type_12), None)));
    for action in ["a\"b", "a\nb", "a\\", "\u{e4}"] {
        assert_eq!(sent(&operation, action), None, "{action}");
    }
}

#[tokio::test]
async fn a_fault_of_a_message_that_is_not_answered_is_told() {
    let fault = |_: &str| {
        let body = "<e:Fault><faultcode>e:Server</faultcode><faultstring>shut</faultstring></e:Fault>";
        message(body).map(|answer| Answer { status: StatusCode::ACCEPTED, ..answer })
    };
    let (faulty, _) = service(None, fault);
    let error = called(&faulty, pen()).await.expect_err("a fault");
    assert_eq!((error.kind, error.message.contains("shut")), (ErrorKind::Faulted, true), "{error:?}");
    // Anything else behind the status 202 is nobody's answer.
    let others: [Answering; 2] = [
        |_| message("<Other/>").map(|answer| Answer { status: StatusCode::ACCEPTED, ..answer }),
        |_| {
            let (status, headers) = (StatusCode::ACCEPTED, HeaderMap::new());
            Ok(Answer { status, headers, body: Bytes::from_static(b"accepted") })
        },
    ];
    for other in others {
        let (service, _) = service(None, other);
        assert_eq!(called(&service, pen()).await, Ok(Payload::Record(b"none".to_vec())));
    }
}

#[tokio::test]
async fn each_way_to_fail_is_told() {
    let fault = |_: &str| {
        message("<e:Fault><faultcode>e:Server</faultcode><faultstring>shut</faultstring></e:Fault>")
    };
    let cases: [(Answering, Payload, ErrorKind, &str); 5] = [
        (fault, pen(), ErrorKind::Faulted, "the fault e:Server: shut"),
        (|_| Err(CallError::TimedOut), pen(), ErrorKind::TimedOut, "no answer in time"),
        (|_| Err(CallError::Refused("full".to_owned())), pen(), ErrorKind::Refused, "full"),
        (|_| message("<Lost xmlns='urn:shop'/>"), pen(), ErrorKind::Failed, "Lost"),
        (fault, Payload::Record(vec![0x40]), ErrorKind::Failed, "the request's record: "),
    ];
    for (answer, request, kind, expected) in cases {
        let (service, _) = service(Some(bind("Found")), answer);
        let error = called(&service, request).await.expect_err(expected);
        assert_eq!(error.kind, kind, "{error:?}");
        assert!(error.message.contains(expected), "{error:?}");
    }
}
