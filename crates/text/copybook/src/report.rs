//! Collects findings.

use std::ops::Range;

use crate::codes::Code;
use crate::files::Files;
use crate::{Diagnostic, Place, Severity};

/// The most findings. Further ones are dropped: the first ones matter, and a hostile text must not fill the
/// memory.
pub const MAX_DIAGNOSTICS: usize = 200;

/// The findings about a copybook and the members that it copies.
pub(crate) struct Report {
    pub(crate) files: Files,
    found: Vec<(usize, Diagnostic)>,
}

impl Report {
    pub(crate) fn new(files: Files) -> Self {
        Report { files, found: Vec::new() }
    }

    /// The file, line and column of a span.
    pub(crate) fn place(&self, span: &Range<usize>) -> Place {
        self.files.place(span)
    }

    /// Adds an error.
    pub(crate) fn error(&mut self, code: Code, span: &Range<usize>, message: impl Into<String>) {
        self.add(Severity::Error, code, span, message.into(), None);
    }

    /// Adds an error with a hint. The hint is optional because it often depends on a search for a similar
    /// word.
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
        // Warnings never crowd out an error, because errors decide whether there is a layout at all.
        if self.is_full() || (self.found.len() >= MAX_DIAGNOSTICS && severity == Severity::Warning) {
            return;
        }
        let place = self.place(span);
        let file = self.files.name(span.start).to_owned();
        self.found.push((span.start, Diagnostic { code: code.id, severity, file, place, message, help }));
    }

    /// True if no more findings are taken, so that no further search is needed.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= MAX_DIAGNOSTICS && self.has_errors()
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.found.iter().any(|(_, finding)| finding.severity == Severity::Error)
    }

    /// All findings in the order of the texts.
    pub(crate) fn into_findings(self) -> Vec<Diagnostic> {
        self.into_parts().1
    }

    /// The texts, and all findings in their order.
    pub(crate) fn into_parts(mut self) -> (Files, Vec<Diagnostic>) {
        self.found.sort_by_key(|(position, _)| *position);
        (self.files, self.found.into_iter().map(|(_, finding)| finding).collect())
    }
}
