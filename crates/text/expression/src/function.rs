//! Functions as values: built-in ones, those that an expression makes, and compositions.

use std::sync::Arc;

use crate::functions::Native;
use crate::node::{Lambda, Transform};
use crate::pattern::Pattern;
use crate::value::Value;

/// A function. It only lives as long as the evaluation that made it.
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
    /// Some arguments are given, the others come later.
    Partial {
        function: Function,
        arguments: Vec<Option<Value>>,
    },
    /// The first function, then the second with the result of the first.
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

    /// True if both are the same function.
    pub(crate) fn is(&self, other: &Function) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || matches!((&*self.0, &*other.0), (Callable::Native(a), Callable::Native(b)) if std::ptr::eq(*a, *b))
    }

    /// The number of arguments that it takes, of those that `$map` and similar functions offer.
    pub(crate) fn arity(&self) -> usize {
        match &*self.0 {
            Callable::Native(native) => native.arity,
            Callable::Lambda { code, .. } => code.parameters.len(),
            Callable::Partial { arguments, .. } => arguments.iter().filter(|given| given.is_none()).count(),
            Callable::Regex(_) | Callable::Composed(..) | Callable::Transform { .. } => 1,
        }
    }
}
