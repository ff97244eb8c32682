//! Header blocks: their targets, and blocks that must be understood.

use failure::Code;

use crate::{ADD, RECORD, S11, S12, envelope, fault, taken};

fn block(attributes: &str) -> String {
    format!("<a:Trace xmlns:a=\"urn:a\" {attributes}><b>text</b></a:Trace>")
}

#[test]
fn blocks_that_need_not_be_understood_are_passed_over() {
    for (namespace, attributes) in [
        (S11, ""),
        (S11, "s:mustUnderstand='0'"),
        (S11, "s:mustUnderstand='1' s:actor='urn:somebody'"),
        (S11, "mustUnderstand='1'"),
        (S12, "s:mustUnderstand='false'"),
        (S12, "s:mustUnderstand='true' s:role='urn:somebody'"),
        (S12, "s:mustUnderstand='1' s:role='http://www.w3.org/2003/05/soap-envelope/role/none'"),
        (S12, "s:relay='true'"),
    ] {
        let message = envelope(namespace, &block(attributes), ADD);
        assert_eq!(taken(&message).1.expect(attributes).record, RECORD);
    }
}

#[test]
fn blocks_that_must_be_understood_are_named() {
    for (namespace, attributes) in [
        (S11, "s:mustUnderstand='1'"),
        (S11, "s:mustUnderstand='1' s:actor=''"),
        (S11, "s:mustUnderstand='1' s:actor='http://schemas.xmlsoap.org/soap/actor/next'"),
        (S12, "s:mustUnderstand='true'"),
        (S12, "s:mustUnderstand='1' s:role='http://www.w3.org/2003/05/soap-envelope/role/next'"),
        (S12, "s:mustUnderstand='1' s:role='http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver'"),
    ] {
        let message = envelope(namespace, &block(attributes), ADD);
        let (status, text) = fault(&message);
        assert_eq!(status, 500, "{attributes}");
        assert!(text.contains("SOAP-ENV:MustUnderstand"), "{text}");
        let named = "<SOAP-ENV:NotUnderstood qname=\"nu:Trace\" xmlns:nu=\"urn:a\"/>";
        assert_eq!(text.contains(named), namespace == S12, "{text}");
        // The rest of the message is not read, so SOAP 1.1 has no detail.
        assert!(!text.contains("etail>"), "{text}");
    }
    let two =
        [block("s:mustUnderstand='1'"), block("s:mustUnderstand='1'").replace("Trace", "Span")].concat();
    let (_, text) = fault(&envelope(S12, &two, "<unknown/>"));
    assert_eq!(text.matches("NotUnderstood").count(), 2, "{text}");
}

#[test]
fn truth_values_are_those_of_their_version() {
    for (namespace, attributes) in [
        (S11, "s:mustUnderstand='true'"),
        (S11, "s:mustUnderstand=''"),
        (S12, "s:mustUnderstand='yes'"),
        (S12, "s:relay='2'"),
    ] {
        let trouble = taken(&envelope(namespace, &block(attributes), ADD)).1.expect_err(attributes);
        assert_eq!(trouble.failure.code, Code::BadEnvelope, "{attributes}");
    }
}

#[test]
fn a_fault_does_not_grow_with_the_blocks_that_share_a_long_namespace() {
    let namespace = format!("urn:{}", "'".repeat(8_000));
    let blocks: String = (0..soap::HEADER_BLOCKS_MAX)
        .map(|number| format!("<a:b{number} xmlns:a=\"{namespace}\" s:mustUnderstand='1'/>"))
        .collect();
    let (status, text) = fault(&envelope(S12, &blocks, ADD));
    assert_eq!((status, text.matches("<SOAP-ENV:NotUnderstood").count()), (500, 2));
    assert!(text.len() < soap::FAULT_BLOCKS_BYTES_MAX + 16_384, "{}", text.len());
    let endless = format!("urn:{}", "x".repeat(xml::XML_NAMESPACE_BYTES_MAX));
    let refused =
        taken(&envelope(S12, &block(&format!("xmlns:c='{endless}'")), ADD)).1.expect_err("too long");
    assert_eq!(refused.failure.code, Code::BadEnvelope);
}
