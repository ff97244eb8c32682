//! Expressions and templates as their users write them.

mod cases;
mod json;
mod limits;
mod properties;
mod template;
