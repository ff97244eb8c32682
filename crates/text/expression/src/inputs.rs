//! The parts of its caller's variables that an expression reads, as far as its text shows.

use std::sync::Arc;

use crate::node::{Kind, Last, Node, Path};
use crate::value::Value;

/// The parts of one variable that are read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Input {
    /// The variable's name, without its `$`.
    pub name: Arc<str>,
    /// The paths of names below the variable whose values are read, each with its whole content. No path is
    /// the start of another. The empty path stands for the whole variable.
    pub paths: Vec<Vec<Arc<str>>>,
}

impl Input {
    /// True if all of the variable may be read.
    pub fn is_whole(&self) -> bool {
        self.paths.iter().any(Vec::is_empty)
    }

    pub(crate) fn add(&mut self, path: Vec<Arc<str>>) {
        if self.paths.iter().any(|known| path.starts_with(known)) {
            return;
        }
        self.paths.retain(|known| !known.starts_with(&path));
        self.paths.push(path);
    }
}

/// The paths below each of the free variables.
pub(crate) fn inputs(node: &Node, free: &[Arc<str>]) -> Vec<Input> {
    let mut inputs: Vec<Input> =
        free.iter().map(|name| Input { name: Arc::clone(name), paths: Vec::new() }).collect();
    walk(node, &mut inputs);
    inputs
}

fn walk(node: &Node, inputs: &mut [Input]) {
    match &node.kind {
        Kind::Variable(variable) => {
            if let Last::Free(number) = variable.last {
                inputs[number].add(Vec::new());
            }
        }
        Kind::Path(path) => {
            if let Some((number, names)) = below(path) {
                inputs[number].add(names);
                let behind = path.steps[0].predicates.iter().chain(&path.steps[0].stages);
                behind.for_each(|child| walk(child, inputs));
                path.steps[1..].iter().for_each(|step| walk(step, inputs));
                for (key, value) in node.group.iter().flatten() {
                    walk(key, inputs);
                    walk(value, inputs);
                }
                return;
            }
        }
        _ => {}
    }
    node.children(&mut |child| walk(child, inputs));
}

/// The free variable at the start of a path, and the names behind it.
fn below(path: &Path) -> Option<(usize, Vec<Arc<str>>)> {
    let first = &path.steps[0];
    let Kind::Variable(variable) = &first.kind else { return None };
    let Last::Free(number) = variable.last else { return None };
    let mut names = Vec::new();
    if first.group.is_none() && only_positions(&first.predicates) && only_positions(&first.stages) {
        for step in &path.steps[1..] {
            let Kind::Name(name) = &step.kind else { break };
            names.push(Arc::clone(name));
            if step.group.is_some() || !only_positions(&step.stages) {
                break;
            }
        }
    }
    Some((number, names))
}

/// True for predicates that choose by position. They read nothing else of the values.
fn only_positions(predicates: &[Node]) -> bool {
    predicates.iter().all(|predicate| matches!(predicate.kind, Kind::Literal(Value::Number(_))))
}
