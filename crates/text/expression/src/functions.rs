//! The built-in functions, by name.

mod arrays;
mod dates;
mod decimals;
mod encodings;
mod higher;
mod integers;
mod numbers;
mod objects;
pub(crate) mod signature;
mod strings;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::evaluate::{Evaluation, Result};
use crate::value::Value;
use signature::Signature;

/// A function that every expression has.
pub(crate) struct Native {
    pub(crate) name: &'static str,
    pub(crate) signature: Signature,
    pub(crate) run: Run,
    /// The number of arguments that `$map` and similar functions offer it.
    pub(crate) arity: usize,
    /// True if the same arguments always give the same value.
    pub(crate) pure: bool,
}

/// Gets one argument for each parameter of the signature, of its type or undefined.
pub(crate) type Run = fn(&mut Evaluation, &[Value]) -> Result<Value>;

/// A row of a table of functions: name, signature, code.
type Row = (&'static str, &'static str, Run);

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "${}", self.name)
    }
}

static NATIVES: LazyLock<HashMap<&'static str, Native>> = LazyLock::new(|| {
    let tables = [
        strings::TABLE,
        encodings::TABLE,
        numbers::TABLE,
        arrays::TABLE,
        objects::TABLE,
        higher::TABLE,
        dates::TABLE,
        integers::TABLE,
        decimals::TABLE,
    ];
    tables.into_iter().flatten().map(|row| (row.0, native(row))).collect()
});

/// Functions that depend on more than their arguments, or whose value cannot be kept.
const IMPURE: [&str; 9] =
    ["now", "millis", "random", "shuffle", "error", "assert", "eval", "fromMillis", "toMillis"];

fn native(&(name, signature, run): &Row) -> Native {
    let signature = Signature::parse(signature).expect("the signatures of the tables are right");
    // JavaScript counts parameters only up to the first one with a default.
    let arity = if name == "string" { 1 } else { signature.parameters() };
    Native { name, signature, run, arity, pure: !IMPURE.contains(&name) }
}

/// The built-in function of this name.
pub(crate) fn find(name: &str) -> Option<&'static Native> {
    NATIVES.get(name)
}
