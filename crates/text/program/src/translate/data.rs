//! The kind of item of a data name, as far as one entry shows it: enough to refuse a group where CICS needs a
//! number.

use std::collections::HashMap;

use copybook::{Token, TokenKind};

use super::units::{Region, starts_sentence};

/// The kinds of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// It has items of its own below it.
    Group,
    /// Characters.
    Text,
    /// Characters of UTF-16.
    National,
    /// An address.
    Pointer,
    /// Anything else, or several different items with one name.
    Other,
}

/// The record of the EXEC interface block.
pub(super) const EIB: &str = "DFHEIBLK";

/// The record of the commarea.
pub(super) const COMMAREA: &str = "DFHCOMMAREA";

/// The most tokens of an entry that are read.
const CLAUSE_TOKENS_MAX: usize = 200;

/// Words that give an item a type without a PICTURE.
const TYPES: &[&str] = &[
    "COMP-1",
    "COMP-2",
    "COMPUTATIONAL-1",
    "COMPUTATIONAL-2",
    "PROCEDURE-POINTER",
    "FUNCTION-POINTER",
    "INDEX",
    "OBJECT",
    "BINARY-CHAR",
    "BINARY-SHORT",
    "BINARY-LONG",
    "BINARY-DOUBLE",
    "FLOAT-SHORT",
    "FLOAT-LONG",
    "SQL",
    "CONSTANT",
    "TYPE",
    "LIKE",
];

/// The data of all programs.
#[derive(Default)]
pub(super) struct Data {
    names: HashMap<String, Class>,
    /// Programs that declare records themselves which the translator would declare: the program, the name,
    /// the name's token.
    declared: Vec<(usize, &'static str, usize)>,
}

impl Data {
    /// The kind of a name, if it is declared.
    pub(super) fn class(&self, name: &str) -> Option<Class> {
        self.names.get(&name.to_ascii_uppercase()).copied()
    }

    /// The token of the name in a program's own declaration of a record.
    pub(super) fn declared(&self, unit: usize, name: &str) -> Option<usize> {
        self.declared.iter().find(|known| known.0 == unit && known.1 == name).map(|known| known.2)
    }
}

/// An entry of a DATA DIVISION with a word behind its level: its name, FILLER, or the first clause.
pub(super) struct Entry<'e, 't> {
    /// The program that has it.
    pub unit: usize,
    /// The token behind the level.
    pub name: usize,
    word: &'e Token<'t>,
    /// All tokens behind this one, up to the period.
    pub clauses: &'e [Token<'t>],
}

impl<'e, 't> Entry<'e, 't> {
    /// The kind of the item.
    pub(super) fn class(&self) -> Class {
        class(self.clauses.iter())
    }

    /// The name of the item that this one redefines.
    pub(super) fn redefined(&self) -> Option<&'e Token<'t>> {
        if self.word.is("REDEFINES") {
            return self.clauses.first();
        }
        let at = self.clauses.iter().position(|token| token.is("REDEFINES"))?;
        self.clauses.get(at + 1)
    }
}

/// All entries of all programs.
pub(super) fn entries<'e, 't>(
    tokens: &'e [Token<'t>],
    regions: &'e [Region],
) -> impl Iterator<Item = Entry<'e, 't>> {
    (0..tokens.len().saturating_sub(1)).filter_map(|at| {
        let Region::Data(unit) = regions[at] else { return None };
        let is_level = tokens[at].kind == TokenKind::Number
            && matches!(tokens[at].text.parse::<u8>(), Ok(1..=49 | 77))
            && starts_sentence(tokens, at);
        let word = &tokens[at + 1];
        if !is_level || word.kind != TokenKind::Word {
            return None;
        }
        let behind = &tokens[at + 2..(at + 2 + CLAUSE_TOKENS_MAX).min(tokens.len())];
        let end = behind.iter().position(|token| token.kind == TokenKind::Period).unwrap_or(behind.len());
        Some(Entry { unit, name: at + 1, word, clauses: &behind[..end] })
    })
}

/// Reads the data of all programs.
pub(super) fn read(tokens: &[Token<'_>], regions: &[Region]) -> Data {
    let mut data = Data::default();
    for entry in entries(tokens, regions).filter(|entry| !entry.word.is("FILLER")) {
        let class = entry.class();
        let known = data.names.entry(entry.word.text.to_ascii_uppercase()).or_insert(class);
        if *known != class {
            *known = Class::Other;
        }
        if let Some(record) = [EIB, COMMAREA].into_iter().find(|record| entry.word.is(record)) {
            data.declared.push((entry.unit, record, entry.name));
        }
    }
    data
}

fn class<'c, 't: 'c>(clauses: impl Iterator<Item = &'c Token<'t>>) -> Class {
    let mut typed = false;
    for token in clauses {
        if token.is_any(&["POINTER", "POINTER-32"]) {
            return Class::Pointer;
        }
        if token.kind == TokenKind::Picture {
            return match token.text {
                text if text.contains(['X', 'x', 'A', 'a']) => Class::Text,
                text if text.starts_with(['N', 'n']) => Class::National,
                _ => Class::Other,
            };
        }
        typed |= token.is_any(TYPES);
    }
    if typed { Class::Other } else { Class::Group }
}
