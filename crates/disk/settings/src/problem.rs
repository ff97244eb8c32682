//! Faults of a configuration. All are reported at once, each with file, line and the text at that place.

use std::collections::BTreeSet;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Nothing is served.
    Error,
    /// A program or a package is not used; all else is served.
    Part,
    /// Everything is served, but somebody should know.
    Warning,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its severity.
    pub severity: Severity,
    /// The file, in the form that is shown to people.
    pub file: String,
    /// The bytes of the file's text that have the fault; none for the file as a whole.
    pub span: Option<Range<usize>>,
    /// The fault.
    pub message: String,
    /// The way to mend it.
    pub help: Option<String>,
}

/// The state of a program or a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartState {
    /// It is used.
    Ok,
    /// EXEC SQL, without a precompiler.
    Sql,
    /// The copybook of a BMS map is missing.
    Map,
    /// A member of COPY is missing.
    Member,
    /// It has other faults.
    Faulty,
}

impl PartState {
    fn word(self) -> &'static str {
        match self {
            PartState::Ok => "ok",
            PartState::Sql => "SQL",
            PartState::Map => "map missing",
            PartState::Member => "member missing",
            PartState::Faulty => "faulty",
        }
    }
}

/// A program or a package: a part of the configuration that may be faulty while all else serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The program's name, or the package's file.
    pub name: String,
    /// Its state.
    pub state: PartState,
    /// Its file, with the line of its first fault.
    pub place: String,
}

/// The names of programs and packages.
#[derive(Clone, Debug, Default)]
pub struct PartNames {
    /// The used ones.
    pub used: BTreeSet<String>,
    /// The faulty ones.
    pub faulty: BTreeSet<String>,
}

/// The beginning of the message of a copybook's finding.
fn of_code(code: &str) -> String {
    format!("[{code}] ")
}

/// All faults, with the texts that they refer to.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    problems: Vec<Problem>,
    texts: Vec<(String, String)>,
    /// The programs and packages.
    parts: Vec<Part>,
    /// The faults of the part that is being read, if a part is being read.
    of_part: Option<Vec<Problem>>,
    /// The file whose further problems are ignored.
    closed: Option<String>,
}

impl Problems {
    /// Stores a file's text, so that faults in it can be shown.
    pub fn text(&mut self, file: &str, text: &str) {
        if !self.texts.iter().any(|(known, _)| known == file) {
            self.texts.push((file.to_owned(), text.to_owned()));
        }
    }

    /// Adds an error. Without a span, it is an error of the file as a whole.
    pub fn add(&mut self, file: &str, span: Option<Range<usize>>, message: impl Into<String>) {
        let severity = Severity::Error;
        self.push(Problem { severity, file: file.to_owned(), span, message: message.into(), help: None });
    }

    /// Adds a warning about a file as a whole.
    pub fn warn(&mut self, file: &str, message: impl Into<String>) {
        let severity = Severity::Warning;
        self.push(Problem {
            severity,
            file: file.to_owned(),
            span: None,
            message: message.into(),
            help: None,
        });
    }

    /// Adds a fault of a whole line.
    pub fn add_line(&mut self, file: &str, line: usize, message: impl Into<String>) {
        let span = self.span_of_line(file, line);
        self.add(file, span, message);
    }

    /// The bytes of a line of a known file, without the blanks around it.
    pub fn span_of_line(&self, file: &str, line: usize) -> Option<Range<usize>> {
        self.text_of(file).and_then(|text| line_span(text, line))
    }

    /// Adds a finding of a copybook's parser. The file's text must be known.
    pub fn copybook(&mut self, file: &str, diagnostic: copybook::Diagnostic) {
        self.push(Problem {
            severity: match diagnostic.severity {
                copybook::Severity::Error => Severity::Error,
                copybook::Severity::Warning => Severity::Warning,
            },
            file: file.to_owned(),
            span: Some(diagnostic.place.span),
            message: format!("{}{}", of_code(diagnostic.code), diagnostic.message),
            help: diagnostic.help,
        });
    }

    /// Errors from here on are those of a part, up to [`Problems::end_part`].
    pub fn begin_part(&mut self) {
        self.of_part = Some(Vec::new());
    }

    /// The errors of the part, with those that were already known.
    pub fn end_part(&mut self) -> Vec<Problem> {
        self.of_part.take().unwrap_or_default()
    }

    /// Adds a program or a package to the table.
    pub fn add_part(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// A problem's file, with its line if it has one.
    pub fn place_of(&self, problem: &Problem) -> String {
        let line = self.line_of(problem).map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line}", problem.file)
    }

    /// The number of programs and packages that are not used.
    pub fn faulty_part_count(&self) -> usize {
        self.faulty_parts().count()
    }

    fn faulty_parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| part.state != PartState::Ok)
    }

    /// The names of the programs and packages, used and not used.
    pub fn part_names(&self) -> PartNames {
        let names = |is_ok| {
            let chosen = self.parts.iter().filter(move |part| (part.state == PartState::Ok) == is_ok);
            chosen.map(|part| part.name.clone()).collect()
        };
        PartNames { used: names(true), faulty: names(false) }
    }

    /// Takes over the errors of some files from another reading, as those of a part, and the warnings beside
    /// them.
    pub fn take_part(&mut self, from: &Problems, is_in: impl Fn(&str) -> bool) -> Vec<Problem> {
        self.begin_part();
        let told = |problem: &&Problem| matches!(problem.severity, Severity::Error | Severity::Warning);
        for problem in from.problems.iter().filter(told) {
            if is_in(&problem.file) {
                if let Some(text) = from.text_of(&problem.file) {
                    self.text(&problem.file, text);
                }
                self.push(problem.clone());
            }
        }
        self.end_part()
    }

    /// The faults of a file, or of the files in a package: the file in the package, if there is one, and the
    /// message.
    #[must_use]
    pub fn of_file(&self, file: &str) -> Vec<String> {
        let is_fault = |problem: &&Problem| problem.severity != Severity::Warning;
        let of_file = |problem: &Problem| {
            let rest = problem.file.strip_prefix(file)?;
            match rest.strip_prefix('!') {
                Some(inner) => Some(format!("{inner}: {}", problem.message)),
                None => rest.is_empty().then(|| problem.message.clone()),
            }
        };
        self.problems.iter().filter(is_fault).filter_map(of_file).collect()
    }

    /// A table of all programs and packages; none if all are used.
    pub fn table(&self) -> Option<String> {
        self.faulty_parts().next()?;
        let head = ["name", "state", "place"];
        let rows = self.parts.iter().map(|part| [part.name.as_str(), part.state.word(), part.place.as_str()]);
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let (name, state) = (width(0), width(1));
        let lines = rows.iter().map(|row| format!("{:name$}  {:state$}  {}", row[0], row[1], row[2]));
        Some(lines.collect::<Vec<_>>().join("\n"))
    }

    /// Ignores further problems of a file. They could follow from the faults that were left out.
    pub fn close(&mut self, file: &str) {
        self.closed = Some(file.to_owned());
    }

    /// Adds a problem, unless the same one is known or its file is closed.
    pub fn push(&mut self, mut problem: Problem) {
        if self.closed.as_ref() == Some(&problem.file) {
            return;
        }
        if let Some(of_part) = self.of_part.as_mut().filter(|_| problem.severity == Severity::Error) {
            problem.severity = Severity::Part;
            of_part.push(problem.clone());
        }
        // The same fault is found again if two services share a copybook.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// True if a copybook has a finding with this code.
    pub fn has_code(&self, code: &str) -> bool {
        self.problems.iter().any(|problem| problem.message.starts_with(&of_code(code)))
    }

    /// True if there are no problems.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// The number of problems that prevent serving.
    pub fn error_count(&self) -> usize {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
    }

    /// The files that have errors, in the form that is shown to people.
    pub fn faulty_files(&self) -> Vec<String> {
        let errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        errors.map(|problem| problem.file.clone()).collect()
    }

    /// Only the faults of programs and packages, as errors.
    pub fn into_errors(mut self) -> Self {
        self.problems.retain(|problem| problem.severity == Severity::Part);
        self.problems.iter_mut().for_each(|problem| problem.severity = Severity::Error);
        self
    }

    /// All but the warnings.
    #[must_use]
    pub fn without_warnings(&self) -> Self {
        let mut rest = self.clone();
        rest.problems.retain(|problem| problem.severity != Severity::Warning);
        rest
    }

    /// All problems in the form for people, with the table of programs and packages if some of them are not
    /// used.
    pub fn told(&self) -> String {
        let parts = [Some(self.render(false)).filter(|text| !text.is_empty()), self.table()];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }

    fn text_of(&self, file: &str) -> Option<&str> {
        self.texts.iter().find(|(known, _)| known == file).map(|(_, text)| text.as_str())
    }

    /// The line of a fault, from 1.
    pub fn line_of(&self, problem: &Problem) -> Option<usize> {
        let start = problem.span.as_ref()?.start;
        let text = self.text_of(&problem.file)?;
        Some(text.as_bytes()[..start.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1)
    }

    /// All problems, in the order in which they were found.
    pub fn all(&self) -> &[Problem] {
        &self.problems
    }

    /// All problems in the form for people: message, file and line, the line itself with carets, help.
    pub fn render(&self, colour: bool) -> String {
        self.render_first(colour, usize::MAX)
    }

    /// The same for at most `max` problems, with a count of the others.
    pub fn render_first(&self, colour: bool, max: usize) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let mut shown: Vec<String> =
            self.problems.iter().take(max).map(|problem| self.render_one(problem, &renderer)).collect();
        if self.problems.len() > max {
            shown.push(format!("... and {} more of {}", self.problems.len() - max, self.problems.len()));
        }
        shown.join("\n\n")
    }

    /// All problems in the form for programs: each problem in a line with its place.
    pub fn lines(&self) -> String {
        let line = |problem: &Problem| {
            let kind = if problem.severity == Severity::Warning { " (warning)" } else { "" };
            let help = problem.help.as_ref().map(|help| format!("\n  help: {help}")).unwrap_or_default();
            format!("{}: {}{kind}{help}", self.place_of(problem), problem.message)
        };
        self.problems.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn render_one(&self, problem: &Problem, renderer: &Renderer) -> String {
        let level = match problem.severity {
            Severity::Error | Severity::Part => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level.primary_title(&problem.message);
        let text = self.text_of(&problem.file);
        let mut group = match (text, &problem.span) {
            (Some(text), Some(span)) => {
                let span = text.floor_char_boundary(span.start)..text.ceil_char_boundary(span.end);
                let span = span.start..span.end.max(span.start);
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
pub fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The starts of the lines of a text, for looking up many places.
#[derive(Clone, Debug)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// The lines of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(ends.map(|(at, _)| at + 1).collect())
    }

    /// The line of a byte, from 1, as [`line_at`] gives it.
    #[must_use]
    pub fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_text_are_those_of_its_places() {
        for text in ["", "a", "a\nb\n", "\n\nc", "ä\r\nb"] {
            let lines = Lines::of(text);
            for offset in 0..text.len() + 2 {
                assert_eq!(lines.at(offset), line_at(text, offset), "{text:?} {offset}");
            }
        }
    }

    #[test]
    fn only_the_first_problems_are_shown_and_the_others_counted() {
        let mut problems = Problems::default();
        for number in 0..23 {
            problems.add("gantry.toml", None, format!("fault {number}"));
        }
        let shown = problems.render_first(false, 20);
        assert!(shown.contains("fault 19") && !shown.contains("fault 20"), "{shown}");
        assert!(shown.ends_with("... and 3 more of 23"), "{shown}");
        assert!(problems.render(false).ends_with("gantry.toml") && problems.all().len() == 23);
    }
}
