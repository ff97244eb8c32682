//! Operations of remote APIs in a configuration: makes plans of sections, and reports faults with their
//! places.

mod areas;
mod operation;
mod written;

pub use areas::Structures;
pub use operation::{OperationReader, Sides};
pub use written::{
    AnswerSection, BodyWord, HttpSection, InMoveSection, MethodWord, OutMoveSection,
    RequesterOperationSection, StructuresSection, UnknownFieldsWord,
};
