//! Namespaces, and qualified names in values of attributes.

use roxmltree::{Attribute, Node};

pub(super) use ::xml::{own_attribute, own_attribute_node};

use super::model::Name;

pub(super) const XSD: &str = "http://www.w3.org/2001/XMLSchema";
pub(super) const XML: &str = "http://www.w3.org/XML/1998/namespace";
pub(super) const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
pub(super) const WSDL_2: &str = "http://www.w3.org/ns/wsdl";
pub(super) const SOAP_1_1: &str = "http://schemas.xmlsoap.org/wsdl/soap/";
pub(super) const SOAP_1_2: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";
pub(super) const MIME: &str = "http://schemas.xmlsoap.org/wsdl/mime/";
pub(super) const SOAP_ENCODING: [&str; 2] =
    ["http://schemas.xmlsoap.org/soap/encoding/", "http://www.w3.org/2003/05/soap-encoding"];
/// The namespaces of the attribute `Action` of a message: the Recommendation, and its draft.
pub(super) const ADDRESSING_METADATA: [&str; 2] =
    ["http://www.w3.org/2007/05/addressing/metadata", "http://www.w3.org/2006/05/addressing/wsdl"];
pub(super) const ADDRESSING: &str = "http://www.w3.org/2005/08/addressing";

/// Element children.
pub(super) fn children<'d>(node: Node<'d, 'd>) -> impl Iterator<Item = Node<'d, 'd>> {
    node.children().filter(Node::is_element)
}

/// Element children with a name.
pub(super) fn named<'d>(
    node: Node<'d, 'd>,
    namespace: &'static str,
    name: &'static str,
) -> impl Iterator<Item = Node<'d, 'd>> {
    children(node).filter(move |child| is(*child, namespace, name))
}

/// True for an element with this name.
pub(super) fn is(node: Node<'_, '_>, namespace: &str, name: &str) -> bool {
    node.tag_name().name() == name && node.tag_name().namespace() == Some(namespace)
}

/// The name of an element of XML Schema; empty for others.
pub(super) fn xsd<'d>(node: Node<'d, 'd>) -> &'d str {
    if node.tag_name().namespace() == Some(XSD) { node.tag_name().name() } else { "" }
}

/// The name that a value of an attribute means. `unprefixed` is the namespace if there is no declaration of a
/// default one.
pub(super) fn qualified(node: Node<'_, '_>, value: &str, unprefixed: &str) -> Result<Name, String> {
    let value = value.trim();
    let (namespace, local) = match value.split_once(':') {
        None => (node.lookup_namespace_uri(None).unwrap_or(unprefixed), value),
        Some(("xml", local)) => (XML, local),
        Some((prefix, local)) => {
            let found = node.lookup_namespace_uri(Some(prefix));
            (found.ok_or_else(|| format!("the prefix of '{value}' is not declared"))?, local)
        }
    };
    Ok(Name { namespace: namespace.to_owned(), local: local.to_owned() })
}

/// The attributes of XML Schema and WSDL whose value is a name with a prefix.
const NAMES: [&str; 8] =
    ["type", "base", "ref", "itemType", "substitutionGroup", "element", "message", "binding"];

/// True if two declarations say the same, whatever their annotations and prefixes.
pub(super) fn alike<'d>(one: Node<'d, 'd>, other: Node<'d, 'd>) -> bool {
    one == other
        || one.tag_name() == other.tag_name()
            && one.attributes().len() == other.attributes().len()
            && one.attributes().all(|given| has(other, &given, one))
            && said(one).count() == said(other).count()
            && said(one).zip(said(other)).all(|(one, other)| alike(one, other))
}

/// The parts of a declaration that are not for people.
fn said<'d>(node: Node<'d, 'd>) -> impl Iterator<Item = Node<'d, 'd>> {
    children(node).filter(|child| !matches!(child.tag_name().name(), "annotation" | "documentation"))
}

/// True if an element has an attribute of another one, with the same meaning.
fn has(node: Node<'_, '_>, given: &Attribute<'_, '_>, of: Node<'_, '_>) -> bool {
    let is_it =
        |found: &Attribute<'_, '_>| found.name() == given.name() && found.namespace() == given.namespace();
    let Some(found) = node.attributes().find(is_it) else { return false };
    if given.namespace().is_some() || !NAMES.contains(&given.name()) {
        return found.value() == given.value();
    }
    match (qualified(node, found.value(), ""), qualified(of, given.value(), "")) {
        (Ok(found), Ok(given)) => found == given,
        // A prefix that is not declared has its own fault where the name is used.
        _ => found.value() == given.value(),
    }
}

/// The value of an attribute that is true or false.
pub(super) fn is_true(node: Node<'_, '_>, name: &str) -> bool {
    matches!(own_attribute(node, name).map(str::trim), Some("true" | "1"))
}
