//! Merges elements that a `server.xml` has several times, but that count as one: elements that occur once in
//! a server, and elements with the same id.

use std::collections::HashMap;

use super::Reader;
use crate::xml::Element;

/// Elements that a server has only once. Ids tell all others apart.
const SINGLE: [&str; 4] = ["zosconnect_zosConnectManager", "featureManager", "webAppSecurity", "logging"];

/// The configuration with such elements merged: later attributes override earlier ones, and all children are
/// kept in order.
pub(super) fn merged(root: &Element) -> Element {
    let mut children: Vec<Element> = Vec::with_capacity(root.children.len());
    // The places of elements that may come again, by name and id.
    let mut places: HashMap<(&str, Option<&str>), usize> = HashMap::new();
    for element in &root.children {
        let (name, id) = (element.name.as_str(), element.filled("id"));
        let comes_again = id.is_some() || SINGLE.contains(&name);
        match places.get(&(name, id)).filter(|_| comes_again) {
            None => {
                if comes_again {
                    places.insert((name, id), children.len());
                }
                children.push(element.clone());
            }
            Some(place) => {
                let known = &mut children[*place];
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
