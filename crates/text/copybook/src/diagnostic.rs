//! The findings about a copybook, with their places: data for a renderer at the edge.

use std::fmt;
use std::ops::Range;

/// A position in a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1; 0 if there is none.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The bytes of the original text that the message is about.
    pub span: Range<usize>,
    /// The file, as an index of [`Parsed::files`](crate::Parsed::files); 0 is the given text.
    pub file: usize,
}

/// One of the texts of a copybook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name, as given to the parser or by the [`Library`](crate::Library).
    pub name: String,
    /// The COPY statement that copied it; none for the given text.
    pub copied_at: Option<Place>,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// No layout can be made.
    Error,
    /// A layout is made, but the reader should know about this.
    Warning,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable code, such as `CPY012`; the list is in the crate's documentation.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// The file's name as given to the parser, or the copied member's as given by the library.
    pub file: String,
    /// Where.
    pub place: Place,
    /// Says what was found and what was expected.
    pub message: String,
    /// The way to mend it, if it is known.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(
            f,
            "{}:{}:{}: {severity}[{}]: {}",
            self.file, self.place.line, self.place.column, self.code, self.message
        )?;
        if let Some(help) = &self.help {
            write!(f, " (help: {help})")?;
        }
        Ok(())
    }
}
