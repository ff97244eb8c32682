//! Computes constants when an expression is compiled, and not for each request.

use crate::evaluate::{calls_native, evaluate};
use crate::expression::{Context, Expression};
use crate::functions::Native;
use crate::limits::Limits;
use crate::node::{Kind, Last, Node, Operator};
use crate::resolve::Resolved;
use crate::value::Value;

/// The longest text that replaces the node that makes it.
const FOLDED_MAX_BYTES: usize = 1024;

/// Replaces all nodes whose values depend on nothing. A node that fails stays, and fails when it is
/// evaluated.
pub(crate) fn fold(expression: &mut Expression) {
    let limits = Limits { steps_max: 10_000, built_max_bytes: 64 * 1024, ..expression.limits };
    visit(&mut expression.node, &limits);
}

fn visit(node: &mut Node, limits: &Limits) {
    node.children_mut(&mut |child| visit(child, limits));
    if !is_constant(node) || !node.is_bare() {
        return;
    }
    let at = node.at;
    let alone = Expression::of(std::mem::replace(node, Node::new(Kind::Context, at)), limits);
    let value = evaluate(&alone, &Context::new(&()));
    *node = alone.node;
    match value {
        Ok(Value::String(text)) if text.len() > FOLDED_MAX_BYTES => {}
        Ok(value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_))) => {
            node.kind = Kind::Literal(value);
        }
        _ => {}
    }
}

fn is_constant(node: &Node) -> bool {
    match &node.kind {
        Kind::Binary(operator, sides) => *operator != Operator::Range && sides.iter().all(is_literal),
        Kind::Negate(of) => is_literal(of),
        Kind::Condition(parts) => {
            is_literal(&parts.0) && is_literal(&parts.1) && parts.2.as_ref().is_none_or(is_literal)
        }
        Kind::Call { function, arguments } if calls_native(function) => {
            // With all its arguments given, a function does not use the context.
            native(function)
                .is_some_and(|native| native.pure && native.signature.parameters() == arguments.len())
                && arguments.iter().all(is_literal)
        }
        _ => false,
    }
}

fn native(called: &Node) -> Option<&'static Native> {
    match &called.kind {
        Kind::Variable(variable) => match variable.last {
            Last::Native(native) => Some(native),
            _ => None,
        },
        _ => None,
    }
}

fn is_literal(node: &Node) -> bool {
    matches!(node.kind, Kind::Literal(_)) && node.is_bare()
}

impl Expression {
    /// A node that depends on nothing, as an expression of its own.
    fn of(node: Node, limits: &Limits) -> Expression {
        Expression::from_parts(node, Resolved::default(), limits)
    }
}
