//! Attributes of other namespaces in a WSDL, which tools leave for themselves, and parts of a schema in wrong places.

use wsdl::read::{Content, Particle, read};

/// A WSDL whose tool notes words of its own beside those of the schema. The notes stand first.
const NOTED: &str = "<w:definitions xmlns:w='http://schemas.xmlsoap.org/wsdl/' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/' xmlns:t='urn:t' \
    xmlns:x='http://www.w3.org/2001/XMLSchema' xmlns:n='urn:notes' n:targetNamespace='urn:n' targetNamespace='urn:t'><w:types>\
    <x:schema n:targetNamespace='urn:n' targetNamespace='urn:t' n:elementFormDefault='qualified'>\
    <x:element n:name='Note' name='Order' n:type='x:boolean' type='t:Order'/>\
    <x:complexType n:name='Note' name='Order' n:mixed='true' n:abstract='true'><x:sequence n:minOccurs='0'>\
    <x:element n:name='b' name='a' n:ref='t:b' type='x:int' n:nillable='true' n:default='7' n:fixed='8' n:maxOccurs='9' n:form='qualified'/>\
    </x:sequence><x:attribute n:name='d' name='c' type='x:string' n:use='required' n:fixed='8'/></x:complexType></x:schema></w:types>\
    <w:message n:name='N' name='M'><w:part n:name='q' name='p' n:type='x:int' element='t:Order'/></w:message>\
    <w:portType name='P'><w:operation n:name='N' name='O'><w:input n:message='t:N' message='t:M'/></w:operation></w:portType>\
    <w:binding n:type='t:N' name='B' type='t:P'><s:binding n:style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/>\
    <w:operation n:name='N' name='O'><s:operation n:soapAction='urn:n' soapAction='urn:a'/><w:input><s:body n:use='encoded' use='literal' n:parts=''/></w:input>\
    </w:operation></w:binding></w:definitions>";

#[test]
fn attributes_of_other_namespaces_are_not_of_the_schema() {
    let read = read("t.wsdl", NOTED.as_bytes().to_vec(), &mut |_| Err("none".to_owned()));
    let read = read.unwrap_or_else(|faults| panic!("{faults:?}"));
    assert_eq!(read.namespace, "urn:t");
    let operation = read.bindings[0].operations[0].as_ref().unwrap_or_else(|refused| panic!("{refused:?}"));
    assert_eq!((operation.name.as_str(), operation.action.as_str()), ("O", "urn:a"));
    let order = operation.request.as_ref().expect("an element");
    assert_eq!(order.name.to_string(), "{urn:t}Order");
    let Content::Complex(complex) = &order.content else { panic!("{order:?}") };
    let [Particle::Element(a)] = complex.particles.as_slice() else { panic!("{complex:?}") };
    assert_eq!((a.name.local.as_str(), a.name.namespace.as_str()), ("a", ""));
    assert_eq!((a.min, a.max, a.nillable, &a.default, &a.fixed), (1, Some(1), false, &None, &None));
    let [c] = complex.attributes.as_slice() else { panic!("{complex:?}") };
    assert_eq!((c.name.local.as_str(), c.required, &c.fixed), ("c", false, &None));
}

/// Parts of a schema without effect where they stand, each with the one that is at fault.
const MISPLACED: [(&str, &str); 5] = [
    ("<x:extension base='x:anyType'><x:sequence/></x:extension>", "extension"),
    ("<x:element name='a' type='x:int'/>", "element"),
    ("<x:sequence><x:attribute name='a'/></x:sequence>", "attribute"),
    ("<x:sequence><x:choice><x:anyAttribute/></x:choice></x:sequence>", "anyAttribute"),
    ("<x:complexContent><x:extension base='t:Base'><x:any/></x:extension></x:complexContent>", "any"),
];

#[test]
fn a_part_of_a_schema_in_a_wrong_place_is_a_fault() {
    let (before, rest) = NOTED.split_once("<x:complexType").expect("a type");
    let (_, after) = rest.split_once("</x:complexType>").expect("its end");
    let read_with = |content: &str| {
        let types =
            format!("<x:complexType name='Order'>\n{content}</x:complexType><x:complexType name='Base'/>");
        let text = format!("{before}{types}{after}");
        let read = read("t.wsdl", text.into_bytes(), &mut |_| Err("none".to_owned()));
        read.unwrap_or_else(|faults| panic!("{faults:?}")).bindings[0].operations[0].clone()
    };
    for (content, name) in MISPLACED {
        let refused = read_with(content).expect_err(content);
        let [fault] = refused.faults.as_slice() else { panic!("{refused:?}") };
        assert_eq!(fault.message, format!("xsd:{name} has no place here"), "{content}");
        assert_eq!(fault.place.line, 2, "{content}");
    }
    // Other parts say nothing of elements and attributes.
    let others = "<x:annotation/><n:any/><x:sequence><x:annotation/><n:element/><x:element name='a' type='x:int'/></x:sequence>\
        <x:assert test='true()'/>";
    read_with(others).unwrap_or_else(|refused| panic!("{refused:?}"));
}

#[test]
fn a_name_in_a_wrong_namespace_leads_to_its_namesake() {
    let refused_with = |from: &str, to: &str| {
        let text = NOTED.replace(from, to);
        let read = read("t.wsdl", text.into_bytes(), &mut |_| Err("none".to_owned()));
        let read = read.unwrap_or_else(|faults| panic!("{faults:?}"));
        let refused = read.bindings[0].operations[0].clone().expect_err(to);
        refused.faults.first().map(|fault| fault.message.clone()).expect("a fault")
    };
    let missing = "is not declared in the schemas";
    let prefix = "without a prefix a name has no namespace here";
    for (from, to, expected) in [
        (
            "type='t:Order'/>",
            "type='Order'/>",
            format!("type Order {missing} (help: {{urn:t}}Order is declared; {prefix})"),
        ),
        (
            "type='x:int'",
            "type='int'",
            format!(
                "type int {missing} (help: {{http://www.w3.org/2001/XMLSchema}}int is declared; {prefix})"
            ),
        ),
        (
            "type='t:Order'/>",
            "type='n:Order'/>",
            format!("type {{urn:notes}}Order {missing} (help: {{urn:t}}Order is declared)"),
        ),
        (
            "n:message='t:N' message='t:M'",
            "message='M'",
            "message M is not declared (help: {urn:t}M is declared)".to_owned(),
        ),
        ("type='t:Order'/>", "type='Other'/>", format!("type Other {missing}")),
    ] {
        assert_eq!(refused_with(from, to), expected);
    }
}
