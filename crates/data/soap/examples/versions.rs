//! Serves messages of 123 fields in SOAP 1.1 or SOAP 1.2: from the text to the record, and back to an answer.
//!
//! Clocks do not show the difference, so count instructions: run
//! `valgrind --tool=callgrind target/release/examples/versions 1.1 1000`, then the same with `1.2`, and with 0 messages for the start.
//! Valgrind has no AVX-512, so it counts those for AVX2.

use std::hint::black_box;
use std::sync::Arc;

use codepage::CodePage;
use record::{Bind, Naming, Options};
use service::Payload;
use soap::{FaultStyle, Heard, Operation, Version, Versions, WebService, Wsdl};

const COPYBOOK: &str = include_str!("../../../../experiments/typical/gantry/copybooks/TYPICAL.cpy");
const REQUESTS: &str = "http://www.TYPICAL.Request.com";
const ANSWERS: &str = "http://www.TYPICAL.Response.com";

fn bind(root: &str, namespace: &str) -> Arc<Bind> {
    let parsed = copybook::parse("TYPICAL.cpy", COPYBOOK, &copybook::Options::default()).expect("a copybook");
    let page = CodePage::by_ccsid(37).expect("CCSID 37");
    let mut options = Options { naming: Naming::Ls2ws, ..Options::new(page) };
    options.xml.root = Some(root.to_owned());
    options.xml.namespace = Some(namespace.to_owned());
    Arc::new(Bind::compile(&parsed.layouts[0], &options).expect("a bind"))
}

fn service() -> WebService {
    WebService {
        name: "TYPICAL".to_owned(),
        path: "/TYPICAL".to_owned(),
        versions: Versions::All,
        faults: FaultStyle::Gantry,
        username_token: false,
        needs_caller: false,
        mtom: None,
        operations: vec![Operation {
            element: "TYPICALOperation".to_owned(),
            namespace: REQUESTS.to_owned(),
            request: bind("TYPICALOperation", REQUESTS).into(),
            response: Some(bind("TYPICALOperationResponse", ANSWERS).into()),
            binary_elements: Vec::new(),
            response_action: String::new(),
        }],
        wsdl: Wsdl::new(""),
    }
}

/// A message of a record as it begins: blank texts, and numbers that are zero.
fn message(version: Version) -> String {
    let bind = bind("TYPICALOperation", REQUESTS);
    let mut record = Vec::new();
    bind.start(&mut record);
    let mut body = Vec::new();
    bind.finish(&mut record).expect("a record of defaults");
    bind.decode_xml(&record, &mut body).expect("XML");
    let body = String::from_utf8(body).expect("UTF-8");
    format!("<s:Envelope xmlns:s=\"{}\"><s:Body>{body}</s:Body></s:Envelope>", version.namespace())
}

/// Serves a message; gives the length of the answer.
fn serve(service: &WebService, bytes: &[u8]) -> usize {
    let mut heard = Heard::default();
    let (text, encoding) = soap::text(bytes, Some("utf-8")).expect("a text");
    let mut cursor = soap::cursor(&text, encoding).expect("characters of XML");
    let message = soap::read(&mut cursor, &service.expected(""), &mut heard).expect("an envelope");
    let index = service.operation(&cursor, &message.open).expect("an operation");
    let operation = &service.operations[index];
    let payload =
        operation.payload(&mut cursor, (&message.open, message.version), &heard).expect("a payload");
    assert!(matches!(payload, Payload::Record(_)));
    operation.answer(message.version, &heard, &payload).expect("an answer").len()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, version, count] = &arguments[..] else { panic!("usage: versions 1.1|1.2 MESSAGES") };
    let version = if version == "1.2" { Version::Soap12 } else { Version::Soap11 };
    let count: usize = count.parse().expect("a number of messages");
    let (service, message) = (service(), message(version));
    let bytes: usize = (0..count).map(|_| serve(&service, black_box(message.as_bytes()))).sum();
    println!("SOAP {}: {count} messages, {bytes} bytes of answers", version.number());
}
