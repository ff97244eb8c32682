//! The names of a message, and the prefixes that go with them.

use ::xml::{XML, XSI, write_attribute};
use assistant::{Area, Content, Xml, XmlForm};

use crate::Element;
use crate::plan::{XmlName, XmlRoot};

/// The namespaces of a message, in the order of their first use. The first has the prefix `ns1`.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    namespaces: Vec<String>,
    /// Something has `xsi:type` or `xsi:nil`.
    has_xsi: bool,
}

impl Prefixes {
    /// The names of an element with these areas.
    pub(crate) fn of(element: Element<'_>, areas: &[Area]) -> Self {
        let mut prefixes = Self::default();
        prefixes.note(element.namespace);
        areas.iter().for_each(|area| prefixes.gather(&area.content));
        prefixes
    }

    fn note(&mut self, namespace: &str) {
        let is_known = namespace.is_empty() || namespace == XML;
        if !is_known && self.namespaces.iter().all(|known| known != namespace) {
            self.namespaces.push(namespace.to_owned());
        }
    }

    fn gather(&mut self, content: &Content) {
        match content {
            Content::Object(placed) => {
                for member in placed {
                    if let Some(Xml { namespace, form, .. }) = &member.xml {
                        self.note(namespace);
                        self.has_xsi |= *form == XmlForm::Type || member.nullable;
                    }
                    self.gather(&member.content);
                }
            }
            Content::Table(table) => self.gather(&table.row),
            Content::Value(_) | Content::Container(_) => {}
        }
    }

    pub(crate) fn name(&self, xml: &Xml) -> XmlName {
        let prefix = self.namespaces.iter().position(|known| *known == xml.namespace);
        let tag = match prefix {
            Some(index) => format!("ns{}:{}", index + 1, xml.name),
            None if xml.namespace == XML => format!("xml:{}", xml.name),
            None => xml.name.clone(),
        };
        XmlName {
            form: xml.form,
            local: xml.name.as_str().into(),
            namespace: xml.namespace.as_str().into(),
            tag: tag.into(),
            value: xml.value.as_deref().map(Box::from),
            fixed: xml.fixed,
            other_attributes: xml.other_attributes.clone(),
            wildcard: xml.wildcard.clone(),
        }
    }

    pub(crate) fn root(&self, element: Element<'_>) -> XmlRoot {
        let xml = Xml {
            name: element.local.to_owned(),
            namespace: element.namespace.to_owned(),
            form: XmlForm::Element,
            any_order: false,
            value: None,
            fixed: false,
            other_attributes: element.other_attributes.clone(),
            wildcard: None,
        };
        let mut declarations = String::new();
        let mut declare = |prefix: &str, namespace: &str| {
            declarations.push_str(" xmlns:");
            declarations.push_str(prefix);
            declarations.push_str("=\"");
            write_attribute(namespace, &mut declarations);
            declarations.push('"');
        };
        for (index, namespace) in self.namespaces.iter().enumerate() {
            declare(&format!("ns{}", index + 1), namespace);
        }
        if self.has_xsi {
            declare("xsi", XSI);
        }
        XmlRoot { name: self.name(&xml), declarations: declarations.into() }
    }
}
