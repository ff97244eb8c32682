//! Copybook texts and the layouts, findings and limits that must come of them.

mod clauses;
mod copy;
mod errors;
mod limits;
mod occurs;
mod pictures;
mod programs;
mod random;
mod redefines;
mod source;
mod sync;
mod table;
mod tree;
mod usages;
mod values;
