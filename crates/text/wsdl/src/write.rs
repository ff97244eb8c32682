//! The document of a service, with the same elements as DFHLS2WS writes.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::{HTTP_TRANSPORT, SOAP_11_BINDING, SOAP_12_BINDING, WSDL_NAMESPACE};

/// The versions of SOAP for which a service has bindings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versions {
    /// SOAP 1.1 only.
    V11,
    /// SOAP 1.2 only.
    V12,
    /// Both.
    #[default]
    All,
}

impl Versions {
    fn list(self) -> &'static [Version] {
        match self {
            Self::V11 => &[V11],
            Self::V12 => &[V12],
            Self::All => &[V11, V12],
        }
    }
}

/// The differences between the bindings of the two versions.
#[derive(Clone, Copy)]
struct Version {
    prefix: &'static str,
    namespace: &'static str,
    number: &'static str,
    /// The mark in the names of the second binding and port.
    mark: &'static str,
}

const V11: Version = Version { prefix: "soap", namespace: SOAP_11_BINDING, number: "1.1", mark: "" };
const V12: Version = Version { prefix: "soap12", namespace: SOAP_12_BINDING, number: "1.2", mark: "12" };

/// A global element of one of the schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementName {
    /// The target namespace of its schema; empty for none.
    pub namespace: String,
    /// Its local name.
    pub name: String,
}

/// One operation of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The name, which is also the base of the messages' names.
    pub name: String,
    /// The SOAP action; usually empty.
    pub action: String,
    /// The element of the request's body.
    pub request: ElementName,
    /// The element of the response's body; none if the operation is one-way.
    pub response: Option<ElementName>,
}

/// Names for the types of several schemas. A namespace has each name once, so the next ones get numbers.
#[derive(Debug, Default)]
pub struct TypeNames {
    /// How many there are, by their namespaces.
    taken: HashMap<String, usize>,
}

impl TypeNames {
    /// The name of the next type in a namespace.
    pub fn add(&mut self, namespace: &str, name: &str) -> String {
        let taken = self.taken.entry(namespace.to_owned()).or_default();
        *taken += 1;
        if *taken == 1 { name.to_owned() } else { format!("{name}{taken}") }
    }
}

/// The content of a document.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// The prefix of the names of port type, bindings, ports and service: usually the program's name.
    pub name: String,
    /// The target namespace.
    pub namespace: String,
    /// The address of the service.
    pub address: String,
    /// The versions of SOAP.
    pub versions: Versions,
    /// The line at the top about the origin of the document, if there is one.
    pub comment: Option<String>,
    /// Complete `xsd:schema` elements, in their order.
    pub schemas: Vec<String>,
    /// The operations, in their order.
    pub operations: Vec<Operation>,
}

/// Writes the document. Names are not escaped, so they must be names of XML. All other values are escaped.
#[must_use]
pub fn write(definitions: &Definitions) -> String {
    let mut writer = Writer::new(definitions);
    writer.out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if let Some(comment) = &definitions.comment {
        writer.comment(comment);
    }
    writer.start(definitions);
    writer.types(&definitions.schemas);
    for operation in &definitions.operations {
        writer.messages(operation);
    }
    writer.port_type(definitions);
    for version in definitions.versions.list() {
        writer.binding(definitions, *version);
    }
    writer.service(definitions);
    writer.close("definitions");
    writer.out
}

struct Writer {
    out: String,
    depth: usize,
    /// `wsdl:` if an element without a namespace is named, because the default namespace would catch it.
    wsdl: &'static str,
    /// The prefixes of the elements' namespaces.
    prefixes: Vec<(String, String)>,
}

impl Writer {
    fn new(definitions: &Definitions) -> Self {
        let mut prefixes: Vec<(String, String)> = Vec::new();
        let mut add = |namespace: &str, word: &str, number: usize| {
            if !namespace.is_empty() && !prefixes.iter().any(|(known, _)| known == namespace) {
                let prefix = if number == 0 { word.to_owned() } else { format!("{word}{}", number + 1) };
                prefixes.push((namespace.to_owned(), prefix));
            }
        };
        for (number, operation) in definitions.operations.iter().enumerate() {
            add(&operation.request.namespace, "reqns", number);
            if let Some(response) = &operation.response {
                add(&response.namespace, "resns", number);
            }
        }
        let mut names = definitions.operations.iter().flat_map(|operation| {
            [Some(&operation.request), operation.response.as_ref()].into_iter().flatten()
        });
        let wsdl = if names.any(|name| name.namespace.is_empty()) { "wsdl:" } else { "" };
        Self { out: String::new(), depth: 0, wsdl, prefixes }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(&"   ".repeat(self.depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Opens an element of WSDL that has content.
    fn open(&mut self, tag: &str) {
        self.line(&format!("<{}{tag}>", self.wsdl));
        self.depth += 1;
    }

    fn close(&mut self, name: &str) {
        self.depth -= 1;
        self.line(&format!("</{}{name}>", self.wsdl));
    }

    fn empty(&mut self, tag: &str) {
        self.line(&format!("<{}{tag}/>", self.wsdl));
    }

    /// A comment must not have two hyphens.
    fn comment(&mut self, text: &str) {
        self.line(&format!("<!-- {} -->", text.replace("--", "- -")));
    }

    fn start(&mut self, definitions: &Definitions) {
        let namespace = attribute(&definitions.namespace);
        let default = if self.wsdl.is_empty() { "xmlns" } else { "xmlns:wsdl" };
        let mut tag = format!("definitions targetNamespace=\"{namespace}\" {default}=\"{WSDL_NAMESPACE}\"");
        for (namespace, prefix) in &self.prefixes {
            let _ = write!(tag, " xmlns:{prefix}=\"{}\"", attribute(namespace));
        }
        for version in definitions.versions.list() {
            let _ = write!(tag, " xmlns:{}=\"{}\"", version.prefix, version.namespace);
        }
        let _ = write!(tag, " xmlns:tns=\"{namespace}\"");
        self.open(&tag);
    }

    fn types(&mut self, schemas: &[String]) {
        self.open("types");
        for schema in schemas {
            self.out.push_str(schema.trim_end());
            self.out.push('\n');
        }
        self.close("types");
    }

    fn qualified(&self, element: &ElementName) -> String {
        let prefix = self.prefixes.iter().find(|(namespace, _)| *namespace == element.namespace);
        match prefix {
            Some((_, prefix)) => format!("{prefix}:{}", element.name),
            None => element.name.clone(),
        }
    }

    fn messages(&mut self, operation: &Operation) {
        let response = operation.response.as_ref().map(|element| ("Response", element));
        for (word, element) in response.into_iter().chain([("Request", &operation.request)]) {
            self.open(&format!("message name=\"{}{word}\"", operation.name));
            let element = self.qualified(element);
            self.empty(&format!("part element=\"{element}\" name=\"{word}Part\""));
            self.close("message");
        }
    }

    fn port_type(&mut self, definitions: &Definitions) {
        self.open(&format!("portType name=\"{}Port\"", definitions.name));
        for Operation { name, response, .. } in &definitions.operations {
            self.open(&format!("operation name=\"{name}\""));
            self.empty(&format!("input message=\"tns:{name}Request\" name=\"{name}Request\""));
            if response.is_some() {
                self.empty(&format!("output message=\"tns:{name}Response\" name=\"{name}Response\""));
            }
            self.close("operation");
        }
        self.close("portType");
    }

    fn binding(&mut self, definitions: &Definitions, version: Version) {
        let Version { prefix, number, mark, .. } = version;
        let name = &definitions.name;
        self.open(&format!("binding name=\"{name}HTTPSoap{mark}Binding\" type=\"tns:{name}Port\""));
        self.comment(&format!("This soap:binding indicates the use of SOAP {number}"));
        self.line(&format!("<{prefix}:binding style=\"document\" transport=\"{HTTP_TRANSPORT}\"/>"));
        for operation in &definitions.operations {
            let (name, action) = (&operation.name, attribute(&operation.action));
            self.open(&format!("operation name=\"{name}\""));
            self.line(&format!("<{prefix}:operation soapAction=\"{action}\" style=\"document\"/>"));
            let output = operation.response.is_some().then_some(("output", "Response"));
            for (element, word) in [("input", "Request")].into_iter().chain(output) {
                self.open(&format!("{element} name=\"{name}{word}\""));
                self.line(&format!("<{prefix}:body parts=\"{word}Part\" use=\"literal\"/>"));
                self.close(element);
            }
            self.close("operation");
        }
        self.close("binding");
    }

    fn service(&mut self, definitions: &Definitions) {
        let name = &definitions.name;
        self.open(&format!("service name=\"{name}Service\""));
        for Version { prefix, mark, .. } in definitions.versions.list() {
            let binding = format!("tns:{name}HTTPSoap{mark}Binding");
            self.open(&format!("port binding=\"{binding}\" name=\"{name}{mark}Port\""));
            let address = attribute(&definitions.address);
            self.line(&format!("<{prefix}:address location=\"{address}\"/>"));
            self.close("port");
        }
        self.close("service");
    }
}

/// A value between quotes.
fn attribute(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(out, "&#{};", u32::from(character));
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(namespace: &str, name: &str) -> ElementName {
        ElementName { namespace: namespace.to_owned(), name: name.to_owned() }
    }

    fn definitions(versions: Versions) -> Definitions {
        let schema = |namespace: &str| {
            format!(
                "<xsd:schema xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" targetNamespace=\"{namespace}\"/>"
            )
        };
        Definitions {
            name: "CREDIT".to_owned(),
            namespace: "http://www.CREDIT.com".to_owned(),
            address: "http://server:1/a?b=1&c=\"2\"".to_owned(),
            versions,
            comment: Some("made -- by hand".to_owned()),
            schemas: vec![schema("urn:in"), schema("urn:out")],
            operations: vec![Operation {
                name: "CREDITOperation".to_owned(),
                action: String::new(),
                request: element("urn:in", "CREDITOperation"),
                response: Some(element("urn:out", "CREDITOperationResponse")),
            }],
        }
    }

    /// The names and attributes of all elements, one on each line.
    fn outline(text: &str) -> Vec<String> {
        let document = roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let elements = document.descendants().filter(roxmltree::Node::is_element);
        elements
            .map(|node| {
                let depth = node.ancestors().count();
                let attributes: Vec<String> = node
                    .attributes()
                    .map(|attribute| format!("{}={}", attribute.name(), attribute.value()))
                    .collect();
                format!("{depth} {{{}}}{} {}", ns(&node), node.tag_name().name(), attributes.join(" "))
            })
            .collect()
    }

    fn ns<'a>(node: &roxmltree::Node<'a, '_>) -> &'a str {
        match node.tag_name().namespace() {
            Some(WSDL_NAMESPACE) => "w",
            Some(SOAP_11_BINDING) => "s",
            Some(SOAP_12_BINDING) => "s12",
            _ => "x",
        }
    }

    #[test]
    fn a_service_of_soap_11_has_the_shape_of_the_assistant() {
        let found = outline(&write(&definitions(Versions::V11)));
        let expected = "2 {w}definitions targetNamespace=http://www.CREDIT.com
3 {w}types 
4 {x}schema targetNamespace=urn:in
4 {x}schema targetNamespace=urn:out
3 {w}message name=CREDITOperationResponse
4 {w}part element=resns:CREDITOperationResponse name=ResponsePart
3 {w}message name=CREDITOperationRequest
4 {w}part element=reqns:CREDITOperation name=RequestPart
3 {w}portType name=CREDITPort
4 {w}operation name=CREDITOperation
5 {w}input message=tns:CREDITOperationRequest name=CREDITOperationRequest
5 {w}output message=tns:CREDITOperationResponse name=CREDITOperationResponse
3 {w}binding name=CREDITHTTPSoapBinding type=tns:CREDITPort
4 {s}binding style=document transport=http://schemas.xmlsoap.org/soap/http
4 {w}operation name=CREDITOperation
5 {s}operation soapAction= style=document
5 {w}input name=CREDITOperationRequest
6 {s}body parts=RequestPart use=literal
5 {w}output name=CREDITOperationResponse
6 {s}body parts=ResponsePart use=literal
3 {w}service name=CREDITService
4 {w}port binding=tns:CREDITHTTPSoapBinding name=CREDITPort
5 {s}address location=http://server:1/a?b=1&c=\"2\"";
        assert_eq!(found.join("\n"), expected);
    }

    #[test]
    fn each_version_has_a_binding_and_a_port() {
        let ports = |versions| {
            let found = outline(&write(&definitions(versions)));
            let ports = found.into_iter().filter(|line| line.contains("}port "));
            ports.collect::<Vec<_>>()
        };
        let one = "4 {w}port binding=tns:CREDITHTTPSoapBinding name=CREDITPort";
        let two = "4 {w}port binding=tns:CREDITHTTPSoap12Binding name=CREDIT12Port";
        assert_eq!(ports(Versions::V11), [one]);
        assert_eq!(ports(Versions::V12), [two]);
        assert_eq!(ports(Versions::All), [one, two]);
    }

    #[test]
    fn a_one_way_operation_has_no_output() {
        let mut definitions = definitions(Versions::All);
        definitions.operations[0].response = None;
        let text = write(&definitions);
        assert!(!text.contains("output") && !text.contains("OperationResponse"), "{text}");
        assert!(text.contains("CREDITOperationRequest"));
    }

    #[test]
    fn an_element_without_a_namespace_is_not_caught_by_the_default_one() {
        let mut definitions = definitions(Versions::V11);
        definitions.operations[0].request = element("", "plain");
        let text = write(&definitions);
        let document = roxmltree::Document::parse(&text).expect("XML");
        assert_eq!(document.root_element().tag_name().namespace(), Some(WSDL_NAMESPACE));
        assert_eq!(document.root_element().default_namespace(), None);
        assert!(text.contains("element=\"plain\""));
    }

    #[test]
    fn operations_that_share_namespaces_share_prefixes() {
        let mut definitions = definitions(Versions::V11);
        let mut second = definitions.operations[0].clone();
        second.name = "OTHER".to_owned();
        second.response = Some(element("urn:third", "OTHERResponse"));
        definitions.operations.push(second);
        let text = write(&definitions);
        assert_eq!(text.matches("xmlns:reqns").count(), 1);
        assert!(
            text.contains("xmlns:resns2=\"urn:third\"") && text.contains("element=\"resns2:OTHERResponse\"")
        );
    }

    #[test]
    fn values_are_escaped() {
        let mut definitions = definitions(Versions::V11);
        definitions.namespace = "urn:<&\">\n".to_owned();
        let text = write(&definitions);
        let document = roxmltree::Document::parse(&text).expect("XML");
        assert_eq!(document.root_element().attribute("targetNamespace"), Some("urn:<&\">\n"));
    }
}
