//! Tests that JSON and XML reach a program with a commarea as the same record: the services of the API and the bind file of the web
//! service have one layout.

use std::path::Path;
use std::sync::Arc;

use codepage::Encoding;
use interface::as_programs_have;
use record::Bind;
use serde_json::Value;
use soap_commands::{Provider, laying_of_provider};
use web_service::{InterfaceKind, MessagesSection};
use wsdl::read::Operation;

use super::document::Document;
use super::try_out::{made, sample};
use crate::PROGRAM_CCSID;
use crate::example::Examples;

/// WSDLs, each with the number of messages that the test compares. Messages that follow the WSDL itself need no comparison, so some
/// WSDLs have 0.
const WSDLS: [(&str, usize); 8] = [
    ("text/wsdl/tests/golden/levels/service.wsdl", 9),
    ("text/wsdl/tests/golden/order/service.wsdl", 3),
    ("text/wsdl/tests/golden/rpc/service.wsdl", 5),
    ("text/wsdl/tests/golden/files/service.wsdl", 3),
    ("data/channel/tests/orders.wsdl", 0),
    ("../tests/acceptance/wsdl/people.wsdl", 0),
    ("../tests/acceptance/wsdl/bookings/bookings.wsdl", 3),
    ("tools/scaffold/tests/wsdl/optional.wsdl", 11),
];

/// The bytes of a record that the element of a message fills.
fn filled(bind: &Bind, element: &str) -> Vec<u8> {
    let mut cursor = xml::Cursor::new(element, xml::Encoding::Utf8).expect("XML");
    let open = cursor.root().expect("an element");
    let mut record = Vec::new();
    bind.start(&mut record);
    bind.fill_element(&mut cursor, &open, &mut record).unwrap_or_else(|error| panic!("{error}: {element}"));
    bind.finish(&mut record).expect("a record");
    record
}

/// The element that a record is by the rules of a WSDL, as the record that it becomes again.
fn read_again(interface: &channel::Interface, element: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(element).expect("UTF-8");
    let mut cursor = xml::Cursor::new(text, xml::Encoding::Utf8).expect("XML");
    let open = cursor.root().expect("an element");
    interface.record_of_element(&mut cursor, &open).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Compares both ways for values made of the schema, and gives how many of them there were.
fn compare(what: &str, message: &channel::Interface, bind: &Bind) -> usize {
    let schema = message.json_schema();
    let mut compared = 0;
    for json in Examples::new(&schema, &[]).candidates() {
        let Some(sample) = sample(message, &json) else { continue };
        let [(_, record)] = sample.containers.as_slice() else { panic!("{what}: {sample:?}") };
        let told = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
        let of_xml = filled(bind, &sample.element);
        assert_eq!(told(&of_xml), told(record), "{what}: {json}, {}", sample.element);
        let mut element = Vec::new();
        bind.decode_xml(record, &mut element).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(told(&read_again(message, &element)), told(record), "{what}: {json}");
        let mut shown = Vec::new();
        message.record_to_json(record.clone(), Vec::new(), &mut shown).expect("JSON");
        let shown: Value = serde_json::from_slice(&shown).expect("JSON");
        let mut again = Vec::new();
        message.record_to_element(record, &mut again).expect("an element");
        assert_eq!(told(&filled(bind, std::str::from_utf8(&again).expect("UTF-8"))), told(record), "{shown}");
        compared += 1;
    }
    compared
}

#[test]
fn json_and_xml_become_the_same_record_of_a_commarea() {
    let compared = WSDLS.map(|(path, _)| (path, compared(path)));
    assert_eq!(compared, WSDLS);
}

/// Compares the messages of a WSDL, and gives how many of them there were.
fn compared(path: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    pairs(&path).iter().map(|(what, message, bind)| compare(what, message, bind)).sum()
}

/// The messages of a WSDL that one record holds: what they are, and their plans for JSON and XML.
fn pairs(path: &Path) -> Vec<(String, Arc<channel::Interface>, Bind)> {
    let encoding = Encoding::by_ccsid(PROGRAM_CCSID).expect("a code page");
    let document = Document::read(path, None).expect("a WSDL");
    let binding = &document.wsdl.bindings[0];
    let wanted = Provider {
        name: "SHOP",
        program: "FINDER",
        interface: InterfaceKind::Commarea,
        container: None,
        path: "/shop",
        ccsid: PROGRAM_CCSID,
    };
    // Some have no message that fits one record.
    let Ok(provided) = soap_commands::provider(&wanted, binding, &document.wsdl) else { return Vec::new() };
    let (parts, _) = provided.file.parts(PROGRAM_CCSID).expect("parts");
    // The others have one plan for both ways.
    let bound = provided.file.operation.iter().filter(|operation| !operation.by_wsdl);
    let mut found = Vec::new();
    for (bound, parts) in bound.zip(parts) {
        let operation = binding.operations.iter().flatten().find(|operation| operation.name == bound.name);
        let operation: &Operation = operation.expect("it is of the WSDL");
        let section = MessagesSection {
            wsdl: String::new(),
            binding: None,
            operation: bound.name.clone(),
            interface: InterfaceKind::Commarea,
            container: None,
            layout: laying_of_provider(binding),
        };
        let messages = section.of_operation(operation, encoding).unwrap_or_else(|problems| {
            panic!("{}: {problems:?}", bound.name);
        });
        let sides = [(Some(messages.request), Some(parts.request)), (messages.response, parts.response)];
        for (message, part) in sides.into_iter().filter_map(|(message, part)| Some((message?, part?))) {
            let bind = Bind::compile(&part.layout, &as_programs_have(part.options)).expect("a bind");
            found.push((format!("{} {}", path.display(), bound.name), message, bind));
        }
    }
    found
}

#[test]
fn json_and_xml_have_the_same_values_of_the_schema() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wsdl/given.wsdl");
    let [(_, message, bind)] = <[_; 1]>::try_from(pairs(&path)).expect("one message");
    let order = |attributes: &str, inner: &str| {
        format!("<Order xmlns=\"urn:given\" xmlns:x=\"urn:x\"{attributes}>{inner}</Order>")
    };
    for (json, attributes, inner) in [
        (
            r#"{"@channel": "shop", "kind": "", "count": 3, "price": 1.5, "day": "", "code": "", "row": ["", "a"],
              "sum": {"@id": 5, "sum": 1}}"#,
            " channel=\"shop\"",
            "<kind/><count/><price/><day/><code/><row/><row>a</row><sum id=\"5\">1</sum>",
        ),
        (
            r#"{"@channel": "shop", "kind": "a", "count": 1, "price": 1.5, "day": "2026-02-01", "code": "0102", "row": ["b", ""],
              "sum": {"@id": 5, "sum": 0}}"#,
            " channel=\"shop\" x:more=\"1\"",
            "<kind>a</kind><count>1</count><price>1.50</price><day>2026-02-01</day><code>0102</code><row>b</row><row/>\
             <sum id=\"05\" x:b=\"c\">0</sum>",
        ),
    ] {
        let of_json =
            message.to_record_alone(json.as_bytes()).unwrap_or_else(|error| panic!("{json}: {error}"));
        assert_eq!(filled(&bind, &order(attributes, inner)), of_json, "{json}");
        assert_eq!(read_again(&message, order(attributes, inner).as_bytes()), of_json, "{json}");
        for (from, to, path) in [("1.5,", "1.6,", "price"), ("\"@id\": 5", "\"@id\": 6", "sum.@id")] {
            let error = message.to_record_alone(json.replace(from, to).as_bytes()).expect_err(path);
            assert_eq!((error.kind, error.path.as_str()), (channel::ErrorKind::NotListed, path), "{error}");
        }
    }
}

#[test]
fn an_element_without_content_stays_empty() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wsdl/optional.wsdl");
    let document = Document::read(Path::new(path), None).expect("a WSDL");
    let section = MessagesSection {
        wsdl: String::new(),
        binding: None,
        operation: "Find".to_owned(),
        interface: InterfaceKind::Channel,
        container: None,
        layout: laying_of_provider(&document.wsdl.bindings[0]),
    };
    let encoding = Encoding::by_ccsid(PROGRAM_CCSID).expect("a code page");
    let messages = section.compile(&document.wsdl, encoding).expect("messages");
    let found = messages.response.expect("a response");
    let element = made(&found).expect("a message").element;
    assert!(element.contains("<ns1:done></ns1:done>"), "{element}");
    let error = found.to_channel(br#"{"done": "x"}"#).expect_err("a text");
    assert!(error.to_string().starts_with("done: expected text of at most 0 characters, found 1"), "{error}");
    let text = element.replace("<ns1:done></", "<ns1:done>x</");
    let mut cursor = xml::Cursor::new(&text, xml::Encoding::Utf8).expect("XML");
    let open = cursor.root().expect("an element");
    let error = found.channel_of_element(&mut cursor, &open).expect_err("a text");
    assert!(error.to_string().starts_with("done: expected text of at most 0 characters, found 1"), "{error}");
}
