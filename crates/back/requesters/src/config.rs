//! Operations of remote APIs in a configuration: what is written becomes plans, and what is wrong is told with its place.

mod areas;
mod operation;
mod written;

pub use areas::Structures;
pub use operation::{OperationReader, Sides};
pub use written::{
    AnswerSection, BodyWord, HttpSection, InMoveSection, MethodWord, OutMoveSection,
    RequesterOperationSection, StructuresSection, UnknownFieldsWord,
};
