//! What is refused, and what is said of it.
