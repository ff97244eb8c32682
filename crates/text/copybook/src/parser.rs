//! From tokens to data description entries, with all errors: after an error, reading goes on at the next
//! period.

mod clauses;
mod constants;
mod occurs;
mod sql;
mod values;

pub use occurs::MAX_OCCURS;

use std::collections::HashMap;
use std::ops::Range;

use crate::Severity;
use crate::codes::{self, Code};
use crate::entry::Entry;
use crate::expand::Refused;
use crate::report::Report;
use crate::source::Source;
use crate::special_names::Symbols;
use crate::token::{Token, TokenKind};
use constants::Constant;

/// The most entries that one text may have.
pub const MAX_ENTRIES: usize = 50_000;

/// An error has been reported. The rest of the entry is skipped.
struct Skip;

type Parse<T> = Result<T, Skip>;

/// Reads the entries of a copybook, or of a section of a program.
pub(crate) fn entries<'a>(
    tokens: &'a [Token<'a>],
    source: &'a Source,
    symbols: Symbols,
    refused: &mut Refused,
    report: &mut Report,
) -> Vec<Entry> {
    let mut parser = Parser { tokens, at: 0, source, symbols, constants: HashMap::new(), refused, report };
    let mut found: Vec<Entry> = Vec::new();
    while let Some(token) = parser.peek() {
        if found.len() >= MAX_ENTRIES {
            let message = format!("expected at most {MAX_ENTRIES} entries");
            parser.fail(codes::TOO_MANY_ENTRIES, token, message);
            break;
        }
        match token.kind {
            TokenKind::Period => parser.at += 1,
            TokenKind::Number => {
                let Some(mut entry) = parser.entry() else { continue };
                let parts = std::mem::take(&mut entry.parts);
                found.push(entry);
                found.extend(parts);
            }
            _ if token.is_any(&["FD", "SD", "RD", "CD"]) => parser.skip_file_description(),
            _ if parser.at_embedded_code() => parser.skip_embedded(),
            _ if parser.includes_text() => {
                parser.refuse_include();
                parser.skip_include();
                // The missing clauses of the entry above may be in the missing text.
                if let Some(last) = found.last_mut() {
                    last.broken = true;
                }
            }
            _ => {
                let message = format!("expected a level number, found {}", describe(token));
                parser.fail(codes::EXPECTED_LEVEL, token, message);
                parser.skip_sentence();
            }
        }
    }
    found
}

struct Parser<'a, 'r> {
    tokens: &'a [Token<'a>],
    at: usize,
    source: &'a Source,
    symbols: Symbols,
    constants: HashMap<String, Constant>,
    refused: &'r mut Refused,
    report: &'r mut Report,
}

impl<'a> Parser<'a, '_> {
    fn entry(&mut self) -> Option<Entry> {
        let start = self.at;
        let first = self.next()?;
        let level = match first.text.parse::<u8>() {
            Ok(level @ (1..=49 | 66 | 77 | 78 | 88)) if first.text.len() <= 2 => level,
            _ => {
                let message =
                    format!("expected a level number from 01 to 49, 66, 77, 78 or 88, found {}", first.text);
                self.fail(codes::BAD_LEVEL, first, message);
                self.skip_sentence();
                return None;
            }
        };
        let name = self.name();
        if level == 78 || (level == 1 && self.accept(&["CONSTANT"])) {
            if self.constant(name).is_err() {
                self.skip_sentence();
            }
            return None;
        }
        if let Some(name) = name.filter(|name| name.text.starts_with('-') || name.text.ends_with('-')) {
            let message = format!("the name {} begins or ends with a hyphen", name.text);
            self.fail(codes::BAD_NAME, name, message);
        }
        let end = name.map_or(first.span.end, |token| token.span.end);
        let mut entry = Entry {
            level,
            spelling: name.map(|token| token.text.to_owned()),
            name: name.map(|token| token.text.to_ascii_uppercase()).filter(|name| name != "FILLER"),
            span: self.source.original(first.span.start..end),
            ..Entry::default()
        };
        if self.clauses(&mut entry).is_err() {
            entry.broken = true;
            self.skip_sentence();
        } else if self.check_cut(start).is_err() {
            entry.broken = true;
        }
        Some(entry)
    }

    /// The name of an entry. A word that begins a clause is not a name.
    fn name(&mut self) -> Option<&'a Token<'a>> {
        let token = self.peek().filter(|token| token.kind == TokenKind::Word)?;
        if clauses::begins_clause(token.text) {
            return None;
        }
        self.at += 1;
        Some(token)
    }

    /// The clauses of an entry up to its period.
    fn clauses(&mut self, entry: &mut Entry) -> Parse<()> {
        loop {
            let Some(token) = self.peek() else {
                self.missing_period(Severity::Warning);
                return Ok(());
            };
            match token.kind {
                TokenKind::Period => {
                    self.at += 1;
                    return Ok(());
                }
                TokenKind::Word if self.includes_text() => {
                    self.refuse_include();
                    return Err(Skip);
                }
                TokenKind::Word => self.clause(entry)?,
                TokenKind::Number if self.begins_entry() => {
                    self.missing_period(Severity::Error);
                    return Ok(());
                }
                _ => {
                    let message = format!("expected a clause or a period, found {}", describe(token));
                    let placeholder = token.text == ":";
                    let help =
                        placeholder.then(|| "replace the placeholders of COPY REPLACING first".to_owned());
                    let span = self.span(token);
                    let code = if placeholder { codes::PLACEHOLDER } else { codes::UNKNOWN_CLAUSE };
                    self.report.error_with_help(code, &span, message, help);
                    return Err(Skip);
                }
            }
        }
    }

    /// True at the level number of an unexpected entry: on a new line, before a name or a clause.
    fn begins_entry(&self) -> bool {
        let Some(token) = self.peek().filter(|token| token.kind == TokenKind::Number && token.first_on_line)
        else {
            return false;
        };
        let level = token.text.len() <= 2
            && token.text.parse::<u8>().is_ok_and(|level| matches!(level, 1..=49 | 66 | 77 | 78 | 88));
        let next = self.tokens.get(self.at + 1);
        level
            && next.is_some_and(|next| {
                next.kind == TokenKind::Word && !next.is_any(&["THRU", "THROUGH", "TIMES"])
            })
    }

    /// Reports a missing period. At the end of the text no clause can be lost. Before another entry, one may
    /// be.
    fn missing_period(&mut self, severity: Severity) {
        let Some(last) = self.at.checked_sub(1).map(|at| &self.tokens[at]) else { return };
        // If text was cut off, that is an error of its own.
        if !self.source.is_cut(last.span.start) {
            let span = self.span(last);
            match severity {
                Severity::Warning => {
                    let message = "the entry does not end with a period; one is assumed";
                    self.report.warning(codes::MISSING_PERIOD, &span, message);
                }
                Severity::Error => {
                    let message = "expected a period after this, for another entry begins below";
                    self.report.error(codes::MISSING_PERIOD, &span, message);
                }
            }
        }
    }

    /// An entry that goes on past a line with a period after column 72 has lost clauses there, or contains
    /// the entry below. Reading on would give a wrong layout.
    fn check_cut(&mut self, first: usize) -> Parse<()> {
        for at in first..self.at {
            let ends_line = self.tokens.get(at + 1).is_none_or(|next| next.first_on_line);
            let token = &self.tokens[at];
            if ends_line && token.kind != TokenKind::Period && self.source.is_cut(token.span.start) {
                let message = "expected a period before column 73; the rest of the line is ignored";
                return Err(self.fail(codes::PERIOD_CUT_OFF, token, message));
            }
        }
        Ok(())
    }

    /// True at an EXEC statement that does not describe data: a table of Db2, or the limits of a section with
    /// host variables. INCLUDE may insert data, except for the areas that Db2 adds on its own.
    fn at_embedded_code(&self) -> bool {
        let words = &self.tokens[self.at..];
        let includes = words.len() > 2 && words[1].is("SQL") && words[2].is("INCLUDE");
        let area = words.get(3).is_some_and(|token| token.is_any(&["SQLCA", "SQLDA"]));
        words[0].is("EXEC") && (!includes || area)
    }

    /// Moves past END-EXEC; a period may or may not follow.
    fn skip_embedded(&mut self) {
        while let Some(token) = self.next() {
            if token.is("END-EXEC") {
                return;
            }
        }
    }

    /// True at a statement that inserts text from elsewhere.
    fn includes_text(&self) -> bool {
        let Some(token) = self.peek() else { return false };
        token.is_any(&["COPY", "REPLACE", "EXEC", "-INC", "INCLUDE"])
            || (token.text == "+" && self.tokens.get(self.at + 1).is_some_and(|next| next.text == "+"))
    }

    fn refuse_include(&mut self) {
        let Some(token) = self.peek() else { return };
        let span = self.span(token);
        if let Some(refusal) = self.refused.take(span.start) {
            self.report.error_with_help(refusal.code, &refusal.span, refusal.message, refusal.help);
            return;
        }
        let name = self.tokens.get(self.at + 1).map_or("", |next| next.text);
        let message = format!("{} {name} is not expanded", token.text.to_ascii_uppercase());
        let help = Some("give the text with the member's lines in place of the statement".to_owned());
        self.report.error_with_help(codes::COPY_STATEMENT, &span, message, help);
    }

    /// Moves past a statement that inserts text. Statements of library managers end with their line.
    fn skip_include(&mut self) {
        if self.peek().is_some_and(|token| token.is_any(&["COPY", "REPLACE", "EXEC"])) {
            return self.skip_sentence();
        }
        self.at += 1;
        while self.peek().is_some_and(|token| !token.first_on_line) {
            self.at += 1;
        }
    }

    /// Moves past the period, or to the record below if the period is missing. The period of `FD name COPY
    /// member.` belongs to the COPY statement.
    fn skip_file_description(&mut self) {
        while let Some(token) = self.peek() {
            if token.text == "01" && self.begins_entry() {
                return;
            }
            self.at += 1;
            if token.kind == TokenKind::Period {
                return;
            }
        }
    }

    /// Moves past the next period.
    fn skip_sentence(&mut self) {
        while let Some(token) = self.next() {
            if token.kind == TokenKind::Period {
                return;
            }
        }
    }

    fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<&'a Token<'a>> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    /// Takes the next token if it is one of these words.
    fn accept(&mut self, words: &[&str]) -> bool {
        let found = self.peek().is_some_and(|token| token.is_any(words));
        self.at += usize::from(found);
        found
    }

    /// The bytes of a token in the original text.
    fn span(&self, token: &Token<'_>) -> Range<usize> {
        self.source.original(token.span.clone())
    }

    /// The bytes from one token up to the last one read, in the original text.
    fn span_from(&self, first: &Token<'_>) -> Range<usize> {
        let last = self.at.checked_sub(1).map_or(first, |at| &self.tokens[at]);
        self.source.original(first.span.start..last.span.end.max(first.span.end))
    }

    fn fail(&mut self, code: Code, token: &Token<'_>, message: impl Into<String>) -> Skip {
        let span = self.span(token);
        self.report.error(code, &span, message);
        Skip
    }

    /// Reports another token than the expected one.
    fn expected(&mut self, what: &str) -> Skip {
        let found = self.peek().map_or_else(|| "the end of the text".to_owned(), describe);
        let Some(token) = self.peek().or_else(|| self.tokens.last()) else { return Skip };
        self.fail(codes::INCOMPLETE_CLAUSE, token, format!("expected {what}, found {found}"))
    }
}

/// A token in a message.
fn describe(token: &Token<'_>) -> String {
    match token.kind {
        TokenKind::Period => "a period".to_owned(),
        TokenKind::Text(_) | TokenKind::Hex(_) | TokenKind::Integer(_) | TokenKind::BadLiteral(_) => {
            "a literal".to_owned()
        }
        _ => format!("'{}'", token.text),
    }
}
