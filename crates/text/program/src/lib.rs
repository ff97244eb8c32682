//! COBOL programs written for CICS: the EXEC CICS translator and the table of commands that it shares with
//! the runtime.
//!
//! [`translate`] turns a program with `EXEC CICS … END-EXEC` into one that GnuCOBOL compiles. Every command
//! becomes a CALL of one function of the process that runs it.
//!
//! - [`commands`] is the table of commands, and [`conditions`] the table of conditions.
//! - [`interface`] is the interface between a translated program and that function.
//!   `docs/reference/exec-cics-interface.md` describes it.
//! - [`callable`] has the services of Language Environment, [`documents`] the work of EXEC CICS DOCUMENT, and [`web`] the
//!   rules of EXEC CICS WEB.
//! - [`reachable`] lists the names that a CALL may reach besides programs.
//!
//! Deliberately absent from `translate`: reading files (a [`copybook::Library`] gives members) and compiling.

pub mod callable;
pub mod commands;
mod commarea;
pub mod conditions;
pub mod cvda;
pub mod date_text;
pub mod documents;
pub mod interface;
mod members;
pub mod moment;
pub mod reachable;
mod response_code;
pub mod translate;
pub mod verbs;
pub mod web;

pub use commarea::{CommareaBytes, commarea_bytes};
pub use members::OwnMembers;
pub use response_code::{RESPONSE_CODE_BYTES, response_code};

/// The folder of a configuration that has programs.
pub const FOLDER: &str = "programs";
