//! The OCCURS clause.

use super::clauses::begins_clause;
use super::constants::whole_number;
use super::{Parse, Parser, Skip};
use crate::codes;
use crate::entry::{Entry, OccursClause, Spanned};
use crate::token::{Token, TokenKind};

/// The most rows that a table may have.
pub const MAX_OCCURS: u32 = 16_777_215;

/// Words that end a list of key or index names, besides those that begin a clause.
const PHRASE_WORDS: &[&str] = &["ASCENDING", "DESCENDING", "INDEXED", "DEPENDING", "IS"];

impl Parser<'_, '_> {
    /// OCCURS [m TO] n [TIMES] [DEPENDING [ON] counter] [keys] [indexes].
    pub(super) fn occurs(&mut self, entry: &mut Entry, clause: &Token<'_>) -> Parse<()> {
        let first = self.row_count()?;
        let second = if self.accept(&["TO"]) { Some(self.row_count()?) } else { None };
        self.accept(&["TIMES"]);
        let mut depending_on = None;
        loop {
            match self.peek() {
                Some(token) if token.is("DEPENDING") && depending_on.is_none() => {
                    depending_on = Some(self.depending_on()?);
                }
                Some(token) if token.is_any(&["ASCENDING", "DESCENDING"]) => {
                    self.at += 1;
                    self.accept(&["KEY"]);
                    self.accept(&["IS"]);
                    self.names()?;
                }
                Some(token) if token.is("INDEXED") => {
                    self.at += 1;
                    self.accept(&["BY"]);
                    self.names()?;
                }
                _ => break,
            }
        }
        let span = self.span_from(clause);
        let value = self.table(clause, (first, second), depending_on)?;
        if entry.occurs.is_some() {
            return Err(self.duplicate(clause));
        }
        entry.occurs = Some(Spanned { value, span });
        Ok(())
    }

    /// Checks the numbers and fills in the missing ones.
    fn table(
        &mut self,
        clause: &Token<'_>,
        (first, second): (u32, Option<u32>),
        depending_on: Option<Spanned<Vec<String>>>,
    ) -> Parse<OccursClause> {
        let max = second.unwrap_or(first);
        let span = self.span_from(clause);
        let min = match (second, &depending_on) {
            (Some(_), Some(_)) => first,
            (None, None) => max,
            // So say IBM and Micro Focus.
            (None, Some(_)) => 1,
            (Some(_), None) => {
                let message =
                    format!("OCCURS {first} TO {max} has no DEPENDING ON; always {max} rows are assumed");
                self.report.warning(codes::OCCURS_ASSUMED, &span, message);
                max
            }
        };
        if max == 0 || first > max {
            let message =
                format!("expected at least one row and a range that ascends, found {first} to {max}");
            self.report.error(codes::BAD_OCCURS, &span, message);
            return Err(Skip);
        }
        Ok(OccursClause { min, max, depending_on })
    }

    fn row_count(&mut self) -> Parse<u32> {
        let Some(token) = self.peek() else { return Err(self.expected("the number of rows")) };
        if token.is("UNBOUNDED") {
            let message = "a table without a greatest number of rows has no layout";
            let help = Some("write the greatest number that occurs in place of UNBOUNDED".to_owned());
            let span = self.span(token);
            self.report.error_with_help(codes::BAD_OCCURS, &span, message, help);
            return Err(Skip);
        }
        if let Some(constant) = self.constant_value(token)? {
            self.at += 1;
            let rows = whole_number(&constant).filter(|rows| *rows <= MAX_OCCURS);
            return rows.ok_or(()).map_err(|()| self.not_whole(token.text, token));
        }
        if token.kind != TokenKind::Number {
            return Err(self.expected("the number of rows"));
        }
        self.at += 1;
        match token.text.parse::<u32>() {
            Ok(count) if count <= MAX_OCCURS => Ok(count),
            _ => {
                let message = format!("expected a number of rows up to {MAX_OCCURS}, found {}", token.text);
                Err(self.fail(codes::BAD_OCCURS, token, message))
            }
        }
    }

    fn depending_on(&mut self) -> Parse<Spanned<Vec<String>>> {
        self.at += 1;
        self.accept(&["ON"]);
        self.spanned_name("the name of the counter")
    }

    /// A list of names of keys or indexes. They are for searches of the program, not for the layout.
    fn names(&mut self) -> Parse<()> {
        let start = self.at;
        while let Some(token) = self.peek() {
            if token.kind != TokenKind::Word || begins_clause(token.text) || token.is_any(PHRASE_WORDS) {
                break;
            }
            self.at += 1;
        }
        if self.at == start { Err(self.expected("a name")) } else { Ok(()) }
    }
}
