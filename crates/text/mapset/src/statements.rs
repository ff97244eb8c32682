//! Lines of assembler source to statements: name, operation and operands, with continuation lines joined.
//!
//! An assembler wants continuation marks in column 72 and their text from column 16. Sources that went
//! through an editor on another system often miss both by a column. So operands that end with a comma also
//! go on in the next line, if it begins with a blank.

use crate::{Fault, Limits};

/// The column of the continuation mark, from 0.
const MARK_COLUMN: usize = 71;

/// The column at which continued text begins, from 0.
const CONTINUED_COLUMN: usize = 15;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    /// Its first line, from 1.
    pub line: usize,
    /// Empty if it has none.
    pub name: String,
    /// In capitals.
    pub operation: String,
    /// Without remarks.
    pub operands: String,
}

/// True if a text is the source of a mapset: one of its statements is DFHMSD or DFHMDI.
pub fn is_source(text: &str) -> bool {
    heads(text).any(|(_, operation)| is_one_of(operation, &["DFHMSD", "DFHMDI"]))
}

/// The names of mapsets in a text, which may have faults.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    heads(text)
        .filter(|(name, operation)| !name.is_empty() && is_one_of(operation, &["DFHMSD"]))
        .map(|(name, _)| name)
}

/// Names and operations of the lines that can begin a statement.
fn heads(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_name = |name: &str| name.is_empty() || name.starts_with(|first: char| first.is_ascii_alphabetic());
    text.lines()
        .map(|line| head(cut(line).0))
        .filter(move |(name, ..)| is_name(name))
        .map(|(name, operation, _)| (name, operation))
}

fn is_one_of(operation: &str, names: &[&str]) -> bool {
    names.iter().any(|name| operation.eq_ignore_ascii_case(name))
}

/// True for the macros of a mapset, in capitals.
fn is_macro(operation: &str) -> bool {
    ["DFHMSD", "DFHMDI", "DFHMDF"].contains(&operation)
}

/// Columns 1 to 71 of a line, and the mark behind them.
fn cut(line: &str) -> (&str, Option<char>) {
    match line.char_indices().nth(MARK_COLUMN) {
        Some((at, mark)) => (&line[..at], Some(mark)),
        None => (line, None),
    }
}

/// Name, operation, and the rest of a line.
fn head(line: &str) -> (&str, &str, &str) {
    let (name, rest) = match line.starts_with([' ', '\t']) {
        true => ("", line),
        false => line.split_at(line.find([' ', '\t']).unwrap_or(line.len())),
    };
    let rest = rest.trim_start_matches([' ', '\t']);
    let (operation, rest) = rest.split_at(rest.find([' ', '\t']).unwrap_or(rest.len()));
    (name, operation, rest)
}

/// All statements of a source. Comments and the lines of a job around the source are left out.
///
/// # Errors
/// The source or a statement is too long, or a quotation does not end.
pub(crate) fn statements(text: &str, limits: &Limits) -> Result<Vec<Statement>, Fault> {
    if text.len() > limits.source_max_bytes {
        let (most, found) = (limits.source_max_bytes, text.len());
        let message = format!("expected at most {most} bytes (source_max_bytes), found {found}");
        return Err(Fault { line: 1, message });
    }
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, Line::new(line))).peekable();
    let mut statements = Vec::new();
    while let Some((number, line)) = lines.next() {
        if line.is_comment() || line.text.trim().is_empty() {
            continue;
        }
        let (name, operation, rest) = head(&line.text);
        let mut operands = Operands::default();
        operands.add(rest.trim_start());
        let mut is_marked = line.is_marked;
        while is_marked || operands.are_open() {
            let continues = |next: &Line| next.can_continue() && (is_marked || !next.is_macro());
            let Some((_, next)) = lines.next_if(|(_, next)| next.is_comment() || continues(next)) else {
                break;
            };
            // Comments between the lines of a statement are an error for an assembler, but do no harm.
            if next.is_comment() {
                continue;
            }
            operands.add(next.continued(operands.quoted));
            is_marked = next.is_marked;
            if operands.text.len() > limits.statement_max_bytes {
                let most = limits.statement_max_bytes;
                let message = format!("expected a statement of at most {most} bytes (statement_max_bytes)");
                return Err(Fault { line: number, message });
            }
        }
        let operation = operation.to_ascii_uppercase();
        if operands.quoted && is_macro(&operation) {
            let message = "expected the closing quotation mark of an operand".to_owned();
            return Err(Fault { line: number, message });
        }
        statements.push(Statement {
            line: number,
            name: name.to_owned(),
            operation,
            operands: operands.text,
        });
    }
    Ok(statements)
}

/// A line with its continuation mark taken off.
struct Line {
    /// Columns 1 to 71.
    text: String,
    is_marked: bool,
}

impl Line {
    fn new(line: &str) -> Self {
        let (text, mark) = cut(line);
        Self { text: text.to_owned(), is_marked: mark.is_some_and(|mark| !mark.is_whitespace()) }
    }

    /// True for comments, and for the lines of a job.
    fn is_comment(&self) -> bool {
        ["*", ".*", "//", "/*"].iter().any(|start| self.text.starts_with(start))
    }

    fn can_continue(&self) -> bool {
        self.text.starts_with([' ', '\t']) && !self.text.trim().is_empty()
    }

    /// True if the line begins a macro without a name.
    fn is_macro(&self) -> bool {
        let (name, operation, _) = head(&self.text);
        name.is_empty() && is_macro(&operation.to_ascii_uppercase())
    }

    /// The text that continues another line. Within quotation marks blanks from column 16 on belong to it.
    fn continued(&self, quoted: bool) -> &str {
        let first = self.text.len() - self.text.trim_start().len();
        let column = self.text.char_indices().nth(CONTINUED_COLUMN).map_or(first, |(at, _)| at);
        &self.text[if quoted { first.min(column) } else { first }..]
    }
}

/// Operands that grow line by line.
#[derive(Default)]
struct Operands {
    text: String,
    /// True within quotation marks.
    quoted: bool,
    /// True behind the blank that ends them. All that follows are remarks.
    ended: bool,
}

impl Operands {
    /// Adds the operands of a line. A blank outside of quotation marks ends them, but for one behind a comma:
    /// this one only begins a remark.
    fn add(&mut self, line: &str) {
        if self.ended {
            return;
        }
        for character in line.chars() {
            match character {
                '\'' => self.quoted = !self.quoted,
                ' ' | '\t' if !self.quoted => {
                    self.ended = !self.text.ends_with(',');
                    break;
                }
                _ => {}
            }
            self.text.push(character);
        }
    }

    /// True if something must follow.
    fn are_open(&self) -> bool {
        self.quoted || self.text.ends_with(',')
    }
}
