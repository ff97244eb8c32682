//! What an expression costs.
fn main() {}
