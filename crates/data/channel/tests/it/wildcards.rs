//! `xsd:any` takes the elements that its namespaces allow, up to `maxOccurs`, and leaves the others to their own members.

use assistant::CharVarying;
use channel::{ErrorKind, Interface};
use service::{Channel, Content};

use crate::messages::{channel_of, interface_of, written, wsdl_of};

fn interface(content: &str) -> Interface {
    let element =
        format!("<xs:element name=\"Order\"><xs:complexType>{content}</xs:complexType></xs:element>");
    interface_of(&wsdl_of(&element, ""), CharVarying::Collapse)
}

fn order(content: &str) -> String {
    format!("<Order xmlns=\"urn:t\" xmlns:x=\"urn:x\" xmlns:y=\"urn:y\">{content}</Order>")
}

fn read(interface: &Interface, content: &str) -> Channel {
    channel_of(interface, &order(content)).unwrap_or_else(|error| panic!("{content}: {error}"))
}

/// The XML in containers of text, without declarations of prefixes.
fn texts(channel: &Channel) -> Vec<String> {
    let containers = channel.containers().iter().filter_map(|container| match &container.content {
        Content::Char { bytes, .. } => Some(String::from_utf8(bytes.clone()).expect("UTF-8")),
        Content::Bit(_) => None,
    });
    containers.filter(|text| text.starts_with('<')).collect()
}

#[test]
fn any_xml_ends_where_the_next_row_begins() {
    let interface = interface(
        r###"<xs:sequence><xs:sequence maxOccurs="unbounded"><xs:element name="a" type="xs:int"/>
        <xs:any namespace="##other" minOccurs="0" maxOccurs="unbounded"/></xs:sequence><xs:element name="z" type="xs:int"/></xs:sequence>"###,
    );
    let channel = read(&interface, "<a>1</a><x:p/><y:q/><a>2</a><a>3</a><x:r>r</x:r><z>4</z>");
    assert_eq!(texts(&channel), ["<x:p/><y:q/>", "<x:r>r</x:r>"]);
    let out = written(&interface, &channel);
    let places: Vec<usize> = ["<ns1:a>1<", "<x:p", "<y:q", "<ns1:a>2<", "<ns1:a>3<", "<x:r", "<ns1:z>4<"]
        .iter()
        .map(|part| out.find(part).unwrap_or_else(|| panic!("{part}: {out}")))
        .collect();
    assert!(places.is_sorted(), "{out}");
}

#[test]
fn any_xml_of_a_choice_leaves_the_elements_of_others() {
    let choice =
        "<xs:choice><xs:any namespace=\"##other\"/><xs:element name=\"b\" type=\"xs:int\"/></xs:choice>";
    let interface = interface(choice);
    let out = written(&interface, &read(&interface, "<b>1</b>"));
    assert!(out.ends_with("<ns1:b>1</ns1:b></ns1:Order>"), "{out}");
    assert_eq!(texts(&read(&interface, "<x:b>1</x:b>")), ["<x:b>1</x:b>"]);
}

#[test]
fn a_wildcard_takes_as_many_elements_as_it_may() {
    let rows =
        interface("<xs:sequence maxOccurs=\"unbounded\"><xs:any namespace=\"urn:x urn:y\"/></xs:sequence>");
    assert_eq!(texts(&read(&rows, "<x:a/><y:a/>")), ["<x:a/>", "<y:a/>"]);
    let two = interface("<xs:sequence><xs:any namespace=\"##local\" maxOccurs=\"2\"/></xs:sequence>");
    let local = "<a xmlns=\"\"/>";
    assert_eq!(texts(&read(&two, &local.repeat(2))), [local.repeat(2)]);
    for wrong in [local.repeat(3), "<a/>".to_owned(), "<x:a/>".to_owned()] {
        let error = channel_of(&two, &order(&wrong)).expect_err(&wrong);
        assert_eq!(error.kind, ErrorKind::UnknownMember, "{wrong}: {error}");
    }
}

#[test]
fn the_example_is_one_that_the_wildcard_takes() {
    for (namespace, expected) in [
        ("##any", "<any xmlns=\\\"urn:any\\\"/>"),
        ("##other", "<any xmlns=\\\"urn:any\\\"/>"),
        ("##targetNamespace", "<any xmlns=\\\"urn:t\\\"/>"),
        ("##local", "<any xmlns=\\\"\\\"/>"),
        ("urn:y urn:x", "<any xmlns=\\\"urn:x\\\"/>"),
    ] {
        let interface = interface(&format!("<xs:sequence><xs:any namespace=\"{namespace}\"/></xs:sequence>"));
        assert!(interface.json_schema().contains(expected), "{namespace}: {}", interface.json_schema());
    }
}
