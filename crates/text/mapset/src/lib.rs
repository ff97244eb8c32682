//! Mapsets of basic mapping support: the source with DFHMSD, DFHMDI and DFHMDF becomes the symbolic map, the
//! copybook that COBOL programs copy. On a mainframe the assembler makes it.
//!
//! The data path: `statements` joins the lines of the assembler, `operands` splits what stands behind a
//! macro, `read` makes [`Mapset`]s of macros, and `write` writes their structures in COBOL.
//!
//! - A **mapset** holds **maps**, and a map holds **fields**.
//! - The **symbolic map** has two structures for each map. The one for input ends in I. The one for output
//!   ends in O and redefines it.
//! - **Extended attributes** are colour, highlighting and others. Each has one byte before a field's data,
//!   if DSATTS or EXTATT asks for it.
//!
//! Deliberately absent: positions, initial values and attributes of fields, because only a terminal needs
//! them. Assembler code between the macros, which only an assembler can run.

mod limits;
mod operands;
mod picture;
mod read;
mod statements;
mod write;

use std::fmt;

pub use limits::Limits;
pub use read::{Attribute, Field, Map, Mapset, Mode, Storage, read};
pub use statements::{is_source, names};
pub use write::symbolic_map;

/// The reason why a source has no symbolic map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The expected and the found.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Fault {}
