//! Attributes that no field has: those that a wildcard of the schema allows (`xsd:anyAttribute`), and below mapping level 1.1 all.

use assistant::{CharVarying, MappingLevel};
use channel::Interface;

use crate::messages::{channel_of, interface_at, interface_of, written, wsdl_of};

/// Wildcards on elements of all forms.
const ORDER: &str = r###"<xs:element name="Order"><xs:complexType><xs:sequence>
    <xs:element name="local"><xs:complexType><xs:sequence><xs:element name="a" type="xs:string" minOccurs="0"/></xs:sequence>
      <xs:attribute name="no" type="xs:int"/><xs:anyAttribute namespace="##local urn:x" processContents="skip"/></xs:complexType></xs:element>
    <xs:element name="text"><xs:complexType><xs:simpleContent><xs:extension base="xs:int"><xs:anyAttribute namespace="##other"/>
      </xs:extension></xs:simpleContent></xs:complexType></xs:element>
    <xs:element name="empty" minOccurs="0"><xs:complexType><xs:anyAttribute/></xs:complexType></xs:element>
    <xs:element name="row" minOccurs="0" maxOccurs="unbounded" nillable="true" type="t:Extended"/>
    <xs:element name="none" minOccurs="0"><xs:complexType><xs:sequence><xs:element name="b" type="xs:string"/></xs:sequence>
      </xs:complexType></xs:element>
    <xs:element name="restricted" type="t:Restricted" minOccurs="0"/><xs:element name="grouped" type="t:Grouped" minOccurs="0"/>
    <xs:element name="animal" type="t:Animal" minOccurs="0"/>
    </xs:sequence><xs:anyAttribute namespace="##any"/></xs:complexType></xs:element>"###;

const TYPES: &str = r###"<xs:complexType name="Base"><xs:sequence><xs:element name="c" type="xs:string" minOccurs="0"/></xs:sequence>
      <xs:anyAttribute namespace="urn:x"/></xs:complexType>
    <xs:complexType name="Extended"><xs:complexContent><xs:extension base="t:Base"><xs:anyAttribute namespace="urn:y ##targetNamespace"/>
      </xs:extension></xs:complexContent></xs:complexType>
    <xs:complexType name="Restricted"><xs:complexContent><xs:restriction base="t:Base"><xs:sequence>
      <xs:element name="c" type="xs:string" minOccurs="0"/></xs:sequence></xs:restriction></xs:complexContent></xs:complexType>
    <xs:attributeGroup name="G"><xs:anyAttribute namespace="urn:x urn:y"/></xs:attributeGroup>
    <xs:complexType name="Grouped"><xs:sequence><xs:element name="d" type="xs:string" minOccurs="0"/></xs:sequence>
      <xs:attributeGroup ref="t:G"/><xs:anyAttribute namespace="urn:y urn:z"/></xs:complexType>
    <xs:complexType name="Animal" abstract="true"><xs:anyAttribute namespace="urn:x"/></xs:complexType>
    <xs:complexType name="Cat"><xs:complexContent><xs:extension base="t:Animal"><xs:sequence><xs:element name="name" type="xs:string"/>
      </xs:sequence></xs:extension></xs:complexContent></xs:complexType>"###;

fn order(attributes: &str, inner: &str) -> String {
    format!(
        "<Order xmlns=\"urn:t\" xmlns:t=\"urn:t\" xmlns:x=\"urn:x\" xmlns:y=\"urn:y\" xmlns:z=\"urn:z\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"{attributes}>{inner}</Order>"
    )
}

fn through(interface: &Interface, text: &str) -> String {
    let channel = channel_of(interface, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let out = written(interface, &channel);
    let (_, out) = out.split_once('>').expect("a tag");
    out.strip_suffix("</ns1:Order>").expect("an end").replace("ns1:", "")
}

const FIRST: &str = "<local/><text>1</text>";

#[test]
fn attributes_that_a_wildcard_allows_are_skipped() {
    for varying in [CharVarying::No, CharVarying::Collapse, CharVarying::Yes] {
        let interface = interface_of(&wsdl_of(ORDER, TYPES), varying);
        for (attributes, inner, plain) in [
            (" a=\"1\" x:b=\"2\" t:c=\"\" xml:lang=\"en\"", FIRST, FIRST),
            (
                "",
                "<local b=\"1\" x:b=\"2\" no=\"3\"/><text x:a=\"b\">1</text>",
                "<local no=\"3\"/><text>1</text>",
            ),
            ("", "<local/><text>1</text><empty t:a=\"1\" b=\"&lt;\"/>", "<local/><text>1</text><empty/>"),
            (
                "",
                "<local/><text>1</text><row x:a=\"\" y:a=\"\" t:a=\"\"><c>d</c></row><row/>",
                "<local/><text>1</text><row><c>d</c></row><row/>",
            ),
            ("", "<local/><text>1</text><grouped y:a=\"1\"/>", "<local/><text>1</text><grouped/>"),
            (
                "",
                "<local/><text>1</text><animal xsi:type=\"t:Cat\" x:a=\"1\"><name>Tom</name></animal>",
                "<local/><text>1</text><animal xsi:type=\"t:Cat\"><name>Tom</name></animal>",
            ),
        ] {
            let out = through(&interface, &order(attributes, inner));
            assert_eq!(out, through(&interface, &order("", plain)), "{inner}");
        }
    }
}

#[test]
fn attributes_that_no_wildcard_allows_are_refused() {
    let interface = interface_of(&wsdl_of(ORDER, TYPES), CharVarying::Collapse);
    for (inner, name) in [
        ("<local t:b=\"1\"/><text>1</text>", "t:b"),
        ("<local y:b=\"1\"/><text>1</text>", "y:b"),
        ("<local/><text x:ok=\"1\" a=\"b\">1</text>", "a"),
        ("<local/><text t:a=\"b\">1</text>", "t:a"),
        ("<local/><text>1</text><row z:a=\"1\"/>", "z:a"),
        ("<local/><text>1</text><none x:a=\"1\"><b/></none>", "x:a"),
        ("<local/><text>1</text><restricted x:a=\"1\"/>", "x:a"),
        ("<local/><text>1</text><grouped x:a=\"1\"/>", "x:a"),
        ("<local/><text>1</text><grouped z:a=\"1\"/>", "z:a"),
        ("<local/><text>1</text><animal xsi:type=\"t:Cat\" z:a=\"1\"><name>Tom</name></animal>", "z:a"),
    ] {
        let error = channel_of(&interface, &order("", inner)).expect_err(inner);
        assert!(error.message.starts_with(&format!("unknown attribute {name}")), "{inner}: {error}");
        assert!(error.position.is_some_and(|(line, column)| line == 1 && column > 100), "{error:?}");
    }
    // Even skipped attributes are XML.
    let error = channel_of(&interface, &order(" a=\"1\" u:b=\"2\"", FIRST)).expect_err("no prefix");
    assert!(error.message.contains("prefix"), "{error}");
}

#[test]
fn below_level_1_1_attributes_of_the_schema_are_skipped() {
    let element = r#"<xs:element name="Order"><xs:complexType><xs:sequence>
        <xs:element name="sum"><xs:complexType><xs:simpleContent><xs:extension base="xs:int"><xs:attribute name="unit" type="xs:string"/>
          </xs:extension></xs:simpleContent></xs:complexType></xs:element>
        <xs:element name="mark" minOccurs="0"><xs:complexType><xs:attribute name="on" type="xs:boolean" use="required"/></xs:complexType>
          </xs:element>
        </xs:sequence><xs:attribute name="lang" type="xs:string"/></xs:complexType></xs:element>"#;
    let interface = interface_at(&wsdl_of(element, ""), CharVarying::No, MappingLevel::V1_0);
    let plain = "<sum>5</sum><mark/>";
    let out = through(&interface, &order(" lang=\"en\"", "<sum unit=\"kg\">5</sum><mark on=\"1\"/>"));
    assert_eq!(out, through(&interface, &order("", plain)));
    let error = channel_of(&interface, &order("", "<sum unknown=\"kg\">5</sum>")).expect_err("unknown");
    assert!(error.to_string().starts_with("sum: unknown attribute unknown"), "{error}");
}

#[test]
fn attributes_of_mixed_content_are_skipped_and_those_of_any_type_are_refused() {
    let types = r#"<xs:complexType name="Method" mixed="true"><xs:sequence><xs:any minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
          <xs:attribute name="algorithm" type="xs:anyURI" use="required"/></xs:complexType>
        <xs:complexType name="Longer"><xs:complexContent mixed="true"><xs:extension base="t:Method"><xs:attribute name="bits" type="xs:int"/>
          <xs:anyAttribute namespace="urn:x"/></xs:extension></xs:complexContent></xs:complexType>"#;
    let element = r#"<xs:element name="Order"><xs:complexType><xs:sequence><xs:element name="method" type="t:Method"/>
        <xs:element name="longer" type="t:Longer" minOccurs="0"/><xs:element name="open" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>"#;
    let interface = interface_of(&wsdl_of(element, types), CharVarying::Collapse);
    for (given, plain) in [
        ("<method algorithm=\"urn:m\"/>", "<method/>"),
        (
            "<method algorithm=\"urn:m\"> a <b xmlns=\"\"/></method><longer algorithm=\"urn:l\" bits=\"8\" x:a=\"1\">c</longer>",
            "<method> a <b xmlns=\"\"/></method><longer>c</longer>",
        ),
    ] {
        let out = through(&interface, &order("", given));
        assert_eq!(out, through(&interface, &order("", plain)), "{given}");
    }
    for (inner, name) in
        [("<method bits=\"8\"/>", "bits"), ("<method x:a=\"8\"/>", "x:a"), ("<method/><open a=\"1\"/>", "a")]
    {
        let error = channel_of(&interface, &order("", inner)).expect_err(inner);
        assert!(error.message.starts_with(&format!("unknown attribute {name}")), "{inner}: {error}");
    }
}

/// As with other content, a restriction has the attributes of its base but for those it prohibits, and not its wildcard.
#[test]
fn mixed_content_that_restricts_other_content_has_no_wildcard_of_it() {
    let types = r#"<xs:complexType name="Base" mixed="true"><xs:sequence><xs:any minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
          <xs:attribute name="a" type="xs:int"/><xs:attribute name="b" type="xs:int"/><xs:anyAttribute namespace="urn:x"/></xs:complexType>
        <xs:complexType name="Longer" mixed="true"><xs:complexContent><xs:extension base="t:Base"><xs:attribute name="c" type="xs:int"/>
          </xs:extension></xs:complexContent></xs:complexType>
        <xs:complexType name="Narrow"><xs:complexContent mixed="true"><xs:restriction base="t:Longer">
          <xs:attribute name="b" use="prohibited"/><xs:anyAttribute namespace="urn:y"/></xs:restriction></xs:complexContent></xs:complexType>"#;
    let element = r#"<xs:element name="Order"><xs:complexType><xs:sequence><xs:element name="longer" type="t:Longer"/>
        <xs:element name="narrow" type="t:Narrow" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>"#;
    let interface = interface_of(&wsdl_of(element, types), CharVarying::Collapse);
    let given = "<longer a=\"1\" b=\"2\" c=\"3\" x:d=\"4\"/><narrow a=\"1\" c=\"3\" y:d=\"4\"/>";
    let out = through(&interface, &order("", given));
    assert_eq!(out, through(&interface, &order("", "<longer/><narrow/>")));
    for (inner, name) in [
        ("<longer/><narrow b=\"1\"/>", "b"),
        ("<longer/><narrow x:d=\"1\"/>", "x:d"),
        ("<longer y:d=\"1\"/>", "y:d"),
    ] {
        let error = channel_of(&interface, &order("", inner)).expect_err(inner);
        assert!(error.message.starts_with(&format!("unknown attribute {name}")), "{inner}: {error}");
    }
}
