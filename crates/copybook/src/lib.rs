//! COBOL text to a tree to a layout: offsets, lengths and types of every field, with diagnostics.

mod diagnostic;
mod layout;

pub use diagnostic::{Diagnostic, Place, Severity};
pub use layout::{Condition, Field, FieldId, Kind, Layout, Literal, Occurs, ResolveError, Sign};

/// How the text is laid out in columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Fixed or free, from the look of the text.
    #[default]
    Auto,
    /// Columns 1-6 sequence, 7 indicator, 8-72 text, 73-80 identification.
    Fixed,
    /// Text anywhere, `*>` comments.
    Free,
}

/// How to read a copybook.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Columns.
    pub format: Format,
}

/// What came of a copybook: its records, and warnings.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// One layout for each 01 level, or one for a copybook without any.
    pub layouts: Vec<Layout>,
    /// Things worth knowing that do not prevent a layout.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a copybook. `member` names it in messages, and names the record if the text has no 01 level
/// (without a folder or an ending).
///
/// # Errors
/// All that is wrong with it, in the order of the text.
pub fn parse(member: &str, text: &str, options: &Options) -> Result<Parsed, Vec<Diagnostic>> {
    let _ = (member, text, options);
    Err(Vec::new())
}
