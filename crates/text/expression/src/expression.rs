//! A compiled expression: what a mapping holds from load on, and evaluates for each request.

use std::sync::Arc;

use crate::error::Error;
use crate::evaluate;
use crate::fold;
use crate::inputs::{Input, inputs};
use crate::limits::Limits;
use crate::node::{Kind, Node};
use crate::parser;
use crate::resolve::{Resolved, resolve};
use crate::value::Value;

/// A compiled JSONata expression. It can be evaluated by many threads at a time.
#[derive(Debug)]
pub struct Expression {
    pub(crate) text: Box<str>,
    pub(crate) node: Node,
    pub(crate) resolved: Resolved,
    pub(crate) limits: Limits,
    /// Functions are made as values, so that one could be in the result.
    pub(crate) functions: bool,
    inputs: Vec<Input>,
}

/// Where an expression finds the variables that it does not bind itself.
///
/// It is asked for each of them when its value is needed for the first time, and at most once in an evaluation. The
/// names of built-in functions are never asked for.
pub trait Bindings {
    /// The value of `$name`; nothing is undefined.
    fn get(&self, name: &str) -> Option<Value>;
}

/// No variables at all.
impl Bindings for () {
    fn get(&self, _: &str) -> Option<Value> {
        None
    }
}

/// Variables by name.
impl<const N: usize> Bindings for [(&str, Value); N] {
    fn get(&self, name: &str) -> Option<Value> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }
}

/// What surrounds one evaluation.
pub struct Context<'a> {
    /// The variables.
    pub bindings: &'a dyn Bindings,
    /// What names at the start of a path, `$` and `$$` see. Mappings of z/OS Connect have no such value.
    pub input: Value,
    /// The time, in milliseconds since 1970 in UTC: the one that `$now()` and `$millis()` give.
    pub now_ms: i64,
    /// What `$random()` and `$shuffle()` draw from: the same seed gives the same numbers.
    pub seed: u64,
}

impl<'a> Context<'a> {
    /// Variables alone, at the beginning of 1970.
    pub fn new(bindings: &'a dyn Bindings) -> Context<'a> {
        Context { bindings, input: Value::Undefined, now_ms: 0, seed: 0 }
    }
}

impl Expression {
    /// Compiles an expression with the usual limits.
    ///
    /// # Errors
    /// See [`Expression::compile_within`].
    pub fn compile(text: &str) -> Result<Expression, Error> {
        Expression::compile_within(text, &Limits::default())
    }

    /// Compiles an expression, and limits its evaluations too.
    ///
    /// # Errors
    /// `S…` with a place for what is no expression, `L000…` for one that is too big.
    pub fn compile_within(text: &str, limits: &Limits) -> Result<Expression, Error> {
        let mut expression = Expression::unfolded(text, limits).map_err(|error| error.within(text))?;
        fold::fold(&mut expression);
        Ok(expression)
    }

    /// Compiles without folding constants.
    pub(crate) fn unfolded(text: &str, limits: &Limits) -> Result<Expression, Error> {
        let mut node = parser::parse(text, limits)?;
        let resolved = resolve(&mut node);
        Ok(Expression { text: text.into(), ..Expression::from_parts(node, resolved, limits) })
    }

    pub(crate) fn from_parts(node: Node, resolved: Resolved, limits: &Limits) -> Expression {
        let inputs = inputs(&node, &resolved.free);
        let functions = makes_function_values(&node);
        Expression { text: "".into(), node, resolved, limits: *limits, functions, inputs }
    }

    /// Evaluates it.
    ///
    /// # Errors
    /// `T…` and `D…` as JSONata has them, `L1…` for a limit that is exceeded, each with the place in the text.
    pub fn evaluate(&self, context: &Context) -> Result<Value, Error> {
        evaluate::evaluate(self, context).map_err(|error| error.within(&self.text))
    }

    /// The names of the variables that the expression reads and does not bind, without their `$`.
    pub fn variables(&self) -> &[Arc<str>] {
        &self.resolved.free
    }

    /// What it may read of each of them.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The value, if it is known without evaluation.
    pub fn constant(&self) -> Option<&Value> {
        match &self.node.kind {
            Kind::Literal(value) if self.node.is_bare() => Some(value),
            _ => None,
        }
    }

    /// The text that was compiled.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Whether a function may be a value here, not only be called by its name.
fn makes_function_values(node: &Node) -> bool {
    let mut found = match &node.kind {
        Kind::Lambda(_) | Kind::Transform(_) | Kind::Regex(_) | Kind::Partial { .. } | Kind::Chain(_) => true,
        // A variable may hold what a caller gave, which is never a function, or a built-in one.
        Kind::Variable(variable) => matches!(variable.last, crate::node::Last::Native(_)),
        _ => false,
    };
    match &node.kind {
        Kind::Call { function, arguments } if evaluate::calls_native(function) => {
            arguments.iter().for_each(|argument| found = found || makes_function_values(argument));
        }
        _ => node.children(&mut |child| found = found || makes_function_values(child)),
    }
    found
}
