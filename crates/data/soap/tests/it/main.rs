//! Messages as bytes, records as bytes, and the contents of faults.

mod addressing;
mod faults;
mod headers;
mod messages;
mod mtom;
mod property;
mod tokens;

use std::sync::Arc;

use codepage::CodePage;
use record::{Bind, Options};
use service::Payload;
use soap::{FaultContext, FaultStyle, Heard, Operation, Token, Trouble, Version, Versions, WebService, Wsdl};

pub(crate) const S11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
pub(crate) const S12: &str = "http://www.w3.org/2003/05/soap-envelope";

const NOTE: &str = "
       01  NOTE.
           05  NUMBER-OF   PIC 9(4).
           05  WORDS       PIC X(8).
";

/// A bind of the record NOTE in EBCDIC, under an element.
pub(crate) fn bind(element: &str, namespace: &str) -> Arc<Bind> {
    let parsed = copybook::parse("NOTE.cpy", NOTE, &copybook::Options::default()).expect("a copybook");
    let mut options = Options::new(CodePage::by_ccsid(37).expect("CCSID 37"));
    options.xml.root = Some(element.to_owned());
    options.xml.namespace = Some(namespace.to_owned());
    Arc::new(Bind::compile(&parsed.layouts[0], &options).expect("a bind"))
}

/// A web service with one operation that has an answer, and one without.
pub(crate) fn service(versions: Versions) -> WebService {
    let operation = |element: &str, response: Option<Arc<Bind>>| Operation {
        element: element.to_owned(),
        namespace: "urn:in".to_owned(),
        request: bind(element, "urn:in").into(),
        response: response.map(Into::into),
        binary_elements: Vec::new(),
        response_action: "urn:answer".to_owned(),
    };
    WebService {
        name: "NOTES".to_owned(),
        path: "/notes".to_owned(),
        versions,
        faults: FaultStyle::Gantry,
        username_token: true,
        needs_caller: false,
        mtom: None,
        operations: vec![operation("add", Some(bind("added", "urn:out"))), operation("tell", None)],
        wsdl: Wsdl::new(""),
    }
}

/// A message that was read to its end.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) version: Version,
    pub(crate) operation: usize,
    pub(crate) token: Option<Token>,
    pub(crate) record: Vec<u8>,
}

/// Reads a message like a front.
pub(crate) fn take(
    service: &WebService,
    (bytes, charset, action): (&[u8], Option<&str>, &str),
    heard: &mut Heard,
) -> Result<Taken, Trouble> {
    let (text, encoding) = soap::text(bytes, charset)?;
    let mut cursor = soap::cursor(&text, encoding)?;
    let message = soap::read(&mut cursor, &service.expected(action), heard)?;
    let operation = service.operation(&cursor, &message.open)?;
    let (open, version) = (message.open, message.version);
    let payload = service.operations[operation].payload(&mut cursor, (&open, version), heard)?;
    let Payload::Record(record) = payload else { panic!("{payload:?}") };
    Ok(Taken { version, operation, token: message.token, record })
}

/// The message's record, or its trouble, and the known facts.
pub(crate) fn taken(message: &str) -> (Heard, Result<Taken, Trouble>) {
    taken_by(&service(Versions::All), message)
}

pub(crate) fn taken_by(service: &WebService, message: &str) -> (Heard, Result<Taken, Trouble>) {
    let mut heard = Heard::default();
    let taken = take(service, (message.as_bytes(), None, ""), &mut heard);
    (heard, taken)
}

/// The fault of a message: its status and its text.
#[track_caller]
pub(crate) fn fault(message: &str) -> (u16, String) {
    let service = service(Versions::All);
    let (heard, taken) = taken_by(&service, message);
    fault_of(&service, &heard, &taken.expect_err("it is refused"))
}

pub(crate) fn fault_of(service: &WebService, heard: &Heard, trouble: &Trouble) -> (u16, String) {
    let (status, fault) = trouble.fault(&FaultContext {
        version: heard.version.unwrap_or(Version::Soap11),
        versions: service.versions,
        style: service.faults,
        service: &service.name,
        id: "r-1",
        reply: heard.reply.as_ref(),
    });
    let text = String::from_utf8(fault).expect("UTF-8");
    roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (status, text)
}

/// An envelope around header blocks and the content of a body.
pub(crate) fn envelope(namespace: &str, header: &str, body: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"{namespace}\"><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>"
    )
}

pub(crate) const ADD: &str = "<add xmlns=\"urn:in\"><number_of>7</number_of><words>hello</words></add>";

/// The record of [`ADD`].
pub(crate) const RECORD: [u8; 12] = [0xF0, 0xF0, 0xF0, 0xF7, 0x88, 0x85, 0x93, 0x93, 0x96, 0x40, 0x40, 0x40];
