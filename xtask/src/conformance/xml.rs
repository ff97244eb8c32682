//! XML as a tree of elements with their attributes, which is all that layouts in XML need.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use codepage::CodePage;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// An element.
#[derive(Debug, Default)]
pub(super) struct Element {
    /// Without a prefix.
    pub(super) name: String,
    pub(super) attributes: BTreeMap<String, String>,
    pub(super) children: Vec<Element>,
}

impl Element {
    pub(super) fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute).map(String::as_str)
    }

    /// An attribute that is a number.
    pub(super) fn number(&self, attribute: &str) -> Option<i64> {
        self.get(attribute)?.parse().ok()
    }

    /// All elements of a name below this one, in the order of the text.
    pub(super) fn all<'e>(&'e self, name: &str, found: &mut Vec<&'e Element>) {
        for child in &self.children {
            if child.name == name {
                found.push(child);
            }
            child.all(name, found);
        }
    }
}

/// The text of a file; one in EBCDIC begins with its `<?`.
///
/// # Errors
/// The file cannot be read, or is not text.
pub(super) fn read(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if !bytes.starts_with(&[0x4C, 0x6F]) {
        return String::from_utf8(bytes).map_err(|error| error.to_string());
    }
    let mut text = String::new();
    let page = CodePage::by_ccsid(37).ok_or("no code page")?;
    page.decode(&bytes, &mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

/// Reads a document; gives its outermost element.
///
/// # Errors
/// The text is not XML.
pub(super) fn parse(text: &str) -> Result<Element, String> {
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(start) => open.push(element(&start)?),
            Event::Empty(start) => close(&mut open, element(&start)?),
            Event::End(_) => {
                let ended = open.pop().ok_or("an end without a start")?;
                close(&mut open, ended);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let document = open.pop().ok_or("no document")?;
    document.children.into_iter().next().ok_or_else(|| "no element".to_owned())
}

fn close(open: &mut [Element], ended: Element) {
    if let Some(around) = open.last_mut() {
        around.children.push(ended);
    }
}

fn element(start: &BytesStart<'_>) -> Result<Element, String> {
    let name = start.local_name().as_ref().to_owned();
    let mut attributes = BTreeMap::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let key = attribute.key.local_name().as_ref().to_owned();
        let value =
            quick_xml::escape::unescape(&attribute.value).map_err(|error| error.to_string())?.into_owned();
        attributes.insert(key, value);
    }
    Ok(Element { name, attributes, children: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn elements_nest_and_attributes_are_unescaped() {
        let root = parse("<?xml version='1.0'?><a><!-- -- --><p:b x='&quot;1&quot;'/><b><b y='2'/></b></a>")
            .expect("XML");
        let mut all = Vec::new();
        root.all("b", &mut all);
        assert_eq!(all.len(), 3);
        assert_eq!((all[0].get("x"), all[2].number("y")), (Some("\"1\""), Some(2)));
        assert!(parse("<a></b>").is_err());
        assert!(parse("").is_err());
    }
}
