//! YAML as a tree of scalars, lists and maps in their order, with lines. Aliases are refused, so that no text
//! can expand.

mod json;

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
enum Open {
    List(usize, Vec<Node>),
    /// A map, with the key of the next value.
    Map(usize, Vec<(String, Node)>, Option<String>),
}

/// Reads one document.
pub(crate) fn parse(file: &str, text: &str, limits: &Limits) -> Result<Node, Fault> {
    let mut open: Vec<Open> = Vec::new();
    let mut root: Option<Node> = None;
    let mut nodes = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            Fault::at(FaultKind::Syntax, file, error.marker().line(), error.info().to_owned())
        })?;
        let line = span.start.line();
        let wrong = |message: &str| Err(Fault::at(FaultKind::Syntax, file, line, message));
        nodes += 1;
        limit("node_count_max", nodes, limits.node_count_max, file)?;
        let done = match event {
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                return wrong("aliases (*name) are not allowed here");
            }
            Event::DocumentStart(..) if root.is_some() => return wrong("a second document"),
            Event::Scalar(text, style, ..) => {
                let plain = style == ScalarStyle::Plain;
                Some(Node { line, value: Value::Scalar { text: text.into_owned(), plain } })
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(line, Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(line, Vec::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(line, items)) => Some(Node { line, value: Value::List(items) }),
                Some(Open::Map(line, entries, None)) => Some(Node { line, value: Value::Map(entries) }),
                _ => return wrong("an end without its start"),
            },
            _ => None,
        };
        limit("depth_max", open.len(), limits.depth_max, file)?;
        if let Some(node) = done {
            place(node, &mut open, &mut root, file)?;
        }
    }
    root.ok_or_else(|| Fault::new(FaultKind::Syntax, file, "expected YAML, found nothing"))
}

fn place(node: Node, open: &mut [Open], root: &mut Option<Node>, file: &str) -> Result<(), Fault> {
    match open.last_mut() {
        None => *root = Some(node),
        Some(Open::List(_, items)) => items.push(node),
        Some(Open::Map(_, entries, pending)) => match pending.take() {
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
    fn hostile_and_broken_documents_are_refused() {
        assert!(fault("a: &x [1]\nb: *x\n").contains("aliases"));
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
