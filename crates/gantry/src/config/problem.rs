//! What is wrong with a configuration: all of it at once, each with file, line and the text that is meant.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// Nothing is served.
    Error,
    /// It serves, and somebody should know.
    Warning,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) severity: Severity,
    /// The file as a person knows it.
    pub(crate) file: String,
    /// The bytes of the file's text that it is about; none if it is about the file as a whole.
    pub(crate) span: Option<Range<usize>>,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: Option<String>,
}

/// All faults, with the texts that they point into.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    problems: Vec<Problem>,
    texts: Vec<(String, String)>,
}

impl Problems {
    /// Makes a file's text known, so that faults in it can be shown.
    pub(crate) fn text(&mut self, file: &str, text: &str) {
        if !self.texts.iter().any(|(known, _)| known == file) {
            self.texts.push((file.to_owned(), text.to_owned()));
        }
    }

    pub(crate) fn add(&mut self, file: &str, span: Option<Range<usize>>, message: impl Into<String>) {
        let severity = Severity::Error;
        self.push(Problem { severity, file: file.to_owned(), span, message: message.into(), help: None });
    }

    /// Adds a fault of a whole line.
    pub(crate) fn add_line(&mut self, file: &str, line: usize, message: impl Into<String>) {
        let span = self.span_of_line(file, line);
        self.add(file, span, message);
    }

    /// The bytes of a line of a known file, without the blanks around it.
    pub(crate) fn span_of_line(&self, file: &str, line: usize) -> Option<Range<usize>> {
        self.text_of(file).and_then(|text| line_span(text, line))
    }

    /// Adds what a copybook's parser found; the file's text must be known.
    pub(crate) fn copybook(&mut self, file: &str, diagnostic: copybook::Diagnostic) {
        self.push(Problem {
            severity: match diagnostic.severity {
                copybook::Severity::Error => Severity::Error,
                copybook::Severity::Warning => Severity::Warning,
            },
            file: file.to_owned(),
            span: Some(diagnostic.place.span),
            message: format!("[{}] {}", diagnostic.code, diagnostic.message),
            help: diagnostic.help,
        });
    }

    pub(crate) fn push(&mut self, problem: Problem) {
        // The same fault is found again where two services share a copybook.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// How many problems prevent serving.
    pub(crate) fn error_count(&self) -> usize {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
    }

    /// The files that have errors, as a person knows them.
    pub(crate) fn faulty_files(&self) -> Vec<String> {
        let errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        errors.map(|problem| problem.file.clone()).collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter()
    }

    fn text_of(&self, file: &str) -> Option<&str> {
        self.texts.iter().find(|(known, _)| known == file).map(|(_, text)| text.as_str())
    }

    /// The line of a fault, from 1.
    pub(crate) fn line_of(&self, problem: &Problem) -> Option<usize> {
        let start = problem.span.as_ref()?.start;
        let text = self.text_of(&problem.file)?;
        Some(text.as_bytes()[..start.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1)
    }

    /// Everything as a person reads it: message, file and line, the line itself with carets, help.
    pub(crate) fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let shown: Vec<String> =
            self.problems.iter().map(|problem| self.render_one(problem, &renderer)).collect();
        shown.join("\n\n")
    }

    fn render_one(&self, problem: &Problem, renderer: &Renderer) -> String {
        let level = match problem.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level.primary_title(&problem.message);
        let text = self.text_of(&problem.file);
        let mut group = match (text, &problem.span) {
            (Some(text), Some(span)) => {
                let span = span.start.min(text.len())..span.end.min(text.len());
                title.element(
                    Snippet::source(text).path(&problem.file).annotation(AnnotationKind::Primary.span(span)),
                )
            }
            _ => title.element(annotate_snippets::Origin::path(&problem.file)),
        };
        if let Some(help) = &problem.help {
            group = group.element(Level::HELP.message(help));
        }
        renderer.render(&[group]).to_string()
    }
}

/// The bytes of a line without the blanks around it.
fn line_span(text: &str, line: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for (index, content) in text.split_inclusive('\n').enumerate() {
        if index + 1 == line {
            let indent = content.len() - content.trim_start().len();
            return Some(start + indent..start + indent + content.trim().len());
        }
        start += content.len();
    }
    None
}

/// The line of a byte, from 1.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}
