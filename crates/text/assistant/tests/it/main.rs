//! Schemas as copybooks, refusals with their places, and a check that copybooks fit their schemas.

mod errors;
mod golden;
mod random;
mod rules;
