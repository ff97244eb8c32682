//! YAML as a tree of scalars, lists and maps in their order, with lines. An alias gives the nodes of its anchor once more. All of them count
//! against the limit of nodes, so a text cannot expand beyond it.

mod json;

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle};

use crate::archive::limit;
use crate::fault::{Fault, FaultKind};
use crate::limits::Limits;
pub use json::json_of_yaml;

/// A value and the line on which it starts.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

/// A value. The reader decides the meaning of a plain scalar (a number, true, null).
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Scalar {
        text: String,
        /// Written without quotes.
        plain: bool,
    },
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The same node for an alias on a line, inside of `depth` lists and maps.
    fn copy(&self, line: usize, depth: usize, extent: &mut Extent<'_>) -> Result<Self, Fault> {
        let value = match &self.value {
            Value::Scalar { text, plain } => {
                extent.add(depth, text.len())?;
                Value::Scalar { text: text.clone(), plain: *plain }
            }
            Value::List(items) => {
                extent.add(depth + 1, 0)?;
                let copied = items.iter().map(|item| item.copy(line, depth + 1, extent));
                Value::List(copied.collect::<Result<_, _>>()?)
            }
            Value::Map(entries) => {
                extent.add(depth + 1, entries.iter().map(|(key, _)| key.len()).sum())?;
                let copied =
                    entries.iter().map(|(key, item)| Ok((key.clone(), item.copy(line, depth + 1, extent)?)));
                Value::Map(copied.collect::<Result<_, _>>()?)
            }
        };
        Ok(Self { line, value })
    }

    /// The entries of a map; none for another value.
    pub(crate) fn map(&self) -> Option<&[(String, Node)]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items of a list; none for another value.
    pub(crate) fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text of a scalar; none for another value, or for an empty one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null") => None,
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// An entry of a map.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.map()?.iter().find(|(known, _)| known == key).map(|(_, node)| node)
    }

    /// The text of an entry of a map.
    pub(crate) fn get_text(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }
}

/// A list or map that is not closed yet.
struct Open {
    line: usize,
    /// The number of its anchor; 0 without one.
    anchor: usize,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    /// A map, with the key of the next value.
    Map(Vec<(String, Node)>, Option<String>),
}

impl Open {
    /// The whole value; none if a key has no value.
    fn close(self) -> Option<Node> {
        let value = match self.content {
            Content::List(items) => Value::List(items),
            Content::Map(entries, None) => Value::Map(merged(entries)),
            Content::Map(_, Some(_)) => return None,
        };
        Some(Node { line: self.line, value })
    }
}

/// Reads one document.
pub(crate) fn parse(file: &str, text: &str, limits: &Limits) -> Result<Node, Fault> {
    let mut open: Vec<Open> = Vec::new();
    let mut root: Option<Node> = None;
    let mut anchors: HashMap<usize, Node> = HashMap::new();
    let mut extent = Extent { file, limits, nodes: 0, repeated_bytes: 0 };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            Fault::at(FaultKind::Syntax, file, error.marker().line(), error.info().to_owned())
        })?;
        let line = span.start.line();
        let wrong = |message: &str| Err(Fault::at(FaultKind::Syntax, file, line, message));
        let mut anchor = 0;
        let done = match event {
            Event::Alias(id) => {
                let Some(node) = anchors.get(&id) else {
                    return wrong("the alias stands inside of what it repeats");
                };
                Some(node.copy(line, open.len(), &mut extent)?)
            }
            Event::DocumentStart(..) if root.is_some() => return wrong("a second document"),
            Event::Scalar(text, style, id, _) => {
                anchor = id;
                let plain = style == ScalarStyle::Plain;
                Some(Node { line, value: Value::Scalar { text: text.into_owned(), plain } })
            }
            Event::SequenceStart(_, anchor, _) => {
                open.push(Open { line, anchor, content: Content::List(Vec::new()) });
                None
            }
            Event::MappingStart(_, anchor, _) => {
                open.push(Open { line, anchor, content: Content::Map(Vec::new(), None) });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let closed = open.pop().and_then(|closed| {
                    anchor = closed.anchor;
                    closed.close()
                });
                if closed.is_none() {
                    return wrong("an end without its start");
                }
                closed
            }
            _ => None,
        };
        extent.add(open.len(), 0)?;
        if let Some(node) = done {
            if anchor > 0 {
                anchors.insert(anchor, node.clone());
            }
            place(node, &mut open, &mut root, file)?;
        }
    }
    root.ok_or_else(|| Fault::new(FaultKind::Syntax, file, "expected YAML, found nothing"))
}

/// The extent of a document so far, held against its limits. An alias counts as what it repeats.
struct Extent<'l> {
    file: &'l str,
    limits: &'l Limits,
    nodes: usize,
    /// Bytes of the texts that aliases repeat.
    repeated_bytes: usize,
}

impl Extent<'_> {
    /// Adds a node inside of `depth` lists and maps.
    fn add(&mut self, depth: usize, repeated_bytes: usize) -> Result<(), Fault> {
        self.nodes += 1;
        self.repeated_bytes += repeated_bytes;
        limit("node_count_max", self.nodes, self.limits.node_count_max, self.file)?;
        limit("entry_max_bytes", self.repeated_bytes, self.limits.entry_max_bytes, self.file)?;
        limit("depth_max", depth, self.limits.depth_max, self.file)
    }
}

/// The entries of a map, and those of the maps that its key `<<` names. Own keys of the map come first.
fn merged(entries: Vec<(String, Node)>) -> Vec<(String, Node)> {
    let is_maps = |node: &Node| {
        node.map().is_some() || node.list().is_some_and(|items| items.iter().all(|item| item.map().is_some()))
    };
    if !entries.iter().any(|(key, node)| key == MERGE_KEY && is_maps(node)) {
        return entries;
    }
    let (merges, mut kept): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(key, _)| key == MERGE_KEY);
    let maps = merges.into_iter().flat_map(|(_, node)| match node.value {
        Value::List(items) => items,
        _ => vec![node],
    });
    let entries = maps.flat_map(|map| match map.value {
        Value::Map(entries) => entries,
        _ => Vec::new(),
    });
    for (key, node) in entries {
        if !kept.iter().any(|(known, _)| *known == key) {
            kept.push((key, node));
        }
    }
    kept
}

fn place(node: Node, open: &mut [Open], root: &mut Option<Node>, file: &str) -> Result<(), Fault> {
    match open.last_mut() {
        None => *root = Some(node),
        Some(Open { content: Content::List(items), .. }) => items.push(node),
        Some(Open { content: Content::Map(entries, pending), .. }) => match pending.take() {
            Some(key) => entries.push((key, node)),
            None => {
                let line = node.line;
                let wrong = |message: String| Err(Fault::at(FaultKind::Syntax, file, line, message));
                let Value::Scalar { text, .. } = node.value else {
                    return wrong("a key is a scalar".to_owned());
                };
                // The search is linear, but bounded: these documents have no maps with thousands of keys.
                if entries.iter().any(|(known, _)| *known == text) {
                    return wrong(format!("the key '{text}' occurs twice"));
                }
                if entries.len() >= MAP_KEYS_MAX {
                    return wrong(format!("a map of more than {MAP_KEYS_MAX} keys"));
                }
                *pending = Some(text);
            }
        },
    }
    Ok(())
}

/// The key whose maps give a map further entries, as in YAML 1.1.
const MERGE_KEY: &str = "<<";
/// The most keys of one map.
const MAP_KEYS_MAX: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        parse("x.yaml", text, &Limits::default()).expect_err("a fault").to_string()
    }

    #[test]
    fn maps_keep_their_order_and_lines() {
        let text = "---\n# c\nb: 1\na:\n- x: \"~\"\n- y: ~\n";
        let root = parse("x.yaml", text, &Limits::default()).expect("a document");
        let keys: Vec<&str> = root.map().expect("a map").iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["b", "a"]);
        let items = root.get("a").and_then(Node::list).expect("a list");
        assert_eq!((items[0].get_text("x"), items[1].get_text("y"), items[1].line), (Some("~"), None, 6));
    }

    #[test]
    fn an_alias_is_what_its_anchor_names() {
        let lines = |text: &str| json_of_yaml("x.yaml", text, &Limits::default()).expect("a document");
        let json = |text: &str| lines(text).replace('\n', "");
        assert_eq!(
            lines("a: &x [1, &y b]\nb: *x\nc: *y\n"),
            "{\"a\":[1,\"b\"],\"b\":\n[1,\"b\"],\"c\":\n\"b\"}"
        );
        assert_eq!(json("&k a: 1\nb: *k\n"), r#"{"a":1,"b":"a"}"#);
        let merged = "base: &base {a: 1, b: 2}\nof:\n  <<: *base\n  b: 3\n";
        assert_eq!(json(merged), r#"{"base":{"a":1,"b":2},"of":{"b":3,"a":1}}"#);
        let several = "x: &x {a: 1}\ny: &y {a: 2, b: 2}\nz: {<<: [*x, *y], c: 3}\n";
        assert_eq!(json(several), r#"{"x":{"a":1},"y":{"a":2,"b":2},"z":{"c":3,"a":1,"b":2}}"#);
        assert_eq!(json("<<: 1\na: 2\n"), r#"{"<<":1,"a":2}"#, "only maps are merged");
        assert!(fault("a: &x [*x]\n").contains("inside of what it repeats"));
    }

    #[test]
    fn aliases_count_as_what_they_repeat() {
        let limits = Limits { node_count_max: 10_000, entry_max_bytes: 10_000, ..Limits::default() };
        let refused = |text: &str| parse("x", text, &limits).expect_err("too much").message;
        let bomb: String =
            (1..20).map(|n| format!("a{n}: &a{n} [{0}, {0}]\n", format_args!("*a{}", n - 1))).collect();
        assert!(refused(&format!("a0: &a0 [x, x]\n{bomb}")).contains("node_count_max"));
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(1_000), "*a, ".repeat(20));
        assert!(refused(&long).contains("entry_max_bytes"));
        let deep: String = (1..80).map(|n| format!("a{n}: &a{n} [*a{}]\n", n - 1)).collect();
        assert!(refused(&format!("a0: &a0 [x]\n{deep}")).contains("depth_max"));
    }

    #[test]
    fn hostile_and_broken_documents_are_refused() {
        assert!(fault("a: *x\n").contains("x.yaml:1"));
        assert!(fault("a: 1\na: 2\n").contains("twice"));
        assert!(fault("---\na: 1\n---\nb: 2\n").contains("second"));
        assert!(fault("").contains("found nothing"));
        assert!(fault("a: [1\n").contains("x.yaml"));
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert!(fault(&deep).contains("depth_max"), "{}", fault(&deep));
        assert!(fault("? [a]\n: b\n").contains("key"));
        let limits = Limits { node_count_max: 5, ..Limits::default() };
        assert!(parse("x", "[1,2,3,4,5]", &limits).expect_err("too many").message.contains("node_count_max"));
    }
}
