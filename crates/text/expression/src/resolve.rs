//! Gives every variable its places: slots of frames for variables that the expression binds, numbers for
//! those from its caller.

use std::sync::Arc;

use crate::functions;
use crate::node::{BlockSlots, Kind, Last, Node, Place, Variable};

/// The facts about the whole expression.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// The variables from the caller. [`Last::Free`] is an index into them.
    pub(crate) free: Vec<Arc<str>>,
    /// Slots of the outermost frame.
    pub(crate) slots: usize,
}

/// Resolves all variables of an expression.
pub(crate) fn resolve(node: &mut Node) -> Resolved {
    let mut resolver = Resolver { frames: Vec::new(), free: Vec::new() };
    resolver.frames.push(Frame::default());
    resolver.open(bound_in([&*node]));
    resolver.node(node);
    let slots = resolver.frames[0].slots;
    Resolved { free: resolver.free, slots }
}

struct Resolver {
    frames: Vec<Frame>,
    free: Vec<Arc<str>>,
}

#[derive(Default)]
struct Frame {
    slots: usize,
    scopes: Vec<Vec<Bound>>,
    /// Made by a call. Variables outside may have changed since the function was made.
    call: bool,
}

/// A variable that a scope binds.
struct Bound {
    name: Arc<str>,
    slot: usize,
    /// True if every run through the scope binds it.
    always: bool,
    /// True if it is bound at the resolver's present place.
    now: bool,
}

impl Resolver {
    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("there is always the outermost frame")
    }

    /// Opens a scope in the innermost frame. Gives its first slot.
    fn open(&mut self, names: Vec<(Arc<str>, bool)>) -> usize {
        let frame = self.frame();
        let first = frame.slots;
        frame.slots += names.len();
        let bound = names.into_iter().enumerate();
        let scope = bound.map(|(at, (name, always))| Bound { name, slot: first + at, always, now: false });
        frame.scopes.push(scope.collect());
        first
    }

    fn node(&mut self, node: &mut Node) {
        match &mut node.kind {
            Kind::Variable(variable) => self.variable(variable, false),
            Kind::Call { function, arguments } => {
                match &mut function.kind {
                    Kind::Variable(variable) => {
                        self.variable(variable, true);
                        self.behind(function);
                    }
                    _ => self.node(function),
                }
                arguments.iter_mut().for_each(|argument| self.node(argument));
                return self.behind(node);
            }
            Kind::Bind(variable, value) => {
                self.node(value);
                self.bind(variable);
            }
            Kind::Block { .. } => return self.block(node),
            Kind::Lambda(_) => return self.lambda(node),
            _ => {}
        }
        if !matches!(node.kind, Kind::Bind(..)) {
            node.children_mut(&mut |child| self.node(child));
        }
    }

    fn behind(&mut self, node: &mut Node) {
        node.predicates.iter_mut().chain(&mut node.stages).for_each(|child| self.node(child));
        for (key, value) in node.group.iter_mut().flatten() {
            self.node(key);
            self.node(value);
        }
    }

    fn block(&mut self, node: &mut Node) {
        let captured = makes_functions(node);
        if let Kind::Block { items, slots } = &mut node.kind {
            let names = bound_in(items.iter());
            let count = names.len();
            *slots = match count {
                0 => BlockSlots::None,
                _ if captured => {
                    self.frames.push(Frame::default());
                    self.open(names);
                    BlockSlots::Own { count: 0 }
                }
                _ => BlockSlots::Shared { first: self.open(names), count },
            };
            for item in items {
                self.node(item);
            }
            match slots {
                BlockSlots::None => {}
                BlockSlots::Shared { .. } => drop(self.frame().scopes.pop()),
                BlockSlots::Own { count } => *count = self.frames.pop().map_or(0, |frame| frame.slots),
            }
        }
        self.behind(node);
    }

    fn lambda(&mut self, node: &mut Node) {
        if let Kind::Lambda(lambda) = &mut node.kind
            && let Some(lambda) = Arc::get_mut(lambda)
        {
            self.frames.push(Frame { call: true, ..Frame::default() });
            self.open(lambda.parameters.iter().map(|name| (Arc::clone(name), true)).collect());
            self.frame().scopes[0].iter_mut().for_each(|parameter| parameter.now = true);
            let names = bound_in([&lambda.body]);
            if !names.is_empty() {
                self.open(names);
            }
            self.node(&mut lambda.body);
            lambda.captured = makes_functions(&lambda.body);
            lambda.slots = self.frames.pop().map_or(0, |frame| frame.slots);
        }
        self.behind(node);
    }

    fn bind(&mut self, variable: &mut Variable) {
        for scope in self.frame().scopes.iter_mut().rev() {
            if let Some(bound) = scope.iter_mut().find(|bound| bound.name == variable.name) {
                bound.now |= bound.always;
                variable.places.push(Place { up: 0, slot: bound.slot });
                return;
            }
        }
    }

    fn variable(&mut self, variable: &mut Variable, is_called: bool) {
        let mut later = false;
        let mut called = false;
        for (up, frame) in self.frames.iter().rev().enumerate() {
            for scope in frame.scopes.iter().rev() {
                // If two parameters have the same name, the last one counts.
                let Some(bound) = scope.iter().rev().find(|bound| bound.name == variable.name) else {
                    continue;
                };
                variable.places.push(Place { up, slot: bound.slot });
                if bound.now {
                    return;
                }
                later |= called && bound.always;
            }
            called |= frame.call;
        }
        let native = functions::find(&variable.name);
        variable.last = if let Some(native) = native.filter(|_| is_called || !is_shared(&variable.name)) {
            Last::Native(native)
        } else if later {
            Last::Nothing
        } else {
            Last::Free(self.free(&variable.name))
        };
    }

    fn free(&mut self, name: &Arc<str>) -> usize {
        self.free.iter().position(|known| known == name).unwrap_or_else(|| {
            self.free.push(Arc::clone(name));
            self.free.len() - 1
        })
    }
}

/// True for names that z/OS Connect gives to a variable although a function has them. A call means the
/// function, a read means the variable (`$error.code`).
fn is_shared(name: &str) -> bool {
    name == "error"
}

/// The variables that these nodes bind in their own scope, and whether each run binds them.
fn bound_in<'a>(items: impl IntoIterator<Item = &'a Node>) -> Vec<(Arc<str>, bool)> {
    let mut names = Vec::new();
    for item in items {
        collect(item, true, &mut names);
    }
    names
}

fn collect(node: &Node, always: bool, names: &mut Vec<(Arc<str>, bool)>) {
    if let Kind::Bind(variable, _) = &node.kind {
        match names.iter_mut().find(|(name, _)| *name == variable.name) {
            Some((_, known)) => *known |= always,
            None => names.push((Arc::clone(&variable.name), always)),
        }
    }
    let chained = matches!(node.kind, Kind::Bind(..));
    let (own_scope, behind) = (matches!(node.kind, Kind::Block { .. } | Kind::Lambda(_)), !node.is_bare());
    if !own_scope {
        node.children(&mut |child| collect(child, always && chained, names));
    } else if behind {
        let group = node.group.iter().flatten().flat_map(|(key, value)| [key, value]);
        node.predicates
            .iter()
            .chain(&node.stages)
            .chain(group)
            .for_each(|child| collect(child, false, names));
    }
}

/// True if functions are made here that can use the variables around them.
fn makes_functions(node: &Node) -> bool {
    let mut found = matches!(node.kind, Kind::Lambda(_) | Kind::Transform(_));
    if !found {
        node.children(&mut |child| found = found || makes_functions(child));
    }
    found
}
