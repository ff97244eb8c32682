//! JSONata expressions and templates: compiled once, evaluated with exact numbers, lazily and within limits.
//!
//! The language is JSONata 1.8, as its documentation describes it (docs.jsonata.org), which is what API projects of
//! z/OS Connect for OpenAPI 3 write in their mappings. What differs is said in `docs/reference`.
//!
//! Deliberately absent: a clock and random numbers, which the caller gives; any IO; `$eval`.

mod error;
mod evaluate;
mod expression;
mod fold;
mod function;
mod functions;
mod inputs;
mod json;
mod lexer;
mod limits;
mod node;
mod number;
mod object;
mod order;
mod parser;
mod pattern;
mod resolve;
mod template;
mod text;
mod value;

pub use error::{Error, Kind, Place};
pub use expression::{Bindings, Context, Expression};
pub use function::Function;
pub use inputs::Input;
pub use json::JSON_DEPTH_MAX;
pub use limits::Limits;
pub use number::{DECIMAL_DIGITS_MAX, Number};
pub use object::Object;
pub use template::Template;
pub use value::{Array, Value};
