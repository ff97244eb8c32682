//! Generators of checked-in tables.
fn main() {}
