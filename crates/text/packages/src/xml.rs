//! XML as a tree of elements with their lines; document types, deep nesting and endless documents are refused.

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::archive::limit;
use crate::fault::{Fault, FaultKind};
use crate::limits::Limits;

/// An element. Prefixes of names are left out: in these documents no two namespaces share a name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    /// The line of its start tag.
    pub(crate) line: usize,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    /// Its own text, without blanks around it.
    pub(crate) text: String,
}

impl Element {
    /// An attribute's value.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// An attribute's value, without blanks around it; none if it is empty.
    pub(crate) fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// The first child with a name.
    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All children with a name.
    pub(crate) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The text of the first child with a name; none if it is empty.
    pub(crate) fn child_text(&self, name: &str) -> Option<&str> {
        self.child(name).map(|child| child.text.as_str()).filter(|text| !text.is_empty())
    }
}

/// True if the bytes begin like a document.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(bytes.len());
    let text = &bytes[start..];
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    text.starts_with(b"<")
}

/// The most attributes of one element.
const ATTRIBUTES_MAX: usize = 256;

/// Reads a document.
pub(crate) fn parse(file: &str, text: &str, limits: &Limits) -> Result<Element, Fault> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut lines = Lines { text, at: 0, line: 1 };
    let mut nodes = 0;
    let mut open: Vec<Element> = Vec::new();
    let mut root: Option<Element> = None;
    loop {
        let line = lines.at(reader.buffer_position());
        let wrong = |message: String| Fault::at(FaultKind::Syntax, file, line, message);
        let event = reader.read_event().map_err(|error| wrong(error.to_string()))?;
        match event {
            Event::Start(start) => {
                if root.is_some() && open.is_empty() {
                    return Err(wrong("a second outermost element".to_owned()));
                }
                open.push(element(&start, file, line, &mut nodes, limits)?);
                limit("depth_max", open.len(), limits.depth_max, file)?;
            }
            Event::Empty(start) => {
                if root.is_some() && open.is_empty() {
                    return Err(wrong("a second outermost element".to_owned()));
                }
                limit("depth_max", open.len() + 1, limits.depth_max, file)?;
                close(element(&start, file, line, &mut nodes, limits)?, &mut open, &mut root);
            }
            Event::End(_) => {
                let Some(element) = open.pop() else {
                    return Err(wrong("an end tag without its start".to_owned()));
                };
                close(element, &mut open, &mut root);
            }
            Event::Text(part) => add_text(&mut open, &part.xml_content(XmlVersion::Implicit1_0), line, file)?,
            Event::CData(part) => {
                add_text(&mut open, &part.xml_content(XmlVersion::Implicit1_0), line, file)?
            }
            Event::GeneralRef(reference) => {
                let character = reference.resolve_char_ref().map_err(|error| wrong(error.to_string()))?;
                let resolved = match character {
                    Some(character) => character.to_string(),
                    None => resolve_predefined_entity(&reference)
                        .ok_or_else(|| wrong(format!("the entity '{}' is not known", &*reference)))?
                        .to_owned(),
                };
                add_text(&mut open, &resolved, line, file)?;
            }
            Event::DocType(_) => {
                return Err(wrong("a document type (DTD) is not allowed here".to_owned()));
            }
            Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
            Event::Eof => break,
        }
    }
    if let Some(unclosed) = open.last() {
        let message = format!("<{}> is not closed", unclosed.name);
        return Err(Fault::at(FaultKind::Syntax, file, unclosed.line, message));
    }
    root.ok_or_else(|| Fault::new(FaultKind::Syntax, file, "expected XML, found no element"))
}

fn element(
    start: &BytesStart<'_>,
    file: &str,
    line: usize,
    nodes: &mut usize,
    limits: &Limits,
) -> Result<Element, Fault> {
    *nodes += 1;
    let wrong = |message: String| Fault::at(FaultKind::Syntax, file, line, message);
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| wrong(error.to_string()))?;
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(|error| wrong(error.to_string()))?
            .into_owned();
        *nodes += 1;
        // Each attribute is compared with all before it, so their number is limited.
        if attributes.len() == ATTRIBUTES_MAX {
            let message = format!("more than {ATTRIBUTES_MAX} attributes");
            return Err(Fault::at(FaultKind::Limit, file, line, message));
        }
        attributes.push((attribute.key.local_name().into_inner().to_owned(), value));
    }
    limit("node_count_max", *nodes, limits.node_count_max, file)?;
    let name = start.local_name().into_inner().to_owned();
    Ok(Element { name, line, attributes, ..Element::default() })
}

fn close(mut element: Element, open: &mut [Element], root: &mut Option<Element>) {
    let trimmed = element.text.trim();
    if trimmed.len() != element.text.len() {
        element.text = trimmed.to_owned();
    }
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None => *root = Some(element),
    }
}

fn add_text(open: &mut [Element], text: &str, line: usize, file: &str) -> Result<(), Fault> {
    match open.last_mut() {
        Some(element) => element.text.push_str(text),
        None if text.trim().is_empty() => {}
        None => return Err(Fault::at(FaultKind::Syntax, file, line, "text outside of all elements")),
    }
    Ok(())
}

/// Counts lines while positions go up.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of the next text that is not blank.
    fn at(&mut self, position: u64) -> usize {
        let position = usize::try_from(position).unwrap_or(usize::MAX).min(self.text.len());
        let bytes = self.text.as_bytes();
        let blank = |byte: &u8| byte.is_ascii_whitespace();
        let end =
            bytes[position..].iter().position(|byte| !blank(byte)).map_or(bytes.len(), |n| position + n);
        if end > self.at {
            self.line += bytes[self.at..end].iter().filter(|byte| **byte == b'\n').count();
            self.at = end;
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        parse("x.xml", text, &Limits::default()).expect_err("a fault").to_string()
    }

    #[test]
    fn elements_have_lines_attributes_and_text() {
        let text = "<?xml version='1.0'?>\n<!-- c -->\n<a:b x='1&lt;2'>\n  <c>t &amp; <![CDATA[<u>]]>&#33;</c>\n</a:b>";
        let root = parse("x.xml", text, &Limits::default()).expect("a document");
        assert_eq!((root.name.as_str(), root.line, root.get("x")), ("b", 3, Some("1<2")));
        let child = root.child("c").expect("a child");
        assert_eq!((child.text.as_str(), child.line), ("t & <u>!", 4));
    }

    #[test]
    fn hostile_and_broken_documents_are_refused() {
        assert!(fault("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>").contains("DTD"));
        assert!(fault("<a>&x;</a>").contains("entity 'x'"));
        assert!(fault("<a><b></a>").contains("x.xml:1"));
        assert!(fault("<a>").contains("not closed"));
        assert!(fault("").contains("no element"));
        assert!(fault("<a/><b/>").contains("second"));
        assert!(fault("<a/>text").contains("outside"));
        assert!(fault(&"<a>".repeat(100)).contains("depth_max"));
        let many: String = (0..300).map(|n| format!(" a{n}='1'")).collect();
        assert!(fault(&format!("<a{many}/>")).contains("256 attributes"));
        let limits = Limits { node_count_max: 3, ..Limits::default() };
        let error = parse("x.xml", "<a><b/><c/><d/></a>", &limits).expect_err("too many");
        assert!(error.message.contains("node_count_max"), "{error}");
    }
}
