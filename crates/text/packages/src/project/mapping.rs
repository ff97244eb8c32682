//! The mappings of an API project: trees of names with templates, expressions and loops.

use crate::fault::{Fault, FaultKind, Notes};
use crate::yaml::{Node, Value};

use super::Expression;

/// One name of a mapping, and its value.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// The name.
    pub name: String,
    /// Its line.
    pub line: usize,
    /// Its value.
    pub body: Body,
    /// The type of the value, if it is given: `string`.
    pub data_type: Option<String>,
    /// The schema demands it.
    pub required: Option<bool>,
    /// True if null is a valid value.
    pub nullable: Option<bool>,
    /// Says whether the result has it even if it is empty.
    pub exists_if_empty: Option<Expression>,
}

/// The value of a name.
#[derive(Clone, Debug)]
pub enum Body {
    /// Text with expressions in it, in `{{` and `}}`.
    Template(Expression),
    /// The value of an expression.
    Expression(Expression),
    /// An object of names.
    Object(Vec<Mapping>),
    /// An array: the inner body for each item (`$item`) of the input.
    Each {
        /// The array of the loop.
        input: Expression,
        /// Says whether the array has an item even if it is empty.
        exists_if_empty: Option<Expression>,
        /// The result for each item.
        body: Box<Body>,
    },
    /// There is no value.
    Nothing,
}

/// The keys of a mapping that are not its body.
const FLAGS: [&str; 4] = ["required", "nullable", "type", "existsIfEmpty"];

/// The keys for the body. One of them is there.
const BODIES: [&str; 4] = ["template", "expression", "mappings", "foreach"];

pub(super) struct Reader<'a> {
    pub(super) file: &'a str,
    pub(super) notes: &'a mut Notes,
    pub(super) faults: &'a mut Vec<Fault>,
}

impl Reader<'_> {
    /// A whole file.
    pub(super) fn file(&mut self, root: &Node) -> Vec<Mapping> {
        match root.get("mappings") {
            Some(node) => self.list(node),
            None => {
                self.fault(root.line, "expected 'mappings'");
                Vec::new()
            }
        }
    }

    fn fault(&mut self, line: usize, message: impl Into<String>) {
        self.faults.push(Fault::at(FaultKind::Content, self.file, line, message));
    }

    /// A list of maps with one name each. An empty list may be written as null.
    fn list(&mut self, node: &Node) -> Vec<Mapping> {
        let mut mappings = Vec::new();
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            Value::Scalar { .. } if node.text().is_none() => &[],
            _ => {
                self.fault(node.line, "expected a list of names");
                &[]
            }
        };
        for item in items {
            match item.map() {
                Some([(name, node)]) => {
                    let mapping = self.mapping(name, node);
                    mappings.push(mapping);
                }
                // If nothing is mapped, the tools write an item without a name.
                Some([]) => {}
                _ => self.fault(item.line, "expected one name and its value"),
            }
        }
        mappings
    }

    fn mapping(&mut self, name: &str, node: &Node) -> Mapping {
        let known =
            |key: &&(String, Node)| !FLAGS.contains(&key.0.as_str()) && !BODIES.contains(&key.0.as_str());
        for (key, value) in node.map().unwrap_or_default().iter().filter(known) {
            self.notes.add(self.file, value.line, format!("{name}: '{key}' is unknown and not imported"));
        }
        Mapping {
            name: name.to_owned(),
            line: node.line,
            body: self.body(name, node),
            data_type: node.get_text("type").map(str::to_owned),
            required: self.flag(node, "required"),
            nullable: self.flag(node, "nullable"),
            exists_if_empty: self.expression(node, "existsIfEmpty"),
        }
    }

    fn body(&mut self, name: &str, node: &Node) -> Body {
        let given: Vec<&str> = BODIES.iter().copied().filter(|key| node.get(key).is_some()).collect();
        if given.len() > 1 {
            self.fault(node.line, format!("{name} has both {}", given.join(" and ")));
        }
        if let Some(template) = self.expression(node, "template") {
            if !is_template(&template.text) {
                self.fault(template.line, format!("{name}: braces {{{{ and }}}} do not match"));
            }
            return Body::Template(template);
        }
        if let Some(expression) = self.expression(node, "expression") {
            return Body::Expression(expression);
        }
        if let Some(inner) = node.get("mappings") {
            return Body::Object(self.list(inner));
        }
        let Some(each) = node.get("foreach") else { return Body::Nothing };
        let Some(input) = self.expression(each, "input") else {
            self.fault(each.line, format!("{name}: foreach without input"));
            return Body::Nothing;
        };
        let exists_if_empty = self.expression(each, "existsIfEmpty");
        Body::Each { input, exists_if_empty, body: Box::new(self.body(name, each)) }
    }

    fn expression(&mut self, node: &Node, key: &str) -> Option<Expression> {
        let value = node.get(key)?;
        match &value.value {
            Value::Scalar { text, .. } => {
                Some(Expression { text: text.clone(), file: self.file.to_owned(), line: value.line })
            }
            _ => {
                self.fault(value.line, format!("{key}: expected a text"));
                None
            }
        }
    }

    fn flag(&mut self, node: &Node, key: &str) -> Option<bool> {
        let value = node.get(key)?;
        match value.text() {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => {
                self.fault(value.line, format!("{key}: expected true or false"));
                None
            }
        }
    }
}

/// True if every `{{` has its `}}`.
fn is_template(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("{{") {
        let Some((_, next)) = after.split_once("}}") else { return false };
        rest = next;
    }
    true
}
