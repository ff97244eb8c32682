//! JSONata expressions and templates: compiled once, evaluated with exact numbers, lazily and within limits.
//!
//! The language is JSONata 1.8, as in its documentation (docs.jsonata.org). API projects of z/OS Connect for
//! OpenAPI 3 write it in their mappings. `docs/reference` lists the differences.
//!
//! Deliberately absent: a clock and random numbers, which the caller gives; any IO; `$eval`.
//!
//! # How it works
//!
//! Text becomes tokens (`lexer.rs`) and then a tree (`parser.rs`). The parser puts paths, predicates and
//! groups together by the rules of JSONata. `resolve.rs` gives each variable its slot in a frame, or a number
//! if its value comes from the caller. `inputs.rs` finds the paths below those variables that are read.
//! `fold.rs` computes constants.
//!
//! An `Evaluation` walks the tree with three things: the context, the frames, and a `Purse` with the
//! remaining budget. Frames belong to the evaluation, and functions know only the numbers of their frames. So
//! functions that refer to each other leave no memory behind. A path of names through objects copies only its
//! last value.
//!
//! Every value knows how deep and how long it would be as text (`Extent`). Values that share their parts can
//! be far bigger than their memory.

pub mod class;
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
