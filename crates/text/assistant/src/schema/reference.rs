//! The target of a `$ref`: a part of the same document, by pointer or by anchor.

use std::collections::HashMap;

use super::Reader;
use document::Node;

use crate::part::Part;

impl<'d, 't> Reader<'d, 't, '_> {
    /// The schema that a `$ref` names.
    ///
    /// # Errors
    /// The reference leads out of the document, or its target does not exist.
    pub(super) fn target(&self, reference: &Part<'d, 't>) -> Result<Part<'d, 't>, String> {
        let Some(written) = reference.node.text() else {
            return Err(format!("expected a reference, found {}", reference.node.describe()));
        };
        let own = self.root.node.get("$id").or_else(|| self.root.node.get("id")).and_then(Node::text);
        let (document, fragment) = written.split_once('#').unwrap_or((written, ""));
        if !document.is_empty() && own.map(|own| own.trim_end_matches('#')) != Some(document) {
            return Err(format!("'{written}' leads to another document; bring it into this one"));
        }
        let fragment = percent::decoded(fragment)
            .map_err(|_| format!("'{written}' is not a reference: its escapes are wrong"))?;
        let found = if fragment.is_empty() || fragment.starts_with('/') {
            self.root.at(&fragment)
        } else {
            self.anchors.get_or_init(|| anchors(&self.root)).get(&*fragment).cloned()
        };
        found.ok_or_else(|| format!("'{written}' leads to nothing in this document"))
    }
}

/// The schemas with anchors. If several have the same anchor, the first one counts.
pub(super) fn anchors<'d, 't>(root: &Part<'d, 't>) -> HashMap<String, Part<'d, 't>> {
    let mut found = HashMap::new();
    let mut pending = vec![root.clone()];
    while let Some(part) = pending.pop() {
        let text = |keyword: &str| part.node.get(keyword).and_then(Node::text);
        let old = |keyword: &str| text(keyword).and_then(|id| id.strip_prefix('#'));
        for anchor in [text("$anchor"), text("$dynamicAnchor"), old("$id"), old("id")].into_iter().flatten() {
            found.entry(anchor.to_owned()).or_insert_with(|| part.clone());
        }
        let mut below: Vec<Part<'d, 't>> = part.members().map(|(_, member)| member).collect();
        below.extend(part.elements());
        pending.extend(below.into_iter().rev());
    }
    found
}
