//! Items of 4 bytes over an address. Addresses have 4 bytes on a mainframe and 8 here, so such an item sees
//! half of one: a program that reckons with it, or copies it, gets an address that leads nowhere.

use std::collections::HashMap;

use copybook::{Severity, Token, TokenKind};

use super::data::{Class, entries};
use super::units::Region;
use super::{Translator, codes};

/// Words for binary numbers.
const BINARY: &[&str] =
    &["COMP", "COMP-4", "COMP-5", "COMPUTATIONAL", "COMPUTATIONAL-4", "COMPUTATIONAL-5", "BINARY"];

/// The bytes of an address on a mainframe.
const MAINFRAME_BYTES: u32 = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pointer,
    /// It has 4 bytes, as addresses of a mainframe do.
    Short,
    Other,
}

impl Translator<'_> {
    /// Warns of redefinitions between a POINTER and an item of 4 bytes.
    pub(super) fn warn_of_short_addresses(&mut self, regions: &[Region]) {
        let mut kinds: HashMap<(usize, String), Kind> = HashMap::new();
        let mut found = Vec::new();
        for entry in entries(self.tokens, regions) {
            let kind = match entry.class() {
                Class::Pointer => Kind::Pointer,
                _ if bytes(entry.clauses) == Some(MAINFRAME_BYTES) => Kind::Short,
                _ => Kind::Other,
            };
            let key = |name: &Token<'_>| (entry.unit, name.text.to_ascii_uppercase());
            if let Some(redefined) = entry.redefined() {
                let other = kinds.get(&key(redefined)).copied();
                if matches!(
                    (kind, other),
                    (Kind::Short, Some(Kind::Pointer)) | (Kind::Pointer, Some(Kind::Short))
                ) {
                    found.push((entry.name, redefined.text.to_owned()));
                }
            }
            kinds.insert(key(&self.tokens[entry.name]), kind);
        }
        for (name, redefined) in found {
            let item = match &self.tokens[name] {
                token if token.is_any(&["FILLER", "REDEFINES"]) => "an item without a name",
                token => token.text,
            };
            let message = format!(
                "{item} and {redefined} share 4 bytes, but one is a POINTER, and addresses have 8 bytes here"
            );
            let help = "copy addresses with SET, and change them with SET ... UP BY and DOWN BY".to_owned();
            self.report(codes::SHORT_ADDRESS, name..name + 1, (message, Some(help)), Severity::Warning);
        }
    }
}

/// The bytes of an elementary item whose picture is X or 9 alone; none for other items.
fn bytes(clauses: &[Token<'_>]) -> Option<u32> {
    let picture = clauses.iter().find(|token| token.kind == TokenKind::Picture)?;
    let is_binary = clauses.iter().any(|token| token.is_any(BINARY));
    let has_other_usage =
        clauses.iter().any(|token| token.is_any(&["COMP-3", "PACKED-DECIMAL", "COMPUTATIONAL-3", "COMP-6"]));
    let count = places(picture.text)?;
    match (is_binary, has_other_usage) {
        (true, _) => match count {
            1..=4 => Some(2),
            5..=9 => Some(4),
            _ => Some(8),
        },
        (false, true) => None,
        (false, false) => Some(count),
    }
}

/// The places of a picture of X, A or 9, with or without a sign; none for other pictures.
fn places(picture: &str) -> Option<u32> {
    copybook::picture_symbols(picture)?.into_iter().try_fold(0_u32, |places, (symbol, count)| match symbol {
        'X' | 'A' | '9' => places.checked_add(count),
        'S' => Some(places),
        _ => None,
    })
}
