//! Random schemas: a copybook has a field for each element and attribute, in their order and with their names.

use std::fmt::Write;

use assistant::{CharVarying, Options, XmlForm};
use proptest::prelude::*;
use wsdl::read::{read, shape};

/// An element of a random schema.
#[derive(Clone, Debug)]
struct Node {
    name: String,
    min: u32,
    max: u32,
    nillable: bool,
    attributes: Vec<(String, bool)>,
    inner: Inner,
}

#[derive(Clone, Debug)]
enum Inner {
    Text(&'static str),
    Nodes(Vec<Node>),
}

const TYPES: &[&str] =
    &["string", "int", "decimal", "boolean", "date", "short", "unsignedLong", "double", "token", "byte"];

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop::sample::select(TYPES).prop_map(Inner::Text);
    let named = |inner: BoxedStrategy<Inner>| {
        let occurs = prop_oneof![Just((1, 1)), Just((0, 1)), Just((2, 2)), Just((0, 4))];
        let attributes = prop::collection::btree_map("[a-z]{1,6}", any::<bool>(), 0..3);
        ("[A-Za-z][A-Za-z0-9_.-]{0,40}", occurs, any::<bool>(), attributes, inner).prop_map(
            |(name, (min, max), nillable, attributes, inner)| {
                let attributes = attributes.into_iter().collect();
                Node { name, min, max, nillable, attributes, inner }
            },
        )
    };
    named(leaf.boxed()).prop_recursive(3, 24, 5, move |inner| {
        named(prop::collection::vec(inner, 1..5).prop_map(Inner::Nodes).boxed())
    })
}

fn write(node: &Node, out: &mut String) {
    let Node { name, min, max, nillable, attributes, inner } = node;
    let head = format!("<x:element name='{name}' minOccurs='{min}' maxOccurs='{max}' nillable='{nillable}'");
    let listed: String = attributes
        .iter()
        .map(|(name, required)| {
            let needed = if *required { "required" } else { "optional" };
            format!("<x:attribute name='{name}' type='x:string' use='{needed}'/>")
        })
        .collect();
    match inner {
        Inner::Text(kind) if attributes.is_empty() => {
            let _ = write!(out, "{head} type='x:{kind}'/>");
        }
        Inner::Text(kind) => {
            let _ = write!(
                out,
                "{head}><x:complexType><x:simpleContent><x:extension base='x:{kind}'>{listed}</x:extension>\
                 </x:simpleContent></x:complexType></x:element>"
            );
        }
        Inner::Nodes(nodes) => {
            let _ = write!(out, "{head}><x:complexType><x:sequence>");
            nodes.iter().for_each(|node| write(node, out));
            let _ = write!(out, "</x:sequence>{listed}</x:complexType></x:element>");
        }
    }
}

/// The names that fields must have, in the order of the copybook.
fn expected(node: &Node, out: &mut Vec<(XmlForm, String)>) {
    out.push((XmlForm::Element, node.name.clone()));
    out.extend(node.attributes.iter().map(|(name, _)| (XmlForm::Attribute, name.clone())));
    match &node.inner {
        Inner::Text(_) if node.attributes.is_empty() => {}
        Inner::Text(_) => out.push((XmlForm::Text, node.name.clone())),
        Inner::Nodes(nodes) => nodes.iter().for_each(|node| expected(node, out)),
    }
}

fn wsdl(nodes: &[Node]) -> String {
    let mut elements = String::new();
    nodes.iter().for_each(|node| write(node, &mut elements));
    format!(
        "<w:definitions xmlns:w='http://schemas.xmlsoap.org/wsdl/' xmlns:soap='http://schemas.xmlsoap.org/wsdl/soap/' \
         xmlns:x='http://www.w3.org/2001/XMLSchema' xmlns:s='urn:s' targetNamespace='urn:s'><w:types>\
         <x:schema targetNamespace='urn:s'><x:element name='In'><x:complexType><x:sequence>{elements}</x:sequence>\
         </x:complexType></x:element></x:schema></w:types>\
         <w:message name='M'><w:part name='p' element='s:In'/></w:message>\
         <w:portType name='T'><w:operation name='O'><w:input message='s:M'/></w:operation></w:portType>\
         <w:binding name='B' type='s:T'><soap:binding/><w:operation name='O'><w:input><soap:body use='literal'/>\
         </w:input></w:operation></w:binding></w:definitions>"
    )
}

fn nothing(_: &str) -> Result<Vec<u8>, String> {
    Err("there are no other files".to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_copybook_has_a_field_for_each_element_and_attribute(
        nodes in prop::collection::vec(node(), 1..5),
        char_varying in prop::sample::select(&[CharVarying::No, CharVarying::Null, CharVarying::Yes]),
        inline_max_occurs in prop::sample::select(&[1, 32_767]),
    ) {
        let text = wsdl(&nodes);
        let read = read("x.wsdl", text.clone().into_bytes(), &mut nothing).expect("a WSDL");
        let operation = read.bindings[0].operations[0].as_ref().expect("an operation");
        let options = Options { char_varying, inline_max_occurs, ..Options::web_service("REC01") };
        let shape = shape(operation.request.as_ref().expect("an element"), &options).expect("a shape");
        let copybook = assistant::write(&shape, &options).expect("a copybook");
        let parsed = copybook::parse("X", &copybook.text, &copybook::Options::default());
        prop_assert!(parsed.is_ok(), "{}\n{:?}", copybook.text, parsed.err());
        // A container's content has a structure of its own, behind the others. So the names are compared, not
        // their places.
        let mut found: Vec<(String, String)> = copybook.names.iter().filter_map(|name| name.xml.as_ref())
            .map(|xml| (format!("{:?}", xml.form), xml.name.clone())).collect();
        found.sort();
        found.dedup();
        let mut wanted = Vec::new();
        nodes.iter().for_each(|node| expected(node, &mut wanted));
        let mut wanted: Vec<(String, String)> =
            wanted.into_iter().map(|(form, name)| (format!("{form:?}"), name)).collect();
        wanted.sort();
        wanted.dedup();
        prop_assert_eq!(found, wanted, "{}\n{}", text, copybook.text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), at in 0..2_000_usize, byte in any::<u8>()) {
        let _ = read("x.wsdl", text.into_bytes(), &mut nothing);
        let node = Node {
            name: "e".to_owned(), min: 1, max: 1, nillable: false, attributes: Vec::new(), inner: Inner::Text("int"),
        };
        let mut bytes = wsdl(&[node]).into_bytes();
        if let Some(changed) = bytes.get_mut(at) {
            *changed = byte;
        }
        let _ = read("x.wsdl", bytes, &mut nothing);
    }
}
