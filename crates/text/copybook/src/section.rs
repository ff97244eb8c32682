//! Finds the data description entries in a whole program. A copybook has only entries.

use std::collections::HashSet;
use std::ops::Range;

use crate::Section;
use crate::token::{Token, TokenKind};

/// The sections that describe data, in the order of the search for an interface: the data that a caller
/// passes, then the program's own data, then its files.
const SECTIONS: [(Section, &str); 4] = [
    (Section::Linkage, "LINKAGE"),
    (Section::WorkingStorage, "WORKING-STORAGE"),
    (Section::LocalStorage, "LOCAL-STORAGE"),
    (Section::File, "FILE"),
];

/// The tokens of the entries: those of the wanted section, else of the first section with a level 01. None if
/// the text is a program without such a section.
pub(crate) fn entries(tokens: &[Token<'_>], wanted: Option<Section>) -> Option<Range<usize>> {
    let found = find(tokens);
    if found.is_empty() {
        // Entries may stand alone, or before the code that uses them.
        let end = code(tokens);
        let alone = !has_division(&tokens[..end]) && (end == tokens.len() || has_record(&tokens[..end]));
        return alone.then_some(0..end);
    }
    SECTIONS
        .iter()
        .filter(|(section, _)| wanted.is_none_or(|wanted| wanted == *section))
        .filter_map(|(section, _)| found.iter().find(|(name, _)| name == section))
        .find(|(_, range)| has_record(&tokens[range.clone()]))
        .map(|(_, range)| range.clone())
}

/// The names that any entry of the text declares, in upper case.
pub(crate) fn declared(tokens: &[Token<'_>]) -> HashSet<String> {
    let pairs = tokens.windows(2).enumerate();
    let entries = pairs.filter(|(at, two)| two[0].kind == TokenKind::Number && starts_sentence(tokens, *at));
    let names = entries.filter(|(_, two)| two[1].kind == TokenKind::Word);
    names.map(|(_, two)| two[1].text.to_ascii_uppercase()).collect()
}

/// The sections of the text with the tokens in them.
fn find(tokens: &[Token<'_>]) -> Vec<(Section, Range<usize>)> {
    let mut found: Vec<(Section, Range<usize>)> = Vec::new();
    let mut open: Option<(Section, usize)> = None;
    for (at, token) in tokens.iter().enumerate() {
        let Some(next) = tokens.get(at + 1).filter(|_| starts_sentence(tokens, at)) else { continue };
        let ends = token.is("END") && next.is_any(&["PROGRAM", "FUNCTION", "CLASS", "METHOD"]);
        let division = ends || (token.is("PROCEDURE") && next.is("DIVISION"));
        if !next.is("SECTION") && !division {
            continue;
        }
        let section = SECTIONS.iter().find(|(_, name)| token.is(name));
        if let Some((open, start)) = open.take() {
            // In a senseless text the headings of two sections may share a word.
            found.push((open, start.min(at)..at));
        }
        if division {
            break;
        }
        // Goes past the heading and its period.
        let period = tokens.get(at + 2).is_some_and(|token| token.kind == TokenKind::Period);
        open = section.map(|(section, _)| (*section, at + 2 + usize::from(period)));
    }
    if let Some((open, start)) = open {
        found.push((open, start.min(tokens.len())..tokens.len()));
    }
    found
}

/// The start of the code, or the end of the program.
fn code(tokens: &[Token<'_>]) -> usize {
    let begins = |(at, two): &(usize, &[Token<'_>])| {
        let ends = two[0].is("END") && two[1].is_any(&["PROGRAM", "FUNCTION", "CLASS", "METHOD"]);
        starts_sentence(tokens, *at) && (ends || (two[0].is("PROCEDURE") && two[1].is("DIVISION")))
    };
    tokens.windows(2).enumerate().find(begins).map_or(tokens.len(), |(at, _)| at)
}

fn has_division(tokens: &[Token<'_>]) -> bool {
    tokens.windows(2).enumerate().any(|(at, two)| two[1].is("DIVISION") && starts_sentence(tokens, at))
}

fn has_record(tokens: &[Token<'_>]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        token.kind == TokenKind::Number
            && matches!(token.text, "01" | "1" | "77")
            && starts_sentence(tokens, at)
    })
}

fn starts_sentence(tokens: &[Token<'_>], at: usize) -> bool {
    tokens[at].first_on_line || at == 0 || tokens[at - 1].kind == TokenKind::Period
}
