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

#[tokio::test]
async fn a_message_that_is_not_answered_has_an_empty_record() {
    let accepted =
        |_: &str| Ok(Answer { status: StatusCode::ACCEPTED, headers: HeaderMap::new(), body: Bytes::new() });
    let (service, sent) = service(None, accepted);
    let record = called(&service, pen()).await.expect("an answer");
    assert_eq!(record, Payload::Record(b"none".to_vec()));
    assert_eq!(sent.lock().expect("nobody has panicked")[0].1, Pattern::OneWay);
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
