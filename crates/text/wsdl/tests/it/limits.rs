//! Texts beyond a limit are refused, at once and with their line.

use std::cell::Cell;

use wsdl::read::{
    ATTRIBUTES_MAX, ELEMENTS_MAX, FILE_BYTES_MAX, FILES_MAX, IMPORT_DEPTH_MAX, STEPS_MAX, XML_DEPTH_MAX,
    below_root, read,
};

/// A WSDL with an operation whose request is the element `In` of these schemas.
fn wsdl(schema: &str) -> String {
    format!(
        "<w:definitions xmlns:w='http://schemas.xmlsoap.org/wsdl/' xmlns:soap='http://schemas.xmlsoap.org/wsdl/soap/' \
         xmlns:x='http://www.w3.org/2001/XMLSchema' xmlns:s='urn:s' targetNamespace='urn:s'><w:types>\n\
         <x:schema targetNamespace='urn:s'>\n{schema}</x:schema></w:types>\
         <w:message name='M'><w:part name='p' element='s:In'/></w:message>\
         <w:portType name='T'><w:operation name='O'><w:input message='s:M'/></w:operation></w:portType>\
         <w:binding name='B' type='s:T'><soap:binding/><w:operation name='O'><w:input><soap:body use='literal'/>\
         </w:input></w:operation></w:binding></w:definitions>"
    )
}

fn no_files(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("{name} does not exist"))
}

/// The fault of a WSDL, or of its only operation.
fn fault(text: &str) -> String {
    match read("x.wsdl", text.as_bytes().to_vec(), &mut no_files) {
        Err(faults) => faults[0].to_string(),
        Ok(wsdl) => wsdl.bindings[0].operations[0].as_ref().expect_err("a fault").faults[0].to_string(),
    }
}

#[test]
fn texts_that_no_wsdl_has_are_refused() {
    let bomb = "<!DOCTYPE w [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;'>]><w>&b;</w>";
    assert!(fault(bomb).starts_with("x.wsdl:1:1: expected no document type declaration"), "{}", fault(bomb));
    let deep = wsdl(&"<x:element>".repeat(XML_DEPTH_MAX));
    assert!(fault(&deep).ends_with(&format!("expected at most {XML_DEPTH_MAX} elements in each other")));
    let attributes: String = (0..100_000).map(|number| format!(" a{number}=''")).collect();
    let wide = wsdl(&format!("<x:element{attributes}/>"));
    assert!(fault(&wide).ends_with(&format!("expected at most {ATTRIBUTES_MAX} attributes, found 100000")));
    let prefixes: String = (0..200).map(|number| format!(" xmlns:a{number}='urn:{number}'")).collect();
    let nested = wsdl(&format!("<x:element{prefixes}><x:element{prefixes}/></x:element>"));
    assert!(fault(&nested).ends_with("prefixes at one place"), "{}", fault(&nested));
    let huge = " ".repeat(FILE_BYTES_MAX + 1);
    assert!(fault(&huge).contains(&format!("expected at most {FILE_BYTES_MAX} bytes in a file")));
    assert!(fault("<w>").starts_with("x.wsdl:1:"), "{}", fault("<w>"));
    assert!(fault("<a/>").contains("expected WSDL 1.1 (wsdl:definitions), found a"));
    let second = "<description xmlns='http://www.w3.org/ns/wsdl'/>";
    assert!(fault(second).contains("WSDL 2.0 is not supported"));
}

#[test]
fn types_that_grow_without_end_are_refused() {
    let level = |number: usize, inner: &str| {
        let elements: String =
            (0..10).map(|at| format!("<x:element name='e{at}' type='s:{inner}'/>")).collect();
        format!("<x:complexType name='T{number}'><x:sequence>{elements}</x:sequence></x:complexType>\n")
    };
    let mut schema = "<x:element name='In' type='s:T0'/><x:simpleType name='T9'><x:restriction base='x:int'/></x:simpleType>".to_owned();
    for number in 0..9 {
        schema.push_str(&level(number, &format!("T{}", number + 1)));
    }
    assert!(fault(&wsdl(&schema)).contains(&format!("expected at most {ELEMENTS_MAX} elements")));
    // Groups without elements grow too.
    let mut schema =
        "<x:element name='In'><x:complexType><x:group ref='s:g0'/></x:complexType></x:element>".to_owned();
    for number in 0..9 {
        let inner = format!("<x:group ref='s:g{}'/>", number + 1).repeat(10);
        schema.push_str(&format!("<x:group name='g{number}'><x:sequence>{inner}</x:sequence></x:group>"));
    }
    schema.push_str("<x:group name='g9'><x:sequence/></x:group>");
    assert!(fault(&wsdl(&schema)).contains(&format!("expected at most {STEPS_MAX} declarations")));
    // A type within a type, and no end.
    let mut schema = "<x:element name='In' type='s:T0'/>".to_owned();
    for number in 0..500 {
        let next = number + 1;
        schema.push_str(&format!(
            "<x:complexType name='T{number}'><x:sequence><x:element name='e' type='s:T{next}'/></x:sequence></x:complexType>"
        ));
    }
    assert!(fault(&wsdl(&schema)).contains("types and groups in each other"));
}

#[test]
fn circles_of_types_elements_and_groups_are_refused() {
    for schema in [
        "<x:element name='In'><x:complexType><x:sequence><x:element ref='s:In'/></x:sequence></x:complexType></x:element>",
        "<x:element name='In'><x:complexType><x:group ref='s:g'/></x:complexType></x:element>\
         <x:group name='g'><x:sequence><x:group ref='s:g'/></x:sequence></x:group>",
        "<x:element name='In' type='s:A'/><x:complexType name='A'><x:complexContent><x:extension base='s:B'/>\
         </x:complexContent></x:complexType><x:complexType name='B'><x:complexContent><x:extension base='s:A'/>\
         </x:complexContent></x:complexType>",
        "<x:element name='In' type='s:A'/><x:simpleType name='A'><x:restriction base='s:A'/></x:simpleType>",
        "<x:element name='In'><x:complexType><x:attributeGroup ref='s:g'/></x:complexType></x:element>\
         <x:attributeGroup name='g'><x:attributeGroup ref='s:g'/></x:attributeGroup>",
        "<x:element name='In' substitutionGroup='s:In'/>",
    ] {
        let told = fault(&wsdl(schema));
        assert!(told.starts_with("x.wsdl:3:") && told.contains("contains itself"), "{told}");
    }
}

#[test]
fn imports_are_few_and_not_deep_and_stay_in_the_folder() {
    let text = |next: usize| {
        format!(
            "<x:schema xmlns:x='http://www.w3.org/2001/XMLSchema'><x:include schemaLocation='f{next}.xsd'/></x:schema>"
        )
    };
    let main = wsdl("<x:include schemaLocation='f0.xsd'/>");
    let asked = Cell::new(0);
    let mut chain = |_: &str| {
        asked.set(asked.get() + 1);
        Ok(text(asked.get()).into_bytes())
    };
    let faults = read("x.wsdl", main.clone().into_bytes(), &mut chain).expect_err("too deep");
    assert!(faults[0].message.contains("files between the WSDL and one that it imports"), "{faults:?}");
    assert!(asked.get() <= IMPORT_DEPTH_MAX + 1);
    let many: String =
        (0..FILES_MAX).map(|number| format!("<x:include schemaLocation='g{number}.xsd'/>")).collect();
    let mut flat = |_: &str| Ok(b"<x:schema xmlns:x='http://www.w3.org/2001/XMLSchema'/>".to_vec());
    let faults = read("x.wsdl", wsdl(&many).into_bytes(), &mut flat).expect_err("too many");
    assert!(faults[0].message.contains(&format!("expected at most {FILES_MAX} files")), "{faults:?}");
    let asked = Cell::new(false);
    let mut outside = |_: &str| {
        asked.set(true);
        Ok(Vec::new())
    };
    for location in
        ["../secret.xsd", "/etc/passwd", "http://example.org/a.xsd", "file:///etc/passwd", "a/../../b.xsd"]
    {
        let text = wsdl(&format!("<x:include schemaLocation='{location}'/>"));
        let read = below_root(("x.wsdl", "outside"), &mut outside, |name, files| {
            read(name, text.clone().into_bytes(), files)
        });
        assert!(read.is_ok(), "the fault is with what is missing");
        assert!(!asked.get(), "{location}");
    }
}
