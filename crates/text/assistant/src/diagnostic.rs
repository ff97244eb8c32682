//! The faults of a schema, with their places: data for a renderer at the edge, several findings at once.

use std::fmt;

/// The most findings that one run reports.
pub const DIAGNOSTICS_MAX: usize = 100;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// No copybook can be made.
    Error,
    /// A copybook is made, but the reader should know about this.
    Warning,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The place in the document as a JSON pointer, `#` in front; empty for the whole document.
    pub pointer: String,
    /// The line of the text, from 1; 0 if there is none.
    pub line: usize,
    /// The column in characters, from 1; 0 if there is none.
    pub column: usize,
    /// Says what was expected and what was found.
    pub message: String,
    /// The way to mend it, if it is known.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}: ", self.line, self.column)?;
        }
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " (help: {help})"),
            None => Ok(()),
        }
    }
}

/// A place in the document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// A JSON pointer with `#` in front.
    pub pointer: String,
    /// Bytes of the text before it; none if the model was not read from a text.
    pub offset: Option<usize>,
}

/// Findings as they come, each at a place.
#[derive(Debug, Default)]
pub(crate) struct Report {
    found: Vec<(Severity, Place, String, Option<String>)>,
    errors: usize,
}

impl Report {
    pub(crate) fn error(&mut self, place: &Place, message: impl Into<String>) {
        self.add(Severity::Error, place, message.into(), None);
    }

    pub(crate) fn error_with_help(&mut self, place: &Place, message: impl Into<String>, help: &str) {
        self.add(Severity::Error, place, message.into(), Some(help.to_owned()));
    }

    pub(crate) fn warning(&mut self, place: &Place, message: impl Into<String>, help: Option<&str>) {
        self.add(Severity::Warning, place, message.into(), help.map(str::to_owned));
    }

    fn add(&mut self, severity: Severity, place: &Place, message: String, help: Option<String>) {
        self.errors += usize::from(severity == Severity::Error);
        let same =
            |found: &(Severity, Place, String, Option<String>)| found.1 == *place && found.2 == message;
        if self.found.len() < DIAGNOSTICS_MAX && !self.found.iter().any(same) {
            self.found.push((severity, place.clone(), message, help));
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The findings in the order of the text, with lines and columns of it.
    pub(crate) fn into_diagnostics(self, text: &str) -> Vec<Diagnostic> {
        let mut found = self.found;
        found.sort_by_key(|(_, place, ..)| place.offset);
        found
            .into_iter()
            .map(|(severity, place, message, help)| {
                let (line, column) = place.offset.map_or((0, 0), |offset| position(text, offset));
                Diagnostic { severity, pointer: place.pointer, line, column, message, help }
            })
            .collect()
    }
}

/// Line and column of an offset, both from 1.
pub(crate) fn position(text: &str, offset: usize) -> (usize, usize) {
    let Some(before) = text.get(..offset) else { return (0, 0) };
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    (line, column)
}
