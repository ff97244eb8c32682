//! Schemas in a WSDL of one operation: the elements that a message has, and parts of a schema that change it.

use wsdl::read::{Complex, Content, Element, Particle, Wsdl, read};

/// A WSDL with this content of its schema. The body of its request has the element `Order`.
pub(crate) fn wsdl(schema: &str) -> String {
    format!(
        "<w:definitions xmlns:w='http://schemas.xmlsoap.org/wsdl/' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/' xmlns:t='urn:t' \
         xmlns:x='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:t'><w:types>\
         <x:schema targetNamespace='urn:t' elementFormDefault='qualified'>{schema}</x:schema></w:types>\
         <w:message name='M'><w:part name='p' element='t:Order'/></w:message>\
         <w:portType name='P'><w:operation name='O'><w:input message='t:M'/></w:operation></w:portType>\
         <w:binding name='B' type='t:P'><s:binding transport='http://schemas.xmlsoap.org/soap/http'/>\
         <w:operation name='O'><s:operation/><w:input><s:body use='literal'/></w:input></w:operation></w:binding></w:definitions>"
    )
}

fn read_text(text: String) -> Wsdl {
    let read = read("t.wsdl", text.into_bytes(), &mut |_| Err("none".to_owned()));
    read.unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// The element `Order` of a schema.
fn order_of(schema: &str) -> Element {
    let operation = read_text(wsdl(schema)).bindings[0].operations[0].clone();
    let operation = operation.unwrap_or_else(|refused| panic!("{schema}: {refused:?}"));
    operation.request.expect("an element")
}

/// The element `Order`, with this content of its type.
fn order(content: &str) -> Complex {
    let element =
        order_of(&format!("<x:element name='Order'><x:complexType>{content}</x:complexType></x:element>"));
    match element.content {
        Content::Complex(complex) => complex,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_only_element_of_a_group_occurs_as_often_as_the_group() {
    for (group, element, expected) in [
        ("minOccurs='2' maxOccurs='5'", "", (2, Some(5))),
        ("minOccurs='3' maxOccurs='3'", "", (3, Some(3))),
        ("minOccurs='2' maxOccurs='unbounded'", "", (2, None)),
        ("minOccurs='0'", "", (0, Some(1))),
        ("minOccurs='0'", "minOccurs='0' maxOccurs='4'", (0, Some(4))),
        ("minOccurs='0'", "maxOccurs='4'", (0, Some(4))),
        ("", "minOccurs='2' maxOccurs='4'", (2, Some(4))),
    ] {
        for group_of in ["sequence", "choice"] {
            let text = format!(
                "<x:sequence><x:{group_of} {group}><x:element name='a' type='x:int' {element}/></x:{group_of}></x:sequence>"
            );
            let complex = order(&text);
            let [Particle::Element(a)] = complex.particles.as_slice() else { panic!("{text}: {complex:?}") };
            assert_eq!((a.min, a.max), expected, "{text}");
        }
    }
    // Nothing or two: no number of times says this.
    let text = "<x:sequence><x:sequence minOccurs='0'><x:element name='a' type='x:int' minOccurs='2' maxOccurs='2'/>\
        </x:sequence></x:sequence>";
    let complex = order(text);
    assert!(
        matches!(complex.particles.as_slice(), [Particle::Group { min: 0, max: Some(1), .. }]),
        "{complex:?}"
    );
}

/// The fault of the operation of a schema.
fn refused(schema: &str) -> String {
    let operation = read_text(wsdl(schema)).bindings[0].operations[0].clone();
    let refused = operation.expect_err(schema);
    let [fault] = refused.faults.as_slice() else { panic!("{refused:?}") };
    fault.message.clone()
}

#[test]
fn an_abstract_element_is_in_no_body() {
    let type_of =
        "<x:complexType name='T'><x:sequence><x:element name='a' type='x:int'/></x:sequence></x:complexType>";
    let schema = format!(
        "<x:element name='Order' abstract='true' type='t:T'/><x:element name='Sub' substitutionGroup='t:Order' type='t:T'/>{type_of}"
    );
    let message = refused(&schema);
    assert!(message.starts_with("element {urn:t}Order is abstract, and a body cannot have it"), "{message}");
}

#[test]
fn types_with_text_stand_for_an_abstract_type_too() {
    let schema = "<x:complexType name='Base' abstract='true'><x:simpleContent><x:extension base='x:string'/></x:simpleContent></x:complexType>\
        <x:complexType name='Named'><x:simpleContent><x:extension base='t:Base'><x:attribute name='q' type='x:int'/></x:extension>\
        </x:simpleContent></x:complexType>\
        <x:complexType name='Short'><x:simpleContent><x:restriction base='t:Base'><x:maxLength value='3'/></x:restriction>\
        </x:simpleContent></x:complexType>\
        <x:element name='Order'><x:complexType><x:sequence><x:element name='v' type='t:Base'/></x:sequence></x:complexType></x:element>";
    let Content::Complex(complex) = order_of(schema).content else { panic!("{schema}") };
    let [Particle::Element(v)] = complex.particles.as_slice() else { panic!("{complex:?}") };
    let Content::Types(types) = &v.content else { panic!("{v:?}") };
    let names: Vec<&str> = types.iter().map(|(name, _)| name.local.as_str()).collect();
    assert_eq!(names, ["Named", "Short"]);
    assert!(types.iter().all(|(_, complex)| complex.text.is_some()), "{types:?}");
}

/// Parts of XML Schema 1.1, and unknown ones, that change messages, each with the fault that it is.
const LATER: [(&str, &str); 11] = [
    ("<x:openContent><x:any/></x:openContent><x:sequence/>", "xsd:openContent is not supported"),
    ("<x:sequence><x:any notNamespace='urn:x'/></x:sequence>", "xsd:any: notNamespace is not supported"),
    ("<x:sequence><x:any notQName='t:a'/></x:sequence>", "xsd:any: notQName is not supported"),
    (
        "<x:sequence><x:element name='a' type='x:int'><x:alternative type='x:long'/></x:element></x:sequence>",
        "xsd:alternative is not supported",
    ),
    (
        "<x:sequence><x:element name='a' type='x:int' targetNamespace='urn:a'/></x:sequence>",
        "targetNamespace of a single declaration is not supported",
    ),
    (
        "<x:sequence><x:element name='a' type='x:int' form='Qualified'/></x:sequence>",
        "form: expected qualified or unqualified, found 'Qualified'",
    ),
    // Names with faults, of which the rest of the schema says nothing.
    ("<x:sequnce><x:element name='a' type='x:int'/></x:sequnce>", "there is no xsd:sequnce"),
    ("<x:sequence><x:Element name='a' type='x:int'/></x:sequence>", "there is no xsd:Element"),
    (
        "<x:sequence><x:element name='a'><x:complextype/></x:element></x:sequence>",
        "there is no xsd:complextype",
    ),
    ("<x:attributes name='a'/>", "there is no xsd:attributes"),
    (
        "<x:sequence><x:element name='a'><x:simpleType><x:restriction base='x:string'><x:maxlength value='5'/></x:restriction>\
         </x:simpleType></x:element></x:sequence>",
        "there is no xsd:maxlength",
    ),
];

#[test]
fn what_would_change_a_message_is_refused_rather_than_passed_over() {
    for (content, expected) in LATER {
        let schema = format!("<x:element name='Order'><x:complexType>{content}</x:complexType></x:element>");
        assert_eq!(refused(&schema), expected, "{content}");
    }
    for (part, expected) in [
        ("<x:override schemaLocation='a.xsd'/>", "xsd:override is not supported"),
        ("<x:defaultOpenContent><x:any/></x:defaultOpenContent>", "xsd:defaultOpenContent is not supported"),
    ] {
        let text = wsdl(part);
        let faults = read("t.wsdl", text.into_bytes(), &mut |_| Err("none".to_owned())).expect_err(part);
        assert_eq!(faults[0].message, expected);
    }
    let text = wsdl("").replace("elementFormDefault=", "defaultAttributes='t:A' elementFormDefault=");
    let faults = read("t.wsdl", text.into_bytes(), &mut |_| Err("none".to_owned())).expect_err("a fault");
    assert_eq!(faults[0].message, "xsd:schema: defaultAttributes is not supported");
}

#[test]
fn an_element_may_replace_several() {
    let schema = "<x:element name='a' type='x:int'/><x:element name='b' type='x:int'/>\
        <x:element name='c' substitutionGroup='t:a t:b'/>\
        <x:element name='Order'><x:complexType><x:sequence><x:element ref='t:b'/></x:sequence></x:complexType></x:element>";
    let Content::Complex(complex) = order_of(schema).content else { panic!("{schema}") };
    let [Particle::Choice(choice)] = complex.particles.as_slice() else { panic!("{complex:?}") };
    assert_eq!(choice.options.len(), 2, "{choice:?}");
}

#[test]
fn a_name_that_is_declared_in_two_ways_is_refused_where_it_is_used() {
    let order = "<x:element name='Order' type='t:T'/>";
    let of =
        |inner: &str| format!("<x:complexType name='T'><x:sequence>{inner}</x:sequence></x:complexType>");
    let first = of("<x:element name='a' type='x:int'/>");
    for (second, unlike) in [
        (of("<x:element name='a' type='x:long'/>"), true),
        (of("<x:element name='a' type='x:int'/><x:element name='b' type='x:int'/>"), true),
        (of("<x:element type='x:int' name='a' minOccurs='0'/>"), true),
        ("<x:simpleType name='T'><x:restriction base='x:int'/></x:simpleType>".to_owned(), true),
        (
            of(
                "<x:element xmlns:y='http://www.w3.org/2001/XMLSchema' type='y:int'  name='a'><x:annotation/></x:element>",
            ),
            false,
        ),
    ] {
        let schema = format!("{order}\n{first}\n{second}");
        if unlike {
            let message = refused(&schema);
            assert!(
                message.starts_with("type {urn:t}T is declared in two ways: at t.wsdl:2:1 and at t.wsdl:3:1"),
                "{message}"
            );
        } else {
            order_of(&schema);
        }
        // A prefix that is not declared is a fault of its own, and the declaration is like itself.
        let unknown = format!(
            "{order}<x:complexType name='T'><x:sequence><x:element name='a' type='u:a'/></x:sequence></x:complexType>"
        );
        assert_eq!(refused(&unknown), "the prefix of 'u:a' is not declared");
        // Names that nothing uses may be anything.
        order_of(&schema.replace("type='t:T'", "type='x:int'"));
    }
    let two = wsdl("<x:element name='Order' type='x:int'/><x:element name='Other' type='x:int'/>").replace(
        "<w:portType",
        "<w:message name='M'><w:part name='p' element='t:Other'/></w:message><w:portType",
    );
    let operation = read_text(two).bindings[0].operations[0].clone().expect_err("two messages");
    assert!(
        operation.faults[0].message.starts_with("message {urn:t}M is declared in two ways"),
        "{operation:?}"
    );
    let once =
        wsdl("<x:element name='Order' type='x:int'/>").replace("element='t:Order'", "element='u:Order'");
    let operation = read_text(once).bindings[0].operations[0].clone().expect_err("no prefix");
    assert_eq!(operation.faults[0].message, "the prefix of 'u:Order' is not declared");
}
