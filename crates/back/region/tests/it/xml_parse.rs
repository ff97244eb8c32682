//! XML PARSE in programs of a real worker.

use region::{Failure, Region};
use wire::Interface;

use crate::region::{request, settings, text};

/// The fields of the commarea before the document.
const HEAD: usize = 12;

async fn run(how: &str, document: &[u8]) -> String {
    let region = Region::start(settings()).expect("a region");
    let mut commarea = format!("{how:8}{:04}", document.len()).into_bytes();
    commarea.extend_from_slice(document);
    commarea.resize(HEAD + 2_000, b' ');
    let answer = region.run(request("XMLREAD", Interface::Commarea(commarea))).await;
    text(answer.expect("an answer"))[HEAD..].trim_end().to_owned()
}

#[tokio::test]
async fn events_come_to_the_processing_procedure() {
    let document = b"<?xml version=\"1.0\"?><msg type=\"short\">Hello, &amp; World!</msg>";
    assert_eq!(
        run("EVENTS", document).await,
        "START-OF-DOCUMENT{}VERSION-INFORMATION{1.0}START-OF-ELEMENT{msg}ATTRIBUTE-NAME{type}\
         ATTRIBUTE-CHARACTERS{short}  1;CONTENT-CHARACTERS{Hello, & World!}  1;END-OF-ELEMENT{msg}\
         END-OF-DOCUMENT{}OK"
    );
    // XRC_NOT_WELL_FORMED with XRSN_ENDTAG_NAME_MISMATCH: X'000C3035'.
    assert_eq!(
        run("EVENTS", b"<msg>Hello</mmsg>").await,
        "START-OF-DOCUMENT{}START-OF-ELEMENT{msg}CONTENT-CHARACTERS{Hello}  1;EXCEPTION{}773;    798773;"
    );
    assert_eq!(
        run("EVENTS", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>").await,
        "START-OF-DOCUMENT{}EXCEPTION{}288;    524288;"
    );
}

#[tokio::test]
async fn names_have_namespaces_and_prefixes() {
    let document = b"<s xmlns='urn:e' xmlns:bk='urn:b'><bk:t bk:n='1'>x</bk:t><u xmlns=''/></s>";
    assert_eq!(
        run("SPACES", document).await,
        "||;s||urn:e;||urn:e;|bk|urn:b;t|bk|urn:b;n|bk|urn:b;1||;t|bk|urn:b;u||;||;u||;s||urn:e;||;"
    );
}

#[tokio::test]
async fn registers_are_elementary_items() {
    let document = b"<a><b>42</b><c>queue</c><d>letters</d></a>";
    assert_eq!(run("VALUES", document).await, "queue;let/etters/00007;GREAT 0000042");
    assert_eq!(run("VALUES", b"<a>7</a>").await, "SMALL 0000007");
}

#[tokio::test]
async fn a_program_can_stop_a_parse() {
    assert_eq!(
        run("STOP", b"<a><b/></a>").await,
        "START-OF-DOCUMENT{}START-OF-ELEMENT{a}START-OF-ELEMENT{b}END-OF-ELEMENT{b} -1;"
    );
}

#[tokio::test]
async fn a_document_may_come_in_parts() {
    assert_eq!(
        run("PARTS", b"").await,
        "START-OF-DOCUMENT{}START-OF-ELEMENT{a}CONTENT-CHARACTERS{one part }  2;END-OF-INPUT{}\
         CONTENT-CHARACTERS{and}  1;START-OF-ELEMENT{b}END-OF-ELEMENT{b}CONTENT-CHARACTERS{two}  1;\
         END-OF-INPUT{}START-OF-ELEMENT{c}ATTRIBUTE-NAME{d}ATTRIBUTE-CHARACTERS{1}  1;END-OF-ELEMENT{c}\
         END-OF-ELEMENT{a}END-OF-DOCUMENT{}"
    );
}

#[tokio::test]
async fn texts_can_be_national() {
    // The second character, of UTF-16.
    assert_eq!(run("UTF-8", "<a>ABC</a>".as_bytes()).await, "ABC/00003/\0B;00006.");
}

#[tokio::test]
async fn undeclared_prefixes_can_be_passed_over() {
    assert_eq!(run("PREFIXES", b"<p:a>x</p:a>").await, "||;||;a|p|;a|p|;||;");
}

#[tokio::test]
async fn a_code_that_there_is_not_ends_the_task() {
    let region = Region::start(settings()).expect("a region");
    let commarea = format!("{:8}{:04}{:2000}", "BADCODE", 4, "<a/>").into_bytes();
    let failed = region.run(request("XMLREAD", Interface::Commarea(commarea))).await;
    let Err(Failure::Abend { code, message, .. }) = failed else { panic!("{failed:?}") };
    assert_eq!(code, "4038");
    assert!(message.ends_with("or 1 at END-OF-INPUT, found 5"), "{message}");
}
