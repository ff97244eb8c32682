//! The faults of a document: several problems at once, each with a JSON pointer and a line.

use std::fmt;

use document::{Lines, Part};

/// A fault in a document that prevents a contract, or that the author should know about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place as a JSON pointer with `#` in front; `#` alone is the whole document.
    pub pointer: String,
    /// The line of the JSON text, from 1; 0 if there is none.
    pub line: usize,
    /// Says what was expected and what was found.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        write!(f, "{}: {}", self.pointer, self.message)
    }
}

impl std::error::Error for Problem {}

/// The problems so far.
#[derive(Debug)]
pub(crate) struct Report<'t> {
    text: &'t str,
    /// Made for the first problem.
    lines: Option<Lines>,
    told_max: usize,
    errors: Found,
    warnings: Found,
}

/// Problems with the offsets that give their order.
#[derive(Debug, Default)]
struct Found {
    told: Vec<(usize, Problem)>,
    more: usize,
}

impl<'t> Report<'t> {
    pub(crate) fn new(text: &'t str, told_max: usize) -> Self {
        Self { text, lines: None, told_max, errors: Found::default(), warnings: Found::default() }
    }

    /// Adds a fault that prevents a contract.
    pub(crate) fn error(&mut self, part: &Part<'_, '_>, message: impl Into<String>) {
        let problem = self.problem(part, message.into());
        self.errors.add(part.node.offset, problem, self.told_max);
    }

    /// Adds a fault that does not prevent a contract.
    pub(crate) fn warning(&mut self, part: &Part<'_, '_>, message: impl Into<String>) {
        let problem = self.problem(part, message.into());
        self.warnings.add(part.node.offset, problem, self.told_max);
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.told.is_empty()
    }

    /// The errors and the warnings, each in the order of the text.
    pub(crate) fn finish(self) -> (Vec<Problem>, Vec<Problem>) {
        (self.errors.into_list(), self.warnings.into_list())
    }

    fn problem(&mut self, part: &Part<'_, '_>, message: String) -> Problem {
        let lines = self.lines.get_or_insert_with(|| Lines::of(self.text));
        let line = lines.line(part.node.offset);
        Problem { pointer: part.pointer.clone(), line, message }
    }
}

impl Found {
    fn add(&mut self, offset: usize, problem: Problem, told_max: usize) {
        if self.told.iter().any(|(_, known)| *known == problem) {
            return;
        }
        if self.told.len() < told_max.max(1) {
            self.told.push((offset, problem));
        } else {
            self.more += 1;
        }
    }

    fn into_list(mut self) -> Vec<Problem> {
        self.told.sort_by_key(|(offset, _)| *offset);
        let mut list: Vec<Problem> = self.told.into_iter().map(|(_, problem)| problem).collect();
        if self.more > 0 {
            let message = format!("{} more are not shown", self.more);
            list.push(Problem { pointer: "#".to_owned(), line: 0, message });
        }
        list
    }
}
