//! Missing periods. The mainframe's compiler assumes them and goes on (IGYDS1082-E), but GnuCOBOL does not:
//! after headings, PROGRAM-ID and entries, and at the ends of paragraphs and programs.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use copybook::{Severity, TokenKind};

use super::output::Edit;
use super::units::{Region, starts_sentence};
use super::{Translator, codes};

/// The words that may follow the name in a PROGRAM-ID paragraph.
const ATTRIBUTES: &[&str] = &["IS", "INITIAL", "COMMON", "RECURSIVE", "PROGRAM"];

/// The words that may follow the name in a data description. A number that begins a line may also belong to
/// the clause before it. Then other words follow, such as TIMES and THRU.
const CLAUSES: &[&str] = &[
    "PIC",
    "PICTURE",
    "REDEFINES",
    "OCCURS",
    "VALUE",
    "VALUES",
    "USAGE",
    "COMP",
    "COMP-1",
    "COMP-2",
    "COMP-3",
    "COMP-4",
    "COMP-5",
    "BINARY",
    "PACKED-DECIMAL",
    "POINTER",
    "INDEX",
    "SYNC",
    "SIGN",
    "GLOBAL",
    "EXTERNAL",
];

/// After these words a number is not a level number.
const BEFORE_NUMBERS: &[&str] = &[
    "VALUE",
    "VALUES",
    "IS",
    "ARE",
    "OCCURS",
    "TO",
    "THRU",
    "THROUGH",
    "OF",
    "IN",
    "ASCENDING",
    "DESCENDING",
    "CONTAINS",
    "LINAGE",
    "RECORD",
    "BLOCK",
    "RESERVE",
    "FROM",
    "SIZE",
];

/// Before these words a number is not a level number.
const AFTER_NUMBERS: &[&str] = &[
    "CHARACTER",
    "CHARACTERS",
    "RECORD",
    "RECORDS",
    "AREA",
    "AREAS",
    "LINE",
    "LINES",
    "MODULES",
    "TIMES",
    "ZERO",
    "ZEROS",
    "ZEROES",
    "SPACE",
    "SPACES",
    "QUOTE",
    "QUOTES",
    "NULL",
    "NULLS",
    "ALL",
    "HIGH-VALUE",
    "HIGH-VALUES",
    "LOW-VALUE",
    "LOW-VALUES",
];

/// The columns where names of paragraphs begin.
const AREA_A: RangeInclusive<u32> = 8..=11;

const DIVISIONS: &[&str] = &["IDENTIFICATION", "ID", "ENVIRONMENT", "DATA", "PROCEDURE"];

const SECTIONS: &[&str] =
    &["CONFIGURATION", "INPUT-OUTPUT", "FILE", "WORKING-STORAGE", "LOCAL-STORAGE", "LINKAGE"];

impl Translator<'_> {
    /// Inserts the periods, each with a warning.
    pub(super) fn assume_periods(&mut self, regions: &[Region]) {
        let labels = self.labels_performed(regions);
        for at in 1..self.tokens.len() {
            if matches!(regions[at - 1], Region::Code(_)) && self.ends_code(at, &labels) {
                self.assume_period(at);
                continue;
            }
            let in_declarations = matches!(regions[at], Region::Identification(_) | Region::Data(_));
            let begins_code = matches!(regions[at], Region::Code(_)) && regions[at - 1] != regions[at];
            let is_missing = !self.is_period(at - 1) && !self.is_period(at);
            // The text before may be a comment paragraph, which ends anyhow.
            // So does a block of SQL, whose entries are whole.
            let after_entry =
                matches!(regions[at - 1], Region::Data(_)) && !self.tokens[at - 1].is("END-EXEC");
            let begins =
                after_entry && self.tokens[at].first_on_line && (self.is_heading(at) || self.is_entry(at));
            if (in_declarations || begins_code) && is_missing && (begins || self.needs_period_before(at)) {
                self.assume_period(at);
            }
        }
        let last = self.tokens.len().saturating_sub(1);
        if matches!(regions.last(), Some(Region::Code(_))) && !self.is_period(last) {
            self.add_period(last, "the end of the program");
        }
    }

    /// The names after PERFORM, THRU and GO TO, in capitals.
    fn labels_performed(&self, regions: &[Region]) -> HashSet<String> {
        let is_jump = |at: usize| {
            self.tokens[at].is_any(&["PERFORM", "THRU", "THROUGH", "GO"])
                || (self.tokens[at].is("TO") && at > 0 && self.tokens[at - 1].is("GO"))
        };
        let jumps =
            (0..self.tokens.len()).filter(|at| matches!(regions[*at], Region::Code(_)) && is_jump(*at));
        jumps.filter_map(|at| self.tokens.get(at + 1)).map(|token| token.text.to_ascii_uppercase()).collect()
    }

    /// True if code ends before a token without a period. A performed paragraph or section begins there, or
    /// the program ends.
    fn ends_code(&self, at: usize, labels: &HashSet<String>) -> bool {
        let [first, second, ..] = &self.tokens[at..] else { return false };
        if !first.first_on_line || self.is_period(at - 1) {
            return false;
        }
        let heads = second.kind == TokenKind::Period || second.is("SECTION");
        (first.is("END") && second.is("PROGRAM"))
            || (heads
                && labels.contains(&first.text.to_ascii_uppercase())
                && AREA_A.contains(&self.program.place(&first.span).column))
    }

    /// True if a token follows PROGRAM-ID, its name and attributes, or a heading. Neither it nor the token before is a period.
    fn needs_period_before(&self, at: usize) -> bool {
        let after_paragraph_name =
            self.tokens[at - 1].is("PROGRAM-ID") && starts_sentence(self.tokens, at - 1);
        let after_heading = at >= 2 && self.is_heading(at - 2);
        // The attributes of a program may be on lines of their own.
        let is_next = self.tokens[at].first_on_line && !self.tokens[at].is_any(ATTRIBUTES);
        after_paragraph_name || (is_next && (after_heading || self.ends_program_id(at)))
    }

    /// True if the heading of a division or of a section in front of the code begins at a token.
    fn is_heading(&self, at: usize) -> bool {
        let [first, second, ..] = &self.tokens[at..] else { return false };
        (second.is("DIVISION") && first.is_any(DIVISIONS)) || (second.is("SECTION") && first.is_any(SECTIONS))
    }

    fn is_entry(&self, at: usize) -> bool {
        let [level, name, after, ..] = &self.tokens[at..] else { return false };
        let is_level = matches!(level.text.parse(), Ok(1..=49 | 66 | 77 | 88_u8));
        is_level
            && level.kind == TokenKind::Number
            && !name.is_any(AFTER_NUMBERS)
            && !self.tokens[at - 1].is_any(BEFORE_NUMBERS)
            && name.kind == TokenKind::Word
            && !name.is_any(&CLAUSES[2..])
            && (after.kind == TokenKind::Period || after.is_any(CLAUSES) || name.is_any(CLAUSES))
    }

    /// True if a token follows the name of a program and its attributes.
    fn ends_program_id(&self, at: usize) -> bool {
        let nearest = at.saturating_sub(ATTRIBUTES.len() + 1);
        let before = self.tokens[nearest..at].iter().rposition(|token| !token.is_any(ATTRIBUTES));
        let Some(name) = before.map(|name| nearest + name).filter(|name| *name > 0) else { return false };
        let word = name - 1 - usize::from(self.is_period(name - 1) && name > 1);
        self.tokens[word].is("PROGRAM-ID") && starts_sentence(self.tokens, word)
    }

    fn is_period(&self, at: usize) -> bool {
        self.tokens[at].kind == TokenKind::Period
    }

    /// Inserts a period in front of a token.
    fn assume_period(&mut self, at: usize) {
        let next = self.tokens[at].text;
        self.add_period(at - 1, next);
    }

    /// Inserts a period behind a token.
    fn add_period(&mut self, at: usize, next: &str) {
        let last = &self.tokens[at];
        let end = last.span.end;
        let message = format!("expected a period before {next}, found {}: one is assumed", last.text);
        self.report(codes::NO_PERIOD, at..at + 1, (message, None), Severity::Warning);
        self.edits.push(Edit::inline(end..end, ".".to_owned()));
    }
}
