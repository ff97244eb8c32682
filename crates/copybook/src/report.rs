//! Collects findings and turns positions in the text into lines and columns.

use std::cell::Cell;
use std::ops::Range;

use crate::codes::Code;
use crate::{Diagnostic, Place, Severity};

/// Findings beyond this number are dropped: the first ones matter, and a hostile text cannot fill the memory.
pub const MAX_DIAGNOSTICS: usize = 200;

/// The findings about one text.
pub(crate) struct Report<'a> {
    file: &'a str,
    text: &'a str,
    /// Where each line starts.
    lines: Vec<usize>,
    /// A place found before: its offset and column. Places are mostly asked for in the order of the text,
    /// and counting on from the last one keeps a single long line from costing its length every time.
    last: Cell<(usize, u32)>,
    found: Vec<Diagnostic>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Report { file, text, lines, last: Cell::new((0, 1)), found: Vec::new() }
    }

    /// The line and column of a span of the original text.
    pub(crate) fn place(&self, span: &Range<usize>) -> Place {
        let start = span.start.min(self.text.len());
        let line = self.lines.partition_point(|first| *first <= start);
        let line_start = self.lines[line - 1];
        let (from, counted) = match self.last.get() {
            (offset, column) if (line_start..=start).contains(&offset) => (offset, column),
            _ => (line_start, 1),
        };
        let between = self.text.as_bytes()[from..start].iter();
        // Every byte that does not continue a UTF-8 sequence begins a character.
        let column = counted + between.filter(|byte| **byte & 0xC0 != 0x80).count() as u32;
        self.last.set((start, column));
        Place { line: line as u32, column, span: span.clone() }
    }

    /// Adds an error.
    pub(crate) fn error(&mut self, code: Code, span: &Range<usize>, message: impl Into<String>) {
        self.add(Severity::Error, code, span, message.into(), None);
    }

    /// Adds an error with a hint. The hint is optional because it often rests on a search for a similar word.
    pub(crate) fn error_with_help(
        &mut self,
        code: Code,
        span: &Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.add(Severity::Error, code, span, message.into(), help);
    }

    /// Adds a warning.
    pub(crate) fn warning(&mut self, code: Code, span: &Range<usize>, message: impl Into<String>) {
        self.add(Severity::Warning, code, span, message.into(), None);
    }

    fn add(
        &mut self,
        severity: Severity,
        code: Code,
        span: &Range<usize>,
        message: String,
        help: Option<String>,
    ) {
        // An error is never crowded out by warnings: it decides whether there is a layout at all.
        if self.found.len() >= MAX_DIAGNOSTICS && (severity == Severity::Warning || self.has_errors()) {
            return;
        }
        let place = self.place(span);
        let file = self.file.to_owned();
        self.found.push(Diagnostic { code: code.id, severity, file, place, message, help });
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.found.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// All findings in the order of the text.
    pub(crate) fn into_findings(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|finding| finding.place.span.start);
        self.found
    }
}
