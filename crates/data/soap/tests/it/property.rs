//! Values go in and come out again. Every text gives a record or a fault.

use proptest::prelude::*;
use service::Payload;
use soap::{Version, Versions};

use crate::{S11, S12, envelope, fault_of, service, taken_by};

/// Text in its form inside an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

proptest! {
    #[test]
    fn what_is_sent_comes_back(number in 0u32..10_000, words in "[ -~]{0,8}", twelve: bool) {
        let service = service(Versions::All);
        let (namespace, version) = if twelve { (S12, Version::Soap12) } else { (S11, Version::Soap11) };
        let words = words.trim_end_matches(' ');
        let fields = format!("<number_of>{number}</number_of><words>{}</words>", escaped(words));
        let body = format!("<add xmlns=\"urn:in\">{fields}</add>");
        let (heard, taken) = taken_by(&service, &envelope(namespace, "", &body));
        let record = taken.expect("a record").record;
        let answer = service.operations[0].answer(version, &heard, &Payload::Record(record)).expect("an answer");
        let answer = String::from_utf8(answer).expect("UTF-8");
        let expected = format!("<added xmlns=\"urn:out\">{fields}</added>");
        prop_assert!(answer.contains(&expected), "{answer}");
    }

    #[test]
    fn any_text_is_a_record_or_a_fault(pieces in prop::collection::vec(piece(), 0..12)) {
        let service = service(Versions::All);
        let (heard, taken) = taken_by(&service, &pieces.concat());
        match taken {
            Ok(taken) => prop_assert_eq!(taken.record.len(), 12),
            Err(trouble) => {
                let (status, _) = fault_of(&service, &heard, &trouble);
                prop_assert!((400..=500).contains(&status));
            }
        }
    }
}

/// Pieces of messages.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">",
        "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\">",
        "<s:Header>",
        "<a xmlns=\"urn:a\" s:mustUnderstand=\"1\"/>",
        "<MessageID xmlns=\"http://www.w3.org/2005/08/addressing\">x</MessageID>",
        "</s:Header>",
        "<s:Body>",
        "<add xmlns=\"urn:in\">",
        "<number_of>1</number_of>",
        "</add>",
        "</s:Body>",
        "</s:Envelope>",
        "&lt;",
        " ",
    ];
    prop_oneof![8 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,8}"]
}
