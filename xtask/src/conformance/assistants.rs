//! WSDLs that IBM's DFHLS2WS has made: `gantry soap ls2ws` makes the same document, but for the address, white space and the sentence on
//! who has made it.
//!
//! The copybooks are not among the cases, so they are made from the schemas: an element of text is `PIC X(n)`, one with elements is a
//! group. A document with other types is a case that differs.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use roxmltree::{Document, Node};

const XSD: &str = "http://www.w3.org/2001/XMLSchema";
const MARK: &str = "generated using 'DFHLS2WS' at mapping level '";

/// The case of a document, if DFHLS2WS has made it.
pub(super) fn case(path: &Path) -> Option<(String, Result<(), String>)> {
    path.extension().filter(|ending| *ending == "wsdl")?;
    let text = fs::read_to_string(path).ok()?;
    let level = text.split_once(MARK)?.1.split_once('\'')?.0;
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some((format!("{name}, DFHLS2WS"), compare(&text, level)))
}

fn compare(text: &str, level: &str) -> Result<(), String> {
    let theirs = Document::parse(text).map_err(|error| error.to_string())?;
    let made = {
        let schemas: Vec<Node<'_, '_>> =
            theirs.descendants().filter(|node| node.has_tag_name((XSD, "schema"))).collect();
        let [request, response] = schemas[..] else {
            return Err(format!("{} schemas instead of two", schemas.len()));
        };
        let members = [copybook(request)?, copybook(response)?];
        let root = request.children().rfind(|node| node.has_tag_name((XSD, "element")));
        let operation = root.and_then(|root| root.attribute("name")).unwrap_or_default();
        let program =
            operation.strip_suffix("Operation").ok_or("the element is not named as DFHLS2WS does it")?;
        let target = |node: Node<'_, '_>| node.attribute("targetNamespace").unwrap_or_default().to_owned();
        let parameters = format!(
            "LANG=COBOL\nPGMINT=COMMAREA\nPGMNAME={program}\nREQMEM=REQUEST\nRESPMEM=ANSWER\nMAPPING-LEVEL={level}\n\
             WSBIND={program}.wsbind\nWSDL={program}.wsdl\nURI={program}\nREQUEST-NAMESPACE={}\nRESPONSE-NAMESPACE={}\n\
             WSDL-NAMESPACE={}\n",
            target(request),
            target(response),
            target(theirs.root_element()),
        );
        let member = |name: &str| match name {
            "REQUEST" => Some(members[0].clone()),
            "ANSWER" => Some(members[1].clone()),
            _ => None,
        };
        soap_commands::ls2ws_document(&parameters, &member).map_err(|errors| errors.join("; "))?
    };
    let ours = Document::parse(&made).map_err(|error| error.to_string())?;
    difference(theirs.root_element(), ours.root_element()).map_or(Ok(()), Err)
}

/// The copybook of a schema's type `ProgramInterface`.
fn copybook(schema: Node<'_, '_>) -> Result<String, String> {
    let interface = schema.children().find(|node| node.attribute("name") == Some("ProgramInterface"));
    let mut text = "       01  DFH-RECORD.\n".to_owned();
    fields(interface.ok_or("there is no type ProgramInterface")?, 3, &mut text)?;
    Ok(text)
}

fn fields(complex: Node<'_, '_>, level: usize, text: &mut String) -> Result<(), String> {
    let sequence = complex.children().find(|node| node.has_tag_name((XSD, "sequence")));
    let elements = sequence.into_iter().flat_map(|node| node.children().filter(Node::is_element));
    for element in elements {
        let name = element.attribute("name").unwrap_or_default();
        let cobol = name.replace('_', "-").to_uppercase();
        let of_kind = |kind: &str| element.children().find(|node| node.has_tag_name((XSD, kind)));
        if let Some(group) = of_kind("complexType") {
            let _ = writeln!(text, "           {level:02}  {cobol}.");
            fields(group, level + 3, text)?;
            continue;
        }
        let restriction = of_kind("simpleType")
            .and_then(|kind| kind.children().find(|node| node.has_tag_name((XSD, "restriction"))));
        let facet = |facet: &str| {
            let facet = restriction?.children().find(|node| node.has_tag_name((XSD, facet)))?;
            facet.attribute("value")
        };
        let is_text = restriction.and_then(|node| node.attribute("base")) == Some("xsd:string");
        let length = facet("maxLength").filter(|_| is_text && element.attribute("maxOccurs").is_none());
        let length = length.ok_or_else(|| format!("{name}: only text has a picture here"))?;
        let _ = writeln!(text, "           {level:02}  {cobol} PIC X({length}).");
    }
    Ok(())
}

/// The first difference between two elements and all that is in them.
fn difference(theirs: Node<'_, '_>, ours: Node<'_, '_>) -> Option<String> {
    let name = theirs.tag_name().name();
    if theirs.tag_name() != ours.tag_name() {
        return Some(format!("{} instead of {name}", ours.tag_name().name()));
    }
    let attributes = |node: Node<'_, '_>| {
        let shown = |attribute: roxmltree::Attribute<'_, '_>| {
            let (namespace, name) = (attribute.namespace().unwrap_or_default(), attribute.name());
            // Where the service is depends on who asks.
            let value = if name == "location" { "" } else { attribute.value() };
            format!("{namespace} {name}={value}")
        };
        let mut all: Vec<String> = node.attributes().map(shown).collect();
        all.sort();
        all
    };
    if attributes(theirs) != attributes(ours) {
        return Some(format!("{name}: {:?} instead of {:?}", attributes(ours), attributes(theirs)));
    }
    let content = |node: Node<'_, '_>| -> Vec<String> {
        let texts = node
            .children()
            .filter(Node::is_text)
            .flat_map(|text| text.text().unwrap_or_default().split_whitespace());
        texts.map(str::to_owned).collect()
    };
    // Each says who has made it.
    if name != "documentation" && content(theirs) != content(ours) {
        return Some(format!("{name}: {:?} instead of {:?}", content(ours), content(theirs)));
    }
    let inner = |node: Node<'_, '_>| node.children().filter(Node::is_element).count();
    if inner(theirs) != inner(ours) {
        return Some(format!("{name}: {} elements instead of {}", inner(ours), inner(theirs)));
    }
    let pairs = theirs.children().filter(Node::is_element).zip(ours.children().filter(Node::is_element));
    pairs.into_iter().find_map(|(theirs, ours)| difference(theirs, ours))
}
