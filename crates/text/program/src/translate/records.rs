//! The records that programs declare, with their layouts.

use std::ops::Range;

use copybook::{Layout, PointerBytes, TokenKind};

use super::Translator;
use super::units::{Region, starts_sentence};

/// Words that begin something else than a record, in a section with records.
const DESCRIPTIONS: &[&str] = &["FD", "SD", "RD", "CD"];

/// A record: its program, and its tokens from the level on.
pub(super) type Record = (usize, Range<usize>);

impl Translator<'_> {
    /// The records of all programs.
    pub(super) fn records(&self, regions: &[Region]) -> Vec<Record> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let Region::Data(unit) = regions[at] else {
                at += 1;
                continue;
            };
            if !self.begins_record(at) {
                at += 1;
                continue;
            }
            let ends = |next: &usize| regions[*next] != regions[at] || self.ends_record(*next);
            let end = (at + 1..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
            found.push((unit, at..end));
            at = end;
        }
        found
    }

    /// The entries of items in a record: the tokens of their levels.
    pub(super) fn entries(&self, record: Range<usize>) -> Vec<usize> {
        record.filter(|at| self.level(*at).is_some()).collect()
    }

    /// The layout of a record. None if an entry has a fault.
    pub(super) fn layout(&self, record: Range<usize>) -> Option<Layout> {
        self.program.record(self.tokens, record, PointerBytes::EightAndIndexFour)
    }

    fn begins_record(&self, at: usize) -> bool {
        matches!(self.level(at), Some(1 | 77))
    }

    fn ends_record(&self, at: usize) -> bool {
        let is_heading = || self.tokens.get(at + 1).is_some_and(|next| next.is_any(&["SECTION", "DIVISION"]));
        self.begins_record(at)
            || (starts_sentence(self.tokens, at) && (self.tokens[at].is_any(DESCRIPTIONS) || is_heading()))
    }

    /// The level of the entry that begins at a token, if it is that of an item. A line may also begin with a number of a VALUE.
    fn level(&self, at: usize) -> Option<u8> {
        let token = &self.tokens[at];
        let before = at.checked_sub(1).map(|before| &self.tokens[before]);
        let is_first = before.is_none_or(|before| before.kind == TokenKind::Period || before.is("END-EXEC"));
        let is_level = token.kind == TokenKind::Number && token.text.len() <= 2;
        let level = token.text.parse().ok().filter(|_| is_level && is_first)?;
        matches!(level, 1..=49 | 77).then_some(level)
    }
}
