//! MOVE to a group with tables DEPENDING ON items of the group itself. It receives with its greatest length on the mainframe. Here the
//! rest of the data would be lost. So the counts are set to their greatest values before the statement. The data then replaces them.

use std::collections::HashSet;
use std::ops::Range;

use copybook::TokenKind;

use super::Translator;
use super::blocks::{Block, outside_of_blocks};
use super::calls::ends_statement;
use super::output::{Edit, Origin};
use super::units::Region;
use super::varying::Varying;

impl Translator<'_> {
    /// Sets the counts before each such MOVE.
    pub(super) fn move_whole_groups(&mut self, regions: &[Region], blocks: &[Block], groups: &[Varying]) {
        let names: HashSet<&str> = groups.iter().map(Varying::name).collect();
        if names.is_empty() {
            return;
        }
        for (at, region) in outside_of_blocks(regions, blocks) {
            let Region::Code(unit) = region else { continue };
            if !self.tokens[at].is("MOVE") {
                continue;
            }
            let ends = |next: &usize| {
                let token = &self.tokens[*next];
                token.kind == TokenKind::Period || ends_statement(token)
            };
            let end = (at + 1..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
            let statement = &self.tokens[at + 1..end];
            if !statement.iter().any(|token| names.contains(&*token.text.to_ascii_uppercase())) {
                continue;
            }
            let start = self.tokens[at].span.start;
            for group in groups.iter().filter(|group| group.unit == unit && !group.fill.is_empty()) {
                if self.is_received(group, at + 1..end) {
                    let lines = group.fill.iter().map(|line| (Origin::Text(start), line.clone())).collect();
                    self.edits.push(Edit::lines(start..start, lines));
                }
            }
        }
    }

    /// True if a MOVE, by its tokens behind the verb, moves to this group, and nothing else in it is of the group's record.
    fn is_received(&self, group: &Varying, statement: Range<usize>) -> bool {
        let is = |at: usize, words: &[&str]| statement.contains(&at) && self.tokens[at].is_any(words);
        if is(statement.start, &["CORRESPONDING", "CORR"]) {
            return false;
        }
        let Some(to) = statement.clone().find(|at| is(*at, &["TO"])) else { return false };
        let mut own = None;
        let mut at = to + 1;
        while at < statement.end {
            let first = at;
            while is(at + 1, &["OF", "IN"]) && statement.contains(&(at + 2)) {
                at += 2;
            }
            at += 1;
            let is_part = self.tokens.get(at).is_some_and(|next| next.text == "(");
            if self.is_named(group, first..at) && !is_part {
                own = Some(first..at);
            }
        }
        let Some(own) = own else { return false };
        !statement.clone().filter(|at| !own.contains(at)).any(|at| {
            let token = &self.tokens[at];
            token.kind == TokenKind::Word && group.names.contains(&token.text.to_ascii_uppercase())
        })
    }
}
