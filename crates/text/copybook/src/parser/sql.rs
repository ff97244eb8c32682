//! `SQL TYPE IS`: host variables that Db2's precompiler turns into items that COBOL knows (Db2 for z/OS,
//! "Host variables in COBOL"). The items have the precompiler's names.

use super::{Parse, Parser, Skip};
use crate::codes;
use crate::entry::{Entry, Spanned, Usage};
use crate::picture;
use crate::token::{Token, TokenKind};

/// The level of the items in a host variable.
const PART_LEVEL: u8 = 49;

/// An item within a host variable: the end of its name, its picture and its usage.
type Part = (&'static str, String, Option<Usage>);

impl Parser<'_, '_> {
    /// Reads the text behind SQL. `clause` is the word SQL. An elementary variable gets its picture here. The
    /// items of other variables go to [`Entry::parts`].
    pub(super) fn sql_type(&mut self, entry: &mut Entry, clause: &Token<'_>) -> Parse<()> {
        self.accept(&["TYPE"]);
        self.accept(&["IS"]);
        if self.accept(&["XML"]) && !self.accept(&["AS"]) {
            return Err(self.expected("XML AS and the type of its text"));
        }
        let Some(token) = self.peek().filter(|token| token.kind == TokenKind::Word) else {
            return Err(self.expected("an SQL type"));
        };
        self.at += 1;
        if entry.usage.is_some() || entry.picture.is_some() || !entry.parts.is_empty() {
            return Err(self.duplicate(clause));
        }
        let halfword = || Some(Usage::NativeBinary);
        let parts: Vec<Part> = match token.text.to_ascii_uppercase().as_str() {
            "BINARY" | "CHAR" => vec![("", format!("X({})", self.length()?), None)],
            "VARBINARY" | "VARCHAR" => {
                let text = format!("X({})", self.length()?);
                vec![("-LEN", "S9(4)".to_owned(), halfword()), ("-TEXT", text, None)]
            }
            "ROWID" => vec![("-LEN", "S9(4)".to_owned(), halfword()), ("-DATA", "X(40)".to_owned(), None)],
            "BLOB" | "CLOB" => lob(format!("X({})", self.length()?), None),
            "DBCLOB" => lob(format!("G({})", self.length()?), Some(Usage::Display1)),
            "BLOB-LOCATOR" | "CLOB-LOCATOR" | "DBCLOB-LOCATOR" => locator(),
            "RESULT-SET-LOCATOR" => {
                self.accept(&["VARYING"]);
                locator()
            }
            "TABLE" => {
                self.table_locator()?;
                locator()
            }
            "BLOB-FILE" | "CLOB-FILE" | "DBCLOB-FILE" => {
                let number = || "S9(9)".to_owned();
                vec![
                    ("-NAME-LENGTH", number(), Some(Usage::NativeBinary)),
                    ("-DATA-LENGTH", number(), Some(Usage::NativeBinary)),
                    ("-FILE-OPTION", number(), Some(Usage::NativeBinary)),
                    ("-NAME", "X(255)".to_owned(), None),
                ]
            }
            other => {
                let message = format!("the SQL type {other} is not supported");
                return Err(self.fail(codes::UNSUPPORTED_USAGE, token, message));
            }
        };
        self.set_parts(entry, clause, &parts)
    }

    /// TABLE LIKE name AS LOCATOR.
    fn table_locator(&mut self) -> Parse<()> {
        let named = self.accept(&["LIKE"]) && self.name().is_some();
        if named && self.accept(&["AS"]) && self.accept(&["LOCATOR"]) {
            return Ok(());
        }
        Err(self.expected("TABLE LIKE a table AS LOCATOR"))
    }

    /// A length in brackets: `(100)`, `(30K)`, `(2M)`, `(1G)`.
    fn length(&mut self) -> Parse<u32> {
        if self.peek().is_none_or(|token| token.text != "(") {
            return Err(self.expected("the length of the SQL type in brackets"));
        }
        self.at += 1;
        let Some(token) = self.peek() else { return Err(self.expected("a length")) };
        let digits = token.text.trim_end_matches(['K', 'k', 'M', 'm', 'G', 'g']);
        let shift = match token.text[digits.len()..].to_ascii_uppercase().as_str() {
            "" => Some(0),
            "K" => Some(10),
            "M" => Some(20),
            "G" => Some(30),
            _ => None,
        };
        let length =
            shift.zip(digits.parse::<u32>().ok()).and_then(|(shift, count)| count.checked_mul(1 << shift));
        let Some(length) = length.filter(|length| *length > 0) else {
            return Err(self.expected("a length, such as 100 or 30K"));
        };
        self.at += 1;
        if self.peek().is_none_or(|token| token.text != ")") {
            return Err(self.expected("')' after the length"));
        }
        self.at += 1;
        Ok(length)
    }

    /// Gives an elementary variable its picture and usage, and other variables the entries of their items.
    fn set_parts(&mut self, entry: &mut Entry, clause: &Token<'_>, parts: &[Part]) -> Parse<()> {
        let span = self.span_from(clause);
        for (ending, text, usage) in parts {
            let Ok(value) = picture::parse(text, &self.symbols) else { return Err(Skip) };
            let picture = Some(Spanned { value, span: span.clone() });
            let usage = usage.map(|value| Spanned { value, span: span.clone() });
            if ending.is_empty() {
                (entry.picture, entry.usage) = (picture, usage);
                continue;
            }
            let named = |name: &Option<String>| name.as_ref().map(|name| format!("{name}{ending}"));
            entry.parts.push(Entry {
                level: PART_LEVEL,
                name: named(&entry.name),
                spelling: named(&entry.spelling),
                span: entry.span.clone(),
                picture,
                usage,
                ..Entry::default()
            });
        }
        Ok(())
    }
}

fn lob(data: String, usage: Option<Usage>) -> Vec<Part> {
    vec![("-LENGTH", "S9(9)".to_owned(), Some(Usage::NativeBinary)), ("-DATA", data, usage)]
}

fn locator() -> Vec<Part> {
    vec![("", "S9(9)".to_owned(), Some(Usage::NativeBinary))]
}
