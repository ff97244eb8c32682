//! Parts of a message that are header blocks.

use wsdl::read::{Element, Particle, read};

/// An operation of a style whose message has these parts, with this statement about its body.
fn wsdl(style: &str, parts: &str, input: &str) -> String {
    format!(
        "<w:definitions xmlns:w='http://schemas.xmlsoap.org/wsdl/' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/' xmlns:t='urn:t' \
         xmlns:x='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:t'><w:types><x:schema targetNamespace='urn:t'>\
         <x:element name='Session' type='x:string'/><x:element name='Order' type='x:string'/></x:schema></w:types>\
         <w:message name='M'>{parts}</w:message><w:portType name='P'><w:operation name='O'><w:input message='t:M'/></w:operation></w:portType>\
         <w:binding name='B' type='t:P'><s:binding style='{style}' transport='http://schemas.xmlsoap.org/soap/http'/><w:operation name='O'>\
         <s:operation/><w:input>{input}</w:input></w:operation></w:binding></w:definitions>"
    )
}

/// The element of the request, or the faults.
fn request(text: String) -> Result<Element, String> {
    let read = read("t.wsdl", text.into_bytes(), &mut |_| Err("none".to_owned())).expect("a WSDL");
    match &read.bindings[0].operations[0] {
        Ok(operation) => Ok(operation.request.clone().expect("an element")),
        Err(refused) => Err(refused.faults.iter().map(ToString::to_string).collect()),
    }
}

const SESSION: &str = "<w:part name='session' element='t:Session'/>";

const HEADER: &str = "<s:header message='t:M' part='session' use='literal'/>";

#[test]
fn a_part_that_is_a_header_block_is_not_in_the_body() {
    let body = "<s:body use='literal' namespace='urn:t'/>";
    let rpc = format!("{SESSION}<w:part name='a' type='x:int'/>");
    let element = request(wsdl("rpc", &rpc, &format!("{body}{HEADER}"))).expect("an element");
    let wsdl::read::Content::Complex(complex) = &element.content else { panic!("{element:?}") };
    let [Particle::Element(only)] = complex.particles.as_slice() else { panic!("{complex:?}") };
    assert_eq!(only.name.local, "a");
    let refused = request(wsdl("rpc", &rpc, body)).expect_err("a part with an element");
    assert!(
        refused.contains("style rpc: expected a part with a type, found one with an element"),
        "{refused}"
    );

    let document = format!("{SESSION}<w:part name='b' element='t:Order'/>");
    let element = request(wsdl("document", &document, &format!("{HEADER}{body}"))).expect("an element");
    assert_eq!(element.name.local, "Order");
    let refused = request(wsdl("document", &document, body)).expect_err("two parts");
    assert!(refused.contains("expected one part in the body, found 2"), "{refused}");
}
