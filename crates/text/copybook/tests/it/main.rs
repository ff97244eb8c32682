//! Copybook texts and the layouts, findings and limits that must come of them.

mod clauses;
mod constants;
mod copy;
mod copy_random;
mod errors;
mod limits;
mod occurs;
mod pictures;
mod program_text;
mod programs;
mod random;
mod redefines;
mod renames;
mod source;
mod special_names;
mod sync;
mod table;
mod tree;
mod usages;
mod values;
