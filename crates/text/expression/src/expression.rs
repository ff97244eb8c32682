//! A compiled expression. A mapping keeps it after loading, and evaluates it for each request.

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

/// A compiled JSONata expression. Many threads can evaluate it at the same time.
#[derive(Debug)]
pub struct Expression {
    pub(crate) text: Box<str>,
    pub(crate) node: Node,
    pub(crate) resolved: Resolved,
    pub(crate) limits: Limits,
    /// True if functions are made as values, so that the result could have one.
    pub(crate) functions: bool,
    inputs: Vec<Input>,
}

/// The source of the variables that an expression does not bind itself.
///
/// It is asked for a variable at the first use, and at most once in an evaluation. It is never asked for the
/// names of built-in functions.
pub trait Bindings {
    /// The value of `$name`; none means undefined.
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

/// The surroundings of one evaluation.
pub struct Context<'a> {
    /// The variables.
    pub bindings: &'a dyn Bindings,
    /// The value of names at the start of a path, and of `$` and `$$`. Mappings of z/OS Connect have no such
    /// value.
    pub input: Value,
    /// The time, in milliseconds since 1970 in UTC, for `$now()` and `$millis()`.
    pub now_ms: i64,
    /// The seed for `$random()` and `$shuffle()`. The same seed gives the same numbers.
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
    /// `S…` with a place if the text is not an expression, `L000…` if it is too big.
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
    /// `T…` and `D…` as in JSONata, `L1…` if a limit is exceeded, each with the place in the text.
    pub fn evaluate(&self, context: &Context) -> Result<Value, Error> {
        evaluate::evaluate(self, context).map_err(|error| error.within(&self.text))
    }

    /// The names of the variables that the expression reads but does not bind, without their `$`.
    pub fn variables(&self) -> &[Arc<str>] {
        &self.resolved.free
    }

    /// The parts of each variable that it may read.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The value, if it is known before evaluation.
    pub fn constant(&self) -> Option<&Value> {
        match &self.node.kind {
            Kind::Literal(value) if self.node.is_bare() => Some(value),
            _ => None,
        }
    }

    /// The source text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Whether a function may be a value here, and not only be called by its name.
fn makes_function_values(node: &Node) -> bool {
    let mut found = match &node.kind {
        Kind::Lambda(_) | Kind::Transform(_) | Kind::Regex(_) | Kind::Partial { .. } | Kind::Chain(_) => true,
        // A variable may have a value from the caller, which is never a function, or a built-in function.
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
