//! Functions as values: built in, made by an expression, or put together of others.

use std::sync::Arc;

use crate::functions::Native;
use crate::node::{Lambda, Transform};
use crate::pattern::Pattern;
use crate::value::Value;

/// A function, which lives only as long as the evaluation that made it.
#[derive(Clone, Debug)]
pub struct Function(pub(crate) Arc<Callable>);

#[derive(Debug)]
pub(crate) enum Callable {
    Native(&'static Native),
    Lambda {
        code: Arc<Lambda>,
        /// The frame in which it was made.
        frame: usize,
        /// The context in which it was made.
        input: Value,
    },
    Regex(Arc<Pattern>),
    /// Some arguments are given, the others are to come.
    Partial {
        function: Function,
        arguments: Vec<Option<Value>>,
    },
    /// The first, then the second with what the first gives.
    Composed(Function, Function),
    Transform {
        code: Arc<Transform>,
        frame: usize,
    },
}

impl Function {
    pub(crate) fn new(callable: Callable) -> Function {
        Function(Arc::new(callable))
    }

    /// Whether both are the very same function.
    pub(crate) fn is(&self, other: &Function) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || matches!((&*self.0, &*other.0), (Callable::Native(a), Callable::Native(b)) if std::ptr::eq(*a, *b))
    }

    /// How many arguments it takes of those that `$map` and its like offer.
    pub(crate) fn arity(&self) -> usize {
        match &*self.0 {
            Callable::Native(native) => native.arity,
            Callable::Lambda { code, .. } => code.parameters.len(),
            Callable::Partial { arguments, .. } => arguments.iter().filter(|given| given.is_none()).count(),
            Callable::Regex(_) | Callable::Composed(..) | Callable::Transform { .. } => 1,
        }
    }
}
