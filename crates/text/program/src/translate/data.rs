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

/// Reads the data of all programs.
pub(super) fn read(tokens: &[Token<'_>], regions: &[Region]) -> Data {
    let mut data = Data::default();
    for at in 0..tokens.len().saturating_sub(1) {
        let Region::Data(unit) = regions[at] else { continue };
        let is_level = tokens[at].kind == TokenKind::Number
            && matches!(tokens[at].text.parse::<u8>(), Ok(1..=49 | 77))
            && starts_sentence(tokens, at);
        let name = &tokens[at + 1];
        if !is_level || name.kind != TokenKind::Word || name.is("FILLER") {
            continue;
        }
        let clauses = tokens[at + 2..].iter().take(CLAUSE_TOKENS_MAX);
        let clauses = clauses.take_while(|token| token.kind != TokenKind::Period);
        let class = class(clauses);
        let known = data.names.entry(name.text.to_ascii_uppercase()).or_insert(class);
        if *known != class {
            *known = Class::Other;
        }
        if let Some(record) = [EIB, COMMAREA].into_iter().find(|record| name.is(record)) {
            data.declared.push((unit, record, at + 1));
        }
    }
    data
}

fn class<'t>(clauses: impl Iterator<Item = &'t Token<'t>>) -> Class {
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
