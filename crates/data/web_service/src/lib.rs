//! Bind files of web services. One text has everything that is needed to run a program as a web service, or
//! to call one.
//!
//! The data path: an assistant makes a [`BindFile`] and [`BindFile::write`]s it. [`BindFile::read`] reads the
//! text again and checks it. [`BindFile::parts`] reads the copybooks inside and gives an interface for the
//! request and the response of each operation: a layout, and the options for its bind. [`BindFile::folder`]
//! gives the files of a configuration folder that stand for the bind file. [`check`] checks a layout against
//! the rules of a mapping level.
//!
//! - A **bind file** is `NAME.wsbind`. It is TOML and has its copybooks inside, so that it can be moved
//!   alone. IBM's files of the same ending are not text; [`is_ibm`] tells them apart by their first bytes.
//! - A **mapping level** ([`Level`]) is a set of rules of the CICS assistants. Each level has the rules of
//!   those before it.
//! - An operation **by WSDL** has messages that one record does not hold ([`MessagesSection`]): their
//!   channels are laid out again when the service is loaded, by the same rules.
//! - A **part** is the request or the response of an operation.
//!
//! Deliberately absent: files and folders, and the running of services.

pub mod check;
mod choices;
mod file;
mod folder;
pub mod ibm;
mod level;
mod messages;
mod parts;
pub mod pipeline;
mod problem;

pub use choices::{CharOccurs, CharVarying, Choices, DateTime, NullRows};
pub use file::{
    BIND_FILE_BYTES_MAX, BindFile, CONTAINER_DEFAULT, Documents, FORMAT, FieldChoice, FieldForm,
    InterfaceKind, Nillable, OPERATIONS_MAX, Operation, Part, Role, SoapVersions, XmlPlace, is_ibm,
};
pub use level::Level;
pub use messages::{CHAR_MULTIPLIER_MAX, Laying, Messages, MessagesSection, OUTSIDE, TextLaying, Wsdls};
pub use parts::{OperationParts, layout};
pub use problem::{Problem, Severity};
