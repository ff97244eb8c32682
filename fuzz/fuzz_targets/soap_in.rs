//! Any bytes as a SOAP message, by any of some charsets: a fault of XML, or a record whose answer is XML too. The same bytes as the answer of
//! a server of others: a fault whose body can be sent on, a record whose envelope is XML, or what is wrong.
#![no_main]

use std::sync::{Arc, OnceLock};

use libfuzzer_sys::fuzz_target;
use record::{Bind, Options};
use soap::{
    FaultContext, FaultStyle, Given, Heard, Operation, RemoteOperation, Side, Trouble, Unanswered, Version,
    Versions, WebService, Wsdl,
};

const NOTE: &str = "
       01  NOTE.
           05  N           PIC 9.
           05  W           PIC X(8).
           05  G           OCCURS 0 TO 4 DEPENDING ON N.
               10  K       PIC S9(3) COMP-3.
";

fn bind(element: &str) -> Arc<Bind> {
    let parsed = copybook::parse("NOTE.cpy", NOTE, &copybook::Options::default()).expect("a copybook");
    let mut options = Options::new(codepage::CodePage::by_ccsid(37).expect("CCSID 37"));
    options.xml.root = Some(element.to_owned());
    options.xml.namespace = Some("u".to_owned());
    Arc::new(Bind::compile(&parsed.layouts[0], &options).expect("a bind"))
}

/// Messages that a WSDL lays out in containers: choices, groups that repeat, types by `xsi:type`, any XML.
fn orders() -> Operation {
    let mut wsdls = web_service::Wsdls::default();
    let mut files = |_: &str| Ok(include_bytes!("../../crates/data/channel/tests/orders.wsdl").to_vec());
    let wsdl = wsdls.get("orders.wsdl", &mut files).expect("a WSDL");
    let section = web_service::MessagesSection {
        binding: None,
        wsdl: "orders.wsdl".to_owned(),
        operation: "Order".to_owned(),
        interface: web_service::InterfaceKind::Channel,
        container: None,
        layout: web_service::Laying { mapping_level: web_service::Level::V4_3, ..Default::default() },
    };
    let encoding = codepage::Encoding::by_ccsid(37).expect("CCSID 37");
    let messages = section.compile(wsdl, encoding).expect("messages");
    Operation {
        element: "Order".to_owned(),
        namespace: "urn:t".to_owned(),
        request: Side::Channel(messages.request),
        response: messages.response.map(Side::Channel),
        binary_elements: Vec::new(),
        response_action: "u".to_owned(),
    }
}

fn service() -> &'static WebService {
    static SERVICE: OnceLock<WebService> = OnceLock::new();
    SERVICE.get_or_init(|| WebService {
        name: "NOTES".to_owned(),
        path: "/notes".to_owned(),
        versions: Versions::All,
        faults: FaultStyle::Cics,
        username_token: true,
        needs_caller: false,
        mtom: None,
        operations: vec![
            Operation {
                element: "a".to_owned(),
                namespace: "u".to_owned(),
                request: bind("a").into(),
                response: Some(bind("b").into()),
                binary_elements: Vec::new(),
                response_action: "u".to_owned(),
            },
            orders(),
        ],
        wsdl: Wsdl::new(""),
    })
}

fn answer(bytes: &[u8], charset: Option<&str>, heard: &mut Heard) -> Result<Vec<u8>, Trouble> {
    let service = service();
    let (text, encoding) = soap::text(bytes, charset)?;
    let mut cursor = soap::cursor(&text, encoding)?;
    let message = soap::read(&mut cursor, &service.expected(""), heard)?;
    let operation = &service.operations[service.operation(&cursor, &message.open)?];
    let payload = operation.payload(&mut cursor, (&message.open, message.version), heard)?;
    operation.answer(message.version, heard, &payload)
}

/// The message as the answer of a server of others.
fn as_answer(bytes: &[u8], charset: Option<&str>, version: Version) {
    static BIND: OnceLock<Arc<Bind>> = OnceLock::new();
    let bind = BIND.get_or_init(|| bind("a"));
    let operation = RemoteOperation {
        version,
        action: String::new(),
        request: bind.clone().into(),
        response: Some(bind.clone().into()),
    };
    let Ok((text, encoding)) = soap::text(bytes, charset) else { return };
    match operation.payload(&text, encoding) {
        Ok(payload) => {
            // A record may have bytes of its code page that XML does not allow.
            if let Ok(envelope) = operation.envelope(Given::of(&payload).expect("a record")) {
                let text = String::from_utf8(envelope).expect("UTF-8");
                roxmltree::Document::parse(&text).expect("what is written is XML");
            }
        }
        Err(Unanswered::Fault(fault)) => {
            assert!(fault.body.contains("Body") && !fault.to_string().chars().any(char::is_control));
        }
        Err(Unanswered::Trouble(trouble)) => drop(trouble),
    }
}

fuzz_target!(|input: &[u8]| {
    const CHARSETS: [Option<&str>; 6] =
        [None, Some("utf-8"), Some("utf-16"), Some("IBM037"), Some("iso-8859-1"), Some("shift_jis")];
    let Some((first, message)) = input.split_first() else { return };
    let charset = CHARSETS[usize::from(*first) % CHARSETS.len()];
    let version = if first & 0x80 == 0 { Version::Soap11 } else { Version::Soap12 };
    as_answer(message, charset, version);
    let mut heard = Heard::default();
    let written = answer(message, charset, &mut heard).unwrap_or_else(|trouble| {
        let context = FaultContext {
            version: heard.version.unwrap_or(Version::Soap11),
            versions: Versions::All,
            style: service().faults,
            service: "NOTES",
            id: "r",
            reply: heard.reply.as_ref(),
        };
        trouble.fault(&context).1
    });
    let text = String::from_utf8(written).expect("UTF-8");
    roxmltree::Document::parse(&text).expect("what is written is XML");
});
