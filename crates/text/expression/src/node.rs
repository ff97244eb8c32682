//! The tree of an expression. The parser makes it, the resolver completes it, and the evaluation walks it.

use std::sync::Arc;

use crate::functions::Native;
use crate::functions::signature::Signature;
use crate::pattern::Pattern;
use crate::value::Value;

/// One node, with everything that may follow a term: predicates, `[]` and a group.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// The byte of the text at which it begins.
    pub(crate) at: usize,
    /// The number of levels of nodes below it, with its own.
    pub(crate) height: usize,
    /// True if `[]` follows it: the result stays an array.
    pub(crate) keep_array: bool,
    /// Predicates of a term outside of a path.
    pub(crate) predicates: Vec<Node>,
    /// Predicates of a step. They are applied for each item from which the step is taken.
    pub(crate) stages: Vec<Node>,
    /// `{key: value, …}` behind it.
    pub(crate) group: Option<Vec<(Node, Node)>>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Literal(Value),
    Name(Arc<str>),
    Variable(Variable),
    /// `$`
    Context,
    /// `$$`
    Root,
    Regex(Arc<Pattern>),
    /// `*`
    Wildcard,
    /// `**`
    Descendants,
    Path(Path),
    Binary(Operator, Box<[Node; 2]>),
    Negate(Box<Node>),
    Array {
        items: Vec<Node>,
        /// The first or last step of a path, which does not become part of the path's sequence.
        step: bool,
    },
    Object(Vec<(Node, Node)>),
    Block {
        items: Vec<Node>,
        slots: BlockSlots,
    },
    Condition(Box<(Node, Node, Option<Node>)>),
    Bind(Variable, Box<Node>),
    Lambda(Arc<Lambda>),
    Call {
        function: Box<Node>,
        arguments: Vec<Node>,
    },
    /// A call with `?` for arguments that come later.
    Partial {
        function: Box<Node>,
        arguments: Vec<Option<Node>>,
    },
    /// `a ~> b` where b is not a call.
    Chain(Box<[Node; 2]>),
    /// `^(…)`, only as a step.
    Sort(Vec<SortTerm>),
    Transform(Arc<Transform>),
}

#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) steps: Vec<Node>,
    pub(crate) keep_singleton: bool,
    /// True if all steps behind the first are names without predicates. Objects are then walked without a
    /// sequence.
    pub(crate) plain: bool,
}

#[derive(Debug)]
pub(crate) struct SortTerm {
    pub(crate) descending: bool,
    pub(crate) node: Node,
}

#[derive(Debug)]
pub(crate) struct Lambda {
    pub(crate) parameters: Vec<Arc<str>>,
    pub(crate) signature: Option<Signature>,
    pub(crate) body: Node,
    /// Slots of a call's frame. The parameters come first.
    pub(crate) slots: usize,
    /// True if functions made in the body may outlive the call, so that its frame must too.
    pub(crate) captured: bool,
}

#[derive(Debug)]
pub(crate) struct Transform {
    pub(crate) pattern: Node,
    pub(crate) update: Node,
    pub(crate) delete: Option<Node>,
}

/// The place of the variables of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum BlockSlots {
    #[default]
    None,
    /// In the frame around it. No function made in the block can use them.
    Shared { first: usize, count: usize },
    /// In a frame of its own, because a function made in the block may outlive it.
    Own { count: usize },
}

/// A variable with its possible places. The first bound one counts.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: Arc<str>,
    pub(crate) places: Vec<Place>,
    pub(crate) last: Last,
}

/// A slot some frames up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) up: usize,
    pub(crate) slot: usize,
}

/// The meaning of a variable if none of its places is bound.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Last {
    Nothing,
    Free(usize),
    Native(&'static Native),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    And,
    Or,
    Concatenate,
    Range,
}

impl Node {
    pub(crate) fn new(kind: Kind, at: usize) -> Node {
        let mut node = Node {
            kind,
            at,
            height: 0,
            keep_array: false,
            predicates: Vec::new(),
            stages: Vec::new(),
            group: None,
        };
        node.measure();
        node
    }

    /// Computes the height again, after a change below.
    pub(crate) fn measure(&mut self) {
        let mut highest = 0;
        self.children(&mut |child| highest = highest.max(child.height));
        self.height = highest + 1;
    }

    /// Every node directly below.
    pub(crate) fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Node)) {
        match &self.kind {
            Kind::Path(path) => path.steps.iter().for_each(&mut *visit),
            Kind::Binary(_, sides) | Kind::Chain(sides) => sides.iter().for_each(&mut *visit),
            Kind::Negate(of) | Kind::Bind(_, of) => visit(of),
            Kind::Array { items, .. } | Kind::Block { items, .. } => items.iter().for_each(&mut *visit),
            Kind::Object(members) => pairs(members, visit),
            Kind::Condition(parts) => {
                visit(&parts.0);
                visit(&parts.1);
                parts.2.iter().for_each(&mut *visit);
            }
            Kind::Lambda(lambda) => visit(&lambda.body),
            Kind::Call { function, arguments } => {
                visit(function);
                arguments.iter().for_each(&mut *visit);
            }
            Kind::Partial { function, arguments } => {
                visit(function);
                arguments.iter().flatten().for_each(&mut *visit);
            }
            Kind::Sort(terms) => terms.iter().for_each(|term| visit(&term.node)),
            Kind::Transform(transform) => {
                visit(&transform.pattern);
                visit(&transform.update);
                transform.delete.iter().for_each(&mut *visit);
            }
            Kind::Literal(_)
            | Kind::Name(_)
            | Kind::Variable(_)
            | Kind::Context
            | Kind::Root
            | Kind::Regex(_)
            | Kind::Wildcard
            | Kind::Descendants => {}
        }
        self.predicates.iter().chain(&self.stages).for_each(&mut *visit);
        pairs(self.group.as_deref().unwrap_or_default(), visit);
    }

    /// Every node directly below, for changes. Only the parser has the tree then.
    pub(crate) fn children_mut(&mut self, visit: &mut dyn FnMut(&mut Node)) {
        match &mut self.kind {
            Kind::Path(path) => path.steps.iter_mut().for_each(&mut *visit),
            Kind::Binary(_, sides) | Kind::Chain(sides) => sides.iter_mut().for_each(&mut *visit),
            Kind::Negate(of) | Kind::Bind(_, of) => visit(of),
            Kind::Array { items, .. } | Kind::Block { items, .. } => items.iter_mut().for_each(&mut *visit),
            Kind::Object(members) => pairs_mut(members, visit),
            Kind::Condition(parts) => {
                visit(&mut parts.0);
                visit(&mut parts.1);
                parts.2.iter_mut().for_each(&mut *visit);
            }
            Kind::Lambda(lambda) => {
                if let Some(lambda) = Arc::get_mut(lambda) {
                    visit(&mut lambda.body);
                }
            }
            Kind::Call { function, arguments } => {
                visit(function);
                arguments.iter_mut().for_each(&mut *visit);
            }
            Kind::Partial { function, arguments } => {
                visit(function);
                arguments.iter_mut().flatten().for_each(&mut *visit);
            }
            Kind::Sort(terms) => terms.iter_mut().for_each(|term| visit(&mut term.node)),
            Kind::Transform(transform) => {
                if let Some(transform) = Arc::get_mut(transform) {
                    visit(&mut transform.pattern);
                    visit(&mut transform.update);
                    transform.delete.iter_mut().for_each(&mut *visit);
                }
            }
            Kind::Literal(_)
            | Kind::Name(_)
            | Kind::Variable(_)
            | Kind::Context
            | Kind::Root
            | Kind::Regex(_)
            | Kind::Wildcard
            | Kind::Descendants => {}
        }
        self.predicates.iter_mut().chain(&mut self.stages).for_each(&mut *visit);
        if let Some(group) = &mut self.group {
            pairs_mut(group, visit);
        }
    }

    /// True if nothing follows the term.
    pub(crate) fn is_bare(&self) -> bool {
        !self.keep_array && self.predicates.is_empty() && self.stages.is_empty() && self.group.is_none()
    }
}

fn pairs<'a>(members: &'a [(Node, Node)], visit: &mut dyn FnMut(&'a Node)) {
    for (key, value) in members {
        visit(key);
        visit(value);
    }
}

fn pairs_mut(members: &mut [(Node, Node)], visit: &mut dyn FnMut(&mut Node)) {
    for (key, value) in members {
        visit(key);
        visit(value);
    }
}

impl Variable {
    pub(crate) fn new(name: &str) -> Variable {
        Variable { name: name.into(), places: Vec::new(), last: Last::Nothing }
    }
}
