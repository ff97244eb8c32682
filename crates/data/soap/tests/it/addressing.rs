//! WS-Addressing 1.0: the addressing of answers, and their allowed targets.

use service::Payload;
use soap::{Heard, Target, Version, Versions};

use crate::{ADD, RECORD, S11, S12, envelope, fault, service, take, taken};

const WSA: &str = "http://www.w3.org/2005/08/addressing";

fn blocks(blocks: &str) -> String {
    blocks
        .split("<w:")
        .enumerate()
        .map(|(at, piece)| match at {
            0 => piece.to_owned(),
            _ => {
                let end = piece.find(['>', '/', ' ']).expect("a tag");
                format!("<w:{} xmlns:w=\"{WSA}\"{}", &piece[..end], &piece[end..])
            }
        })
        .collect()
}

const ASKED: &str =
    "<w:Action>urn:add</w:Action><w:MessageID>urn:uuid:1 &amp; 2</w:MessageID><w:To>http://here/</w:To>";

#[test]
fn answers_name_their_request() {
    for namespace in [S11, S12] {
        let must = ASKED.replace("<w:Action>", "<w:Action s:mustUnderstand='1'>");
        let (heard, taken) = taken(&envelope(namespace, &blocks(&must), ADD));
        let taken = taken.expect("addressed");
        assert_eq!(taken.record, RECORD);
        let service = service(Versions::All);
        let answer = service.operations[0]
            .answer(taken.version, &heard, &Payload::Record(RECORD.to_vec()))
            .expect("an answer");
        let answer = String::from_utf8(answer).expect("UTF-8");
        let expected = format!(
            "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{namespace}\"><SOAP-ENV:Header>\
             <wsa:Action xmlns:wsa=\"{WSA}\">urn:answer</wsa:Action>\
             <wsa:RelatesTo xmlns:wsa=\"{WSA}\">urn:uuid:1 &amp; 2</wsa:RelatesTo></SOAP-ENV:Header><SOAP-ENV:Body>"
        );
        assert!(answer.starts_with(&expected), "{answer}");
    }
}

#[test]
fn faults_name_it_too() {
    let (status, text) = fault(&envelope(S11, &blocks(ASKED), "<unknown/>"));
    assert_eq!(status, 500);
    assert!(
        text.contains(&format!("<wsa:Action xmlns:wsa=\"{WSA}\">{WSA}/soap/fault</wsa:Action>")),
        "{text}"
    );
    assert!(text.contains("urn:uuid:1 &amp; 2</wsa:RelatesTo>"), "{text}");
}

#[test]
fn answers_go_back_or_nowhere() {
    let to = |name: &str, address: &str| {
        blocks(&format!("{ASKED}<w:{name}><w:Address>{address}</w:Address><w:Metadata/></w:{name}>"))
    };
    let target = |header: &str| {
        let (heard, taken) = taken(&envelope(S12, header, ADD));
        taken.expect("addressed");
        let reply = heard.reply.expect("addressed");
        (reply.target(), reply.fault_target())
    };
    let (anonymous, none) = (format!("{WSA}/anonymous"), format!("{WSA}/none"));
    assert_eq!(target(&blocks(ASKED)), (Target::Anonymous, Target::Anonymous));
    assert_eq!(target(&to("ReplyTo", &anonymous)), (Target::Anonymous, Target::Anonymous));
    assert_eq!(target(&to("ReplyTo", &none)), (Target::None, Target::None));
    assert_eq!(target(&to("FaultTo", &none)), (Target::Anonymous, Target::None));
    for name in ["ReplyTo", "FaultTo"] {
        let (status, text) = fault(&envelope(S12, &to(name, "http://elsewhere/"), ADD));
        assert_eq!(status, 400);
        assert!(
            text.contains("wsa:InvalidAddressingHeader")
                && text.contains("wsa:OnlyAnonymousAddressSupported"),
            "{text}"
        );
        assert!(text.contains(&format!("{WSA}/fault</wsa:Action>")), "{text}");
    }
}

#[test]
fn blocks_that_cannot_be_followed_have_their_faults() {
    for (header, outer, inner) in [
        ("<w:MessageID>a</w:MessageID>".to_owned(), "MessageAddressingHeaderRequired", ""),
        ("<w:Action>a</w:Action>".to_owned(), "MessageAddressingHeaderRequired", ""),
        (format!("{ASKED}<w:To>b</w:To>"), "InvalidAddressingHeader", "InvalidCardinality"),
        (format!("{ASKED}<w:MessageID>b</w:MessageID>"), "InvalidAddressingHeader", "InvalidCardinality"),
        (format!("{ASKED}<w:ReplyTo></w:ReplyTo>"), "InvalidAddressingHeader", "MissingAddressInEPR"),
    ] {
        let (status, text) = fault(&envelope(S12, &blocks(&header), ADD));
        assert_eq!(status, 400, "{header}");
        assert!(text.contains(&format!("wsa:{outer}<")), "{text}");
        assert!(inner.is_empty() || text.contains(&format!("wsa:{inner}<")), "{text}");
        // In SOAP 1.1 the outer one is the code.
        let (status, text) = fault(&envelope(S11, &blocks(&header), ADD));
        assert_eq!(status, 500, "{header}");
        assert!(text.contains(&format!("<faultcode>wsa:{outer}</faultcode>")), "{text}");
    }
}

#[test]
fn a_message_without_an_answer_needs_no_id() {
    let tell = ADD.replace("add", "tell");
    let message = envelope(S11, &blocks("<w:Action>urn:tell</w:Action>"), &tell);
    let taken = taken(&message).1.expect("one-way");
    assert_eq!((taken.operation, taken.version), (1, Version::Soap11));
}

#[test]
fn the_actions_of_http_and_of_the_message_agree() {
    let service = service(Versions::All);
    let message = envelope(S11, &blocks(ASKED), ADD);
    let read = |action: &str| take(&service, (message.as_bytes(), None, action), &mut Heard::default());
    assert!(read("").is_ok() && read("urn:add").is_ok());
    assert_eq!(read("urn:sub").expect_err("another").addressing, Some(soap::AddressingFault::ActionMismatch));
}

#[test]
fn what_comes_back_is_short() {
    let long = ASKED.replace("urn:uuid:1", &"x".repeat(3_000));
    let trouble = taken(&envelope(S11, &blocks(&long), ADD)).1.expect_err("long");
    assert!(trouble.failure.details.expect("details").contains("2048 bytes"));
}
