//! The targets of a schema's references in its document, so that a file with the schema alone is complete.

use std::collections::BTreeMap;

use document::{Node, Value, fragment, pointer_name};

/// Members of the document that would become keywords of the schema beside them.
const KEYWORDS: [&str; 6] = ["$schema", "$id", "id", "type", "properties", "required"];

/// A part of the document that is reached, partly or whole.
#[derive(Default)]
struct Branch {
    /// True if the whole part is reached.
    whole: bool,
    /// Else the reached members.
    below: BTreeMap<String, Branch>,
}

/// The members of a document that a schema's references reach, as JSON with a comma in front of each.
///
/// The reader of the schema refuses references without a target.
pub(super) fn members(root: &Node<'_>, schema: &Node<'_>) -> String {
    let mut tree = Branch::default();
    let mut pending = vec![schema];
    while let Some(node) = pending.pop() {
        match &node.value {
            Value::Array(elements) => pending.extend(elements),
            Value::Object(members) => pending.extend(members.iter().map(|(_, node)| node)),
            _ => {}
        }
        let Some(reference) = node.get("$ref").and_then(Node::text) else { continue };
        pending.extend(mark(root, &mut tree, reference));
    }
    let mut out = String::new();
    for (name, node) in root.members() {
        if let Some(branch) = tree.below.get(name)
            && !KEYWORDS.contains(&name.as_str())
        {
            out.push(',');
            push_member((name, node), branch, &mut out);
        }
    }
    out
}

/// Marks the target of a reference. Gives it if it was not marked before.
fn mark<'d>(root: &'d Node<'d>, tree: &mut Branch, reference: &str) -> Option<&'d Node<'d>> {
    let fragment = fragment(reference)?;
    let pointer = match fragment.strip_prefix('/') {
        Some(pointer) => pointer,
        None if fragment.is_empty() => return None,
        // Any of the schemas may have the anchor.
        None if root.get("definitions").is_some() => "definitions",
        None => "components",
    };
    let (mut node, mut branch) = (root, tree);
    for token in pointer.split('/') {
        // Elements of an array have numbers, which change if one is left out. So the whole array is taken.
        if branch.whole || !node.is_object() {
            break;
        }
        let name = pointer_name(token);
        node = node.get(&name)?;
        branch = branch.below.entry(name).or_default();
    }
    (!std::mem::replace(&mut branch.whole, true)).then_some(node)
}

fn push_member((name, node): (&str, &Node<'_>), branch: &Branch, out: &mut String) {
    out.push_str(&crate::json::quoted(name));
    out.push(':');
    if branch.whole {
        out.push_str(&node.json());
        return;
    }
    out.push('{');
    let below = node.members().iter().filter_map(|(name, node)| Some((name, node, branch.below.get(name)?)));
    for (at, (name, node, branch)) in below.enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_member((name, node), branch, out);
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r##"{"openapi":"3.0.0","components":{"schemas":{
        "A":{"properties":{"b":{"$ref":"#/components/schemas/B"}}},
        "Unused":{"$ref":"#/components/schemas/A"},
        "B":{"items":{"$ref":"#/components/schemas/B"}},
        "a/b":{"anyOf":[{"type":"string"},{"$ref":"#/paths/~1x/get"}]}}},
        "paths":{"/x":{"put":{},"get":{"type":"boolean"}}},"type":"object"}"##;

    fn found(schema: &str) -> String {
        let (root, schema) = (document::read(DOCUMENT).expect("JSON"), document::read(schema).expect("JSON"));
        members(&root, &schema)
    }

    #[test]
    fn what_is_reached_comes_and_nothing_else() {
        for nothing in ["#/nowhere/at/all", "other.json#/components", "#", "#/type"] {
            assert_eq!(found(&format!(r#"{{"$ref":"{nothing}"}}"#)), "", "{nothing}");
        }
        let recursive = r##","components":{"schemas":{"B":{"items":{"$ref":"#/components/schemas/B"}}}}"##;
        assert_eq!(found(r##"[{"$ref":"#/components/schemas/B"}]"##), recursive);
        let through = found(r##"{"x":{"$ref":"#/components/schemas/A"}}"##);
        let expected = r##","components":{"schemas":{"A":{"properties":{"b":{"$ref":"#/components/schemas/B"}}},"B":{"items":{"$ref":"#/components/schemas/B"}}}}"##;
        assert_eq!(through, expected);
    }

    #[test]
    fn pointers_are_unescaped_and_arrays_come_whole() {
        let expected = r##","components":{"schemas":{"a/b":{"anyOf":[{"type":"string"},{"$ref":"#/paths/~1x/get"}]}}},"paths":{"/x":{"get":{"type":"boolean"}}}"##;
        assert_eq!(found(r##"{"$ref":"#/components/schemas/a%7E1b"}"##), expected);
        assert_eq!(found(r##"{"$ref":"#/components/schemas/a~1b/anyOf/0"}"##), expected);
    }

    #[test]
    fn an_anchor_brings_all_schemas() {
        assert!(found(r##"{"$ref":"#here"}"##).contains("Unused"));
    }
}
