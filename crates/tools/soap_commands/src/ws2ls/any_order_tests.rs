//! `xsd:all` on its way from a WSDL to a bind file and its bind.

use super::tests::{bind, made, through, told};

/// A WSDL whose request has the type `Order`, among these definitions.
pub(super) fn wsdl(types: &str) -> Vec<u8> {
    format!(
        r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
        xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
        <types><x:schema targetNamespace="urn:t" elementFormDefault="qualified"><x:element name="Order" type="t:Order"/>{types}</x:schema></types>
        <message name="I"><part name="p" element="t:Order"/></message>
        <portType name="P"><operation name="Order"><input message="t:I"/></operation></portType>
        <binding name="B" type="t:P"><s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
        <operation name="Order"><s:operation soapAction=""/><input><s:body use="literal"/></input></operation></binding>
        <service name="S"><port name="O" binding="t:B"><s:address location="http://h/p"/></port></service></definitions>"#
    )
    .into_bytes()
}

/// Sends two elements in their order and in the other one. Gives the error of the other one, if there is one.
fn swapped(types: &str) -> Option<String> {
    let parameters = "PGMNAME=ORDERS\nPGMINT=COMMAREA\nMAPPING-LEVEL=3.0\n";
    let made = made(parameters, &wsdl(types), true).unwrap_or_else(|found| panic!("{}", told(&found)));
    let bind = bind(made.file.as_ref().unwrap_or_else(|| panic!("{}", told(&made.warnings))));
    let order = |inner: [&str; 2]| format!("<Order xmlns=\"urn:t\">{}</Order>", inner.concat());
    let (a, b) = ("<a>x</a>", "<b>5</b>");
    let (record, text) = through(&bind, &order([a, b]));
    let mut other = Vec::new();
    match bind.encode_xml(order([b, a]).as_bytes(), &mut other) {
        Ok(_) => {
            assert_eq!(other, record, "{text}");
            None
        }
        Err(error) => Some(error.to_string()),
    }
}

const A: &str = r#"<x:element name="a" type="x:string"/>"#;
const B: &str = r#"<x:element name="b" type="x:int"/>"#;

#[test]
fn elements_of_all_come_in_any_order() {
    for types in [
        format!(r#"<x:complexType name="Order"><x:all>{A}{B}</x:all></x:complexType>"#),
        format!(r#"<x:complexType name="Order"><x:all minOccurs="0">{A}{B}</x:all></x:complexType>"#),
        format!(
            r#"<x:group name="G"><x:all>{A}{B}</x:all></x:group><x:complexType name="Order"><x:group ref="t:G"/></x:complexType>"#
        ),
        // The extension has attributes alone.
        format!(
            r#"<x:complexType name="Base"><x:all>{A}{B}</x:all></x:complexType><x:complexType name="Order"><x:complexContent>
            <x:extension base="t:Base"><x:attribute name="c" type="x:string"/></x:extension></x:complexContent></x:complexType>"#
        ),
        // XML Schema 1.1 lets one xsd:all extend another.
        format!(
            r#"<x:complexType name="Base"><x:all>{A}</x:all></x:complexType><x:complexType name="Order"><x:complexContent>
            <x:extension base="t:Base"><x:all>{B}</x:all></x:extension></x:complexContent></x:complexType>"#
        ),
    ] {
        assert_eq!(swapped(&types), None, "{types}");
    }
}

#[test]
fn elements_of_a_sequence_come_in_its_order() {
    for types in [
        format!(r#"<x:complexType name="Order"><x:sequence>{A}{B}</x:sequence></x:complexType>"#),
        // A restriction of xsd:all to a sequence has an order.
        format!(
            r#"<x:complexType name="Base"><x:all>{A}{B}</x:all></x:complexType><x:complexType name="Order"><x:complexContent>
            <x:restriction base="t:Base"><x:sequence>{A}{B}</x:sequence></x:restriction></x:complexContent></x:complexType>"#
        ),
        format!(
            r#"<x:complexType name="Base"><x:sequence>{A}</x:sequence></x:complexType><x:complexType name="Order"><x:complexContent>
            <x:extension base="t:Base"><x:all>{B}</x:all></x:extension></x:complexContent></x:complexType>"#
        ),
    ] {
        let error = swapped(&types).unwrap_or_else(|| panic!("taken: {types}"));
        assert!(error.starts_with("a: this element must come before b"), "{types}: {error}");
    }
}
