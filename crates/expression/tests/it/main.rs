//! Expressions and templates as their users write them.

mod cases;
mod limits;
mod template;
