//! Resources of CICS bundles: files such as `ACCT.file`, whose outermost element is `cicsdefinitionfile`.

use std::sync::Arc;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::csd::{Attribute, Definition, kind};
use crate::limits::Limits;
use crate::place::{Fault, Note, Place};

/// The prefix of the names of resources' elements.
const ELEMENT: &str = "cicsdefinition";
/// The outermost element of `META-INF/cics.xml`.
const MANIFEST: &str = "manifest";
/// The prefix of the types of a manifest.
const TYPE: &str = "http://www.ibm.com/xmlns/prod/cics/bundle/";

/// True if the text may be a resource or the manifest of a bundle.
pub(crate) fn is_bundle(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('<') && (text.contains("<cicsdefinition") || text.contains(TYPE))
}

/// Reads a resource, or the entries of a manifest that are not resources.
///
/// # Errors
/// The text is not XML, or has more than a limit.
pub(crate) fn read(
    file: &Arc<str>,
    text: &str,
    limits: &Limits,
) -> Result<(Vec<Definition>, Vec<Note>), Fault> {
    let mut reader = Reader::from_str(text);
    let (mut definitions, mut notes) = (Vec::new(), Vec::new());
    let mut is_manifest = false;
    loop {
        let before = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX).min(text.len());
        let line = text.as_bytes()[..before].iter().filter(|byte| **byte == b'\n').count() + 1;
        let place = Place { file: Arc::clone(file), line };
        let fault = |message: String| Fault { place: place.clone(), message };
        let element = match reader.read_event().map_err(|error| fault(format!("is not XML: {error}")))? {
            Event::Start(element) | Event::Empty(element) => element,
            Event::DocType(_) => {
                return Err(fault("has a document type (DTD), which is not taken".to_owned()));
            }
            Event::Eof => return Ok((definitions, notes)),
            _ => continue,
        };
        let name = element.local_name().into_inner().to_lowercase();
        let attributes = attributes(&element, limits).map_err(&fault)?;
        let value = |name: &str| attributes.iter().find(|one| one.name == name).map(|one| one.value.clone());
        is_manifest |= name == MANIFEST;
        if let Some(resource) = name.strip_prefix(ELEMENT) {
            let kind = kind(resource).map_or_else(|| resource.to_uppercase(), str::to_owned);
            let name = value("NAME").unwrap_or_default();
            let mut attributes = attributes;
            attributes.retain(|one| one.name != "NAME" && one.name != "XMLNS");
            definitions.push(Definition { kind, name, group: String::new(), attributes, place });
        } else if is_manifest && name == "define" {
            let of = value("TYPE").unwrap_or_default();
            let of = of.strip_prefix(TYPE).unwrap_or(&of).to_owned();
            if kind(&of).is_none_or(|kind| kind == "EVENTBINDING") {
                let reason = "is a part of a bundle that has no counterpart here".to_owned();
                let subject = format!("{of}({})", value("NAME").unwrap_or_default());
                notes.push(Note { place, subject, reason });
            }
        }
    }
}

fn attributes(element: &BytesStart<'_>, limits: &Limits) -> Result<Vec<Attribute>, String> {
    let mut found = Vec::new();
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| format!("is not XML: {error}"))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_err(|error| format!("is not XML: {error}"))?.into_owned();
        if value.len() > limits.value_max_bytes {
            return Err(format!("a value has more than value_max_bytes, {}", limits.value_max_bytes));
        }
        if found.len() >= limits.attribute_count_max {
            return Err(format!("more than attribute_count_max, {}", limits.attribute_count_max));
        }
        let name = attribute.key.into_inner().to_uppercase();
        found.push(Attribute { name, value });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(text: &str) -> Result<(Vec<Definition>, Vec<Note>), Fault> {
        read(&Arc::from("A.file"), text, &Limits::default())
    }

    #[test]
    fn a_resource_is_an_element_with_attributes() {
        let text = "<?xml version='1.0'?>\n<cicsdefinitionfile xmlns='http://x' name='ACCT' dsname='A.B' keylength='4' add='YES'/>";
        assert!(is_bundle(text) && !is_bundle("<beans/>"));
        let (definitions, _) = read_one(text).expect("a resource");
        assert_eq!(definitions[0].shown(), "FILE(ACCT)");
        assert!(definitions[0].is("ADD", "YES") && definitions[0].value("DSNAME") == Some("A.B"));
    }

    #[test]
    fn a_manifest_names_what_has_no_counterpart() {
        let text = format!(
            "<manifest xmlns='x'>\n<define name='W' type='{TYPE}WARBUNDLE' path='W.war'/>\n<define name='A' type='{TYPE}FILE' path='A.file'/></manifest>"
        );
        assert!(is_bundle(&text));
        let (definitions, notes) = read_one(&text).expect("a manifest");
        assert!(definitions.is_empty());
        assert_eq!(
            notes.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["A.file:2: WARBUNDLE(W): is a part of a bundle that has no counterpart here"]
        );
        let fault = read_one("<!DOCTYPE a><cicsdefinitionfile/>").expect_err("a DTD");
        assert!(fault.message.contains("document type"), "{fault}");
    }
}
