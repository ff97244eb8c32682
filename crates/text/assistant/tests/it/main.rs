//! What schemas become as copybooks, what is refused with which place, and that copybooks fit their schemas.

mod errors;
mod golden;
mod random;
mod rules;
