//! A foreign WSDL as a service offers it: the text is foreign, the addresses are ours.

use std::collections::BTreeMap;

use super::fault::Fault;
use super::files::{self, Files, Sources};
use super::names;

/// A WSDL with its imported files, each as a document for serving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// The WSDL.
    pub wsdl: String,
    /// Its imports, by the names in the query `?wsdl=NAME`.
    pub parts: BTreeMap<String, String>,
}

/// Puts `address` in place of the address of each port, and of the locations of imported files: these are
/// then at `ADDRESS?wsdl=NAME`. Locations without a file stay unchanged. The documents are in UTF-8.
///
/// # Errors
/// A file is not XML, or beyond a limit of [`super::read`].
pub fn serve(name: &str, bytes: Vec<u8>, files: &mut Files<'_>, address: &str) -> Result<Served, Fault> {
    let sources = Sources::read(name, bytes, files)?;
    let names: BTreeMap<usize, &String> = sources.by_name.iter().map(|(name, at)| (*at, name)).collect();
    let mut served = Served { wsdl: String::new(), parts: BTreeMap::new() };
    for (at, source) in sources.all.iter().enumerate() {
        let document = files::parse(&source.text, &source.lines)?;
        let mut edits = Vec::new();
        for node in document.descendants() {
            if let Some((attribute, _)) = files::location_attribute(node)
                && let Some(target) = sources.target(at, node)
            {
                let value = match names.get(&target) {
                    Some(name) if target > 0 => format!("{address}?wsdl={}", percent::escaped(name)),
                    _ => format!("{address}?wsdl"),
                };
                edits.push((attribute.range_value(), value));
            }
            let is_of_port = node.parent_element().is_some_and(|port| names::is(port, names::WSDL, "port"));
            if is_of_port
                && node.tag_name().name() == "address"
                && let Some(location) = names::own_attribute_node(node, "location")
            {
                edits.push((location.range_value(), address.to_owned()));
            }
        }
        let text = edited(&source.text, edits);
        match names.get(&at) {
            Some(name) if at > 0 => drop(served.parts.insert((*name).clone(), text)),
            _ => served.wsdl = text,
        }
    }
    Ok(served)
}

/// The text with its edits, which are in order, and with a declaration of XML of its own.
fn edited(text: &str, edits: Vec<(std::ops::Range<usize>, String)>) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut at = text.len() - files::without_declaration(text).len();
    for (range, value) in edits {
        out.push_str(&text[at..range.start]);
        out.push_str(&value);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const WSDL: &str = "<?xml version='1.0' encoding='ISO-8859-1'?>
<w:definitions xmlns:w='http://schemas.xmlsoap.org/wsdl/' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/'>
<w:import namespace='urn:a' location='more/a.wsdl'/><w:documentation>\u{fc}</w:documentation>
<w:service name='S'><w:port name='P' binding='b'><s:address location='http://them.example/x?a&amp;b'/></w:port></w:service>
</w:definitions>";

    #[test]
    fn addresses_are_ours_and_the_rest_is_theirs() {
        let latin: Vec<u8> =
            WSDL.chars().map(|character| u8::try_from(u32::from(character)).expect("latin")).collect();
        let mut files = |name: &str| {
            match name {
            "more/a.wsdl" => Ok(b"<x:schema xmlns:x='http://www.w3.org/2001/XMLSchema'>\
                <x:include schemaLocation = \"../b c.xsd\"/><x:import schemaLocation='http://them.example/c.xsd'/>\
                <x:import schemaLocation='../main.wsdl'/></x:schema>"
                .to_vec()),
            "b c.xsd" => Ok(b"<b/>".to_vec()),
            _ => Err("is not there".to_owned()),
        }
        };
        let served = serve("main.wsdl", latin, &mut files, "http://us.example/s").expect("documents");
        let expected = WSDL
            .replacen(
                "<?xml version='1.0' encoding='ISO-8859-1'?>",
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                1,
            )
            .replacen("'more/a.wsdl'", "'http://us.example/s?wsdl=more%2Fa.wsdl'", 1)
            .replacen("http://them.example/x?a&amp;b", "http://us.example/s", 1);
        assert_eq!(served.wsdl, expected);
        let names: Vec<&String> = served.parts.keys().collect();
        assert_eq!(names, ["b c.xsd", "more/a.wsdl"]);
        let part = &served.parts["more/a.wsdl"];
        for expected in [
            "schemaLocation = \"http://us.example/s?wsdl=b%20c.xsd\"",
            "schemaLocation='http://them.example/c.xsd'",
            "schemaLocation='http://us.example/s?wsdl'",
        ] {
            assert!(part.contains(expected), "{part}");
        }
    }

    #[test]
    fn what_is_not_xml_is_refused() {
        let mut none = |name: &str| Err(format!("{name} is not there"));
        assert!(serve("a.wsdl", b"<a>".to_vec(), &mut none, "http://us.example").is_err());
        assert!(serve("a.wsdl", b"<!DOCTYPE a><a/>".to_vec(), &mut none, "http://us.example").is_err());
    }
}
