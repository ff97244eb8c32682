//! The clauses of an entry, in any order, except OCCURS and VALUE.

use std::borrow::Cow;
use std::ops::Range;

use super::constants::whole_number;
use super::{Parse, Parser, Skip, describe};
use crate::codes;
use crate::entry::{Entry, SignClause, Spanned, Usage};
use crate::layout::edit_distance;
use crate::picture::{self, Category, Picture};
use crate::renames::RenamesClause;
use crate::token::{Token, TokenKind};

/// Words that begin a clause.
const CLAUSE_WORDS: &[&str] = &[
    "PIC",
    "PICTURE",
    "USAGE",
    "OCCURS",
    "REDEFINES",
    "VALUE",
    "VALUES",
    "SIGN",
    "LEADING",
    "TRAILING",
    "SYNC",
    "SYNCHRONIZED",
    "JUST",
    "JUSTIFIED",
    "BLANK",
    "EXTERNAL",
    "GLOBAL",
    "GROUP-USAGE",
    "RENAMES",
    "VOLATILE",
    "BASED",
    "DISPLAY",
    "DISPLAY-1",
    "NATIONAL",
    "UTF-8",
    "BINARY",
    "PACKED-DECIMAL",
    "INDEX",
    "POINTER",
    "POINTER-32",
    "PROCEDURE-POINTER",
    "FUNCTION-POINTER",
    "OBJECT",
    "COMP",
    "COMP-1",
    "COMP-2",
    "COMP-3",
    "COMP-4",
    "COMP-5",
    "COMP-6",
    "COMP-X",
    "COMP-N",
    "COMPUTATIONAL",
    "COMPUTATIONAL-1",
    "COMPUTATIONAL-2",
    "COMPUTATIONAL-3",
    "COMPUTATIONAL-4",
    "COMPUTATIONAL-5",
    "COMPUTATIONAL-6",
    "COMPUTATIONAL-X",
    "COMPUTATIONAL-N",
    "BINARY-CHAR",
    "BINARY-SHORT",
    "BINARY-LONG",
    "BINARY-DOUBLE",
    "FLOAT-SHORT",
    "FLOAT-LONG",
];

/// True if a word begins a clause, and so cannot be the name of an entry.
pub(super) fn begins_clause(word: &str) -> bool {
    CLAUSE_WORDS.iter().any(|clause| clause.eq_ignore_ascii_case(word))
}

impl Parser<'_, '_> {
    /// Reads one clause; the next token is a word.
    pub(super) fn clause(&mut self, entry: &mut Entry) -> Parse<()> {
        let Some(token) = self.next() else { return Ok(()) };
        match token.text.to_ascii_uppercase().as_str() {
            "PIC" | "PICTURE" => self.picture(entry, token),
            "USAGE" => self.usage_clause(entry, token),
            "SQL" if self.peek().is_some_and(|token| token.is("TYPE")) => self.sql_type(entry, token),
            "GROUP-USAGE" => self.usage_clause(entry, token),
            "OCCURS" => self.occurs(entry, token),
            "REDEFINES" => self.redefines(entry, token),
            "VALUE" | "VALUES" => self.value(entry, token),
            "SIGN" | "LEADING" | "TRAILING" => self.sign(entry, token),
            "SYNC" | "SYNCHRONIZED" => {
                self.accept(&["LEFT", "RIGHT"]);
                self.mark(|entry| &mut entry.synchronized, entry, token)
            }
            "JUST" | "JUSTIFIED" => {
                self.accept(&["RIGHT"]);
                self.mark(|entry| &mut entry.justified, entry, token)
            }
            "BLANK" => {
                self.accept(&["WHEN"]);
                if !self.accept(&["ZERO", "ZEROS", "ZEROES"]) {
                    return Err(self.expected("BLANK WHEN ZERO"));
                }
                self.mark(|entry| &mut entry.blank_when_zero, entry, token)
            }
            "ANY" | "DYNAMIC" if self.accept(&["LENGTH"]) => {
                let message = "an item whose length is known only at run time has no layout";
                Err(self.fail(codes::UNKNOWN_CLAUSE, token, message))
            }
            "EXTERNAL" => self.external(),
            // These clauses say how storage is found or kept. They do not change the layout.
            "GLOBAL" | "VOLATILE" | "BASED" | "THREAD-LOCAL" | "IS" => Ok(()),
            "DATE" if self.accept(&["FORMAT"]) => self.date_format(),
            "RENAMES" => self.renames(entry, token),
            _ => self.bare_usage(entry, token),
        }
    }

    fn picture(&mut self, entry: &mut Entry, clause: &Token<'_>) -> Parse<()> {
        self.accept(&["IS"]);
        let Some(token) = self.peek().filter(|token| token.kind == TokenKind::Picture) else {
            return Err(self.expected("a PICTURE string"));
        };
        self.at += 1;
        let span = self.span(token);
        if entry.picture.is_some() {
            return Err(self.duplicate(clause));
        }
        let text = self.counted_picture(token)?;
        match picture::parse(&text, &self.symbols) {
            Ok(mut value) => {
                if let Some(warning) = value.warning {
                    self.report.warning(codes::LENIENT_PICTURE, &span, warning);
                }
                if self.peek().is_some_and(|token| token.is("BYTE-LENGTH")) {
                    self.byte_length(&mut value, &span)?;
                }
                entry.picture = Some(Spanned { value, span });
            }
            Err(problem) => {
                // One character of the string, so that the column points at it.
                let written = matches!(text, Cow::Borrowed(_));
                let start = token.span.start + if written { problem.at } else { 0 };
                let at = self.source.original(start..start + 1);
                self.report.error(problem.code, &at, problem.message);
                entry.broken = true;
            }
        }
        Ok(())
    }

    /// BYTE-LENGTH of a picture of U. The clause comes next.
    fn byte_length(&mut self, picture: &mut Picture, span: &Range<usize>) -> Parse<()> {
        self.at += 1;
        self.accept(&["IS"]);
        let bytes = self.byte_count()?;
        if picture.category != Category::Utf8 {
            let message = format!("BYTE-LENGTH goes with a picture of U, not with {}", picture.text);
            self.report.error(codes::CLAUSE_NOT_FOR_ITEM, span, message);
            return Ok(());
        }
        if picture.positions > 1 {
            let message = format!("the item has BYTE-LENGTH {bytes}, however many U its picture has");
            self.report.warning(codes::LENIENT_PICTURE, span, message);
        }
        picture.byte_length = Some(bytes as usize);
        Ok(())
    }

    fn byte_count(&mut self) -> Parse<u32> {
        let Some(token) = self.peek() else { return Err(self.expected("the number of bytes")) };
        let constant = self.constant_value(token)?;
        if constant.is_none() && token.kind != TokenKind::Number {
            return Err(self.expected("the number of bytes"));
        }
        self.at += 1;
        let count = constant.as_ref().map_or_else(|| token.text.parse().ok(), whole_number);
        count.filter(|count| *count > 0).ok_or_else(|| {
            self.fail(codes::BAD_PICTURE, token, "expected a number of bytes from 1 for BYTE-LENGTH")
        })
    }

    fn usage_clause(&mut self, entry: &mut Entry, clause: &Token<'_>) -> Parse<()> {
        self.accept(&["IS"]);
        match self.peek() {
            Some(token) if token.is("SQL") => {
                self.at += 1;
                self.sql_type(entry, token)
            }
            Some(token) if token.kind == TokenKind::Word && !token.is_any(&["PIC", "PICTURE"]) => {
                self.at += 1;
                self.usage(entry, token)
            }
            _ => {
                let expected = format!("a usage after {}", clause.text.to_ascii_uppercase());
                Err(self.expected(&expected))
            }
        }
    }

    /// A usage without the word USAGE, or a word that is not a clause at all.
    fn bare_usage(&mut self, entry: &mut Entry, token: &Token<'_>) -> Parse<()> {
        let upper = token.text.to_ascii_uppercase();
        let families = ["COMP-", "COMPUTATIONAL-", "BINARY-", "FLOAT-"];
        if Usage::of_word(&upper).is_some() || families.iter().any(|family| upper.starts_with(family)) {
            return self.usage(entry, token);
        }
        let nearest = nearest_word(&upper);
        let span = self.span(token);
        let message = format!("expected a clause or a period, found {}", describe(token));
        let help = nearest.map(|word| format!("did you mean {word}?"));
        self.report.error_with_help(codes::UNKNOWN_CLAUSE, &span, message, help);
        Err(Skip)
    }

    fn usage(&mut self, entry: &mut Entry, token: &Token<'_>) -> Parse<()> {
        let span = self.span(token);
        let Some(mut value) = Usage::of_word(token.text) else {
            let message = format!("the usage {} is not supported", token.text.to_ascii_uppercase());
            let help = Some(
                "IBM's are DISPLAY, COMP to COMP-5, BINARY, PACKED-DECIMAL, NATIONAL, UTF-8 and POINTER"
                    .to_owned(),
            );
            self.report.error_with_help(codes::UNSUPPORTED_USAGE, &span, message, help);
            return Err(Skip);
        };
        if value == Usage::ObjectReference {
            self.object_reference()?;
        }
        if let Usage::Integer { signed, .. } = &mut value {
            *signed &= !self.accept(&["UNSIGNED"]);
            self.accept(&["SIGNED"]);
        }
        self.accept(&["NATIVE"]);
        if entry.usage.is_some() {
            return Err(self.duplicate(token));
        }
        entry.usage = Some(Spanned { value, span });
        Ok(())
    }

    /// OBJECT REFERENCE and the class that may follow it.
    fn object_reference(&mut self) -> Parse<()> {
        if !self.accept(&["REFERENCE"]) {
            return Err(self.expected("OBJECT REFERENCE"));
        }
        let class =
            self.peek().is_some_and(|token| token.kind == TokenKind::Word && !begins_clause(token.text));
        self.at += usize::from(class);
        Ok(())
    }

    fn redefines(&mut self, entry: &mut Entry, clause: &Token<'_>) -> Parse<()> {
        let Some(token) = self.peek().filter(|token| token.kind == TokenKind::Word) else {
            return Err(self.expected("the name of the redefined item"));
        };
        self.at += 1;
        if entry.redefines.is_some() {
            return Err(self.duplicate(clause));
        }
        entry.redefines = Some(Spanned { value: token.text.to_ascii_uppercase(), span: self.span(token) });
        Ok(())
    }

    /// [SIGN [IS]] LEADING|TRAILING [SEPARATE [CHARACTER]].
    fn sign(&mut self, entry: &mut Entry, clause: &Token<'_>) -> Parse<()> {
        let leading = if clause.is("SIGN") {
            self.accept(&["IS"]);
            let leading = self.accept(&["LEADING"]);
            if !leading && !self.accept(&["TRAILING"]) {
                return Err(self.expected("LEADING or TRAILING"));
            }
            leading
        } else {
            clause.is("LEADING")
        };
        let separate = self.accept(&["SEPARATE"]);
        if separate {
            self.accept(&["CHARACTER"]);
        }
        if entry.sign.is_some() {
            return Err(self.duplicate(clause));
        }
        entry.sign = Some(Spanned { value: SignClause { leading, separate }, span: self.span_from(clause) });
        Ok(())
    }

    /// EXTERNAL [AS literal]: the name of the record for other programs. It does not change the layout.
    fn external(&mut self) -> Parse<()> {
        if self.accept(&["AS"]) {
            self.literal()?;
        }
        Ok(())
    }

    /// DATE FORMAT [IS] pattern, of older compilers. It is about the years in arithmetic, not about the
    /// storage.
    fn date_format(&mut self) -> Parse<()> {
        self.accept(&["IS"]);
        match self.name() {
            Some(_) => Ok(()),
            None => Err(self.expected("a date pattern")),
        }
    }

    /// RENAMES first [THRU last].
    fn renames(&mut self, entry: &mut Entry, clause: &Token<'_>) -> Parse<()> {
        if entry.level != 66 {
            return Err(self.fail(codes::UNKNOWN_CLAUSE, clause, "RENAMES belongs to an entry of level 66"));
        }
        let first = self.spanned_name("the name of the renamed item")?;
        let through = self.accept(&["THRU", "THROUGH"]);
        let last = if through { Some(self.spanned_name("the name of the last renamed item")?) } else { None };
        match entry.renames.replace(RenamesClause { first, last }) {
            None => Ok(()),
            Some(_) => Err(self.duplicate(clause)),
        }
    }

    /// A qualified name with its place. `what` describes it in a message if it is missing.
    pub(super) fn spanned_name(&mut self, what: &str) -> Parse<Spanned<Vec<String>>> {
        let Some(first) = self.peek() else { return Err(self.expected(what)) };
        match self.qualified_name() {
            Some(value) => Ok(Spanned { value, span: self.span_from(first) }),
            None => Err(self.expected(what)),
        }
    }

    /// A name and the groups that qualify it, innermost first.
    fn qualified_name(&mut self) -> Option<Vec<String>> {
        let mut names = vec![self.name()?.text.to_ascii_uppercase()];
        while self.accept(&["OF", "IN"]) {
            names.push(self.name()?.text.to_ascii_uppercase());
        }
        Some(names)
    }

    /// Notes a clause that has no content of its own.
    fn mark(
        &mut self,
        slot: fn(&mut Entry) -> &mut Option<Range<usize>>,
        entry: &mut Entry,
        clause: &Token<'_>,
    ) -> Parse<()> {
        let span = self.span_from(clause);
        match slot(entry).replace(span) {
            None => Ok(()),
            Some(_) => Err(self.duplicate(clause)),
        }
    }

    pub(super) fn duplicate(&mut self, clause: &Token<'_>) -> Skip {
        let message =
            format!("the entry has a second clause of this kind, {}", clause.text.to_ascii_uppercase());
        self.fail(codes::DUPLICATE_CLAUSE, clause, message)
    }
}

/// The clause word that is closest to a misspelt word.
fn nearest_word(word: &str) -> Option<&'static str> {
    // A long word is not a misspelling, and comparing it costs its length.
    if word.len() > 30 {
        return None;
    }
    CLAUSE_WORDS
        .iter()
        .map(|clause| (edit_distance(clause, word), *clause))
        .filter(|(distance, _)| *distance <= (1 + word.len() / 3).min(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, clause)| clause)
}
