//! Merges elements that a `server.xml` has several times, but that count as one: elements that occur once in
//! a server, and elements with the same id.

use super::Reader;
use crate::xml::Element;

/// Elements that a server has only once. Ids tell all others apart.
const SINGLE: [&str; 4] = ["zosconnect_zosConnectManager", "featureManager", "webAppSecurity", "logging"];

/// The configuration with such elements merged: later attributes override earlier ones, and all children are
/// kept in order.
pub(super) fn merged(root: &Element) -> Element {
    let mut children: Vec<Element> = Vec::with_capacity(root.children.len());
    for element in &root.children {
        let is_same = |known: &&mut Element| {
            known.name == element.name
                && match element.filled("id") {
                    Some(id) => known.filled("id") == Some(id),
                    None => known.filled("id").is_none() && SINGLE.contains(&element.name.as_str()),
                }
        };
        match children.iter_mut().find(is_same) {
            None => children.push(element.clone()),
            Some(known) => {
                known.attributes.retain(|(name, _)| element.get(name).is_none());
                known.attributes.extend(element.attributes.iter().cloned());
                known.children.extend(element.children.iter().cloned());
            }
        }
    }
    Element {
        name: root.name.clone(),
        line: root.line,
        attributes: root.attributes.clone(),
        children,
        text: root.text.clone(),
    }
}

impl Reader<'_> {
    /// True for the first of elements that may occur once. The others get a note.
    pub(super) fn is_new(&mut self, seen: &mut Vec<String>, element: &Element, name: &str) -> bool {
        let is_new = !seen.iter().any(|known| known == name);
        if is_new {
            seen.push(name.to_owned());
        } else {
            self.note(element, &format!("'{name}' is there already; this one is not imported"));
        }
        is_new
    }
}
