//! STRING, UNSTRING, READ and RETURN into a group whose tables DEPEND ON counts of the group. It receives with its greatest length on
//! the mainframe, but for GnuCOBOL it has the length by the old count. So the group becomes the part of itself with the greatest
//! length. The counts cannot be changed before the statement, as for a MOVE: STRING leaves what it does not write.

use std::collections::HashSet;

use copybook::TokenKind;

use super::Translator;
use super::blocks::{Block, outside_of_blocks};
use super::calls::ends_statement;
use super::output::Edit;
use super::units::Region;
use super::varying::Varying;

/// The statements. Each names what receives behind INTO.
const RECEIVING: &[&str] = &["STRING", "UNSTRING", "READ", "RETURN"];

impl Translator<'_> {
    /// Gives such groups their greatest length.
    pub(super) fn receive_whole_groups(&mut self, regions: &[Region], blocks: &[Block], groups: &[Varying]) {
        let names: HashSet<&str> =
            groups.iter().filter(|group| group.has_counts).map(Varying::name).collect();
        if names.is_empty() {
            return;
        }
        for (at, region) in outside_of_blocks(regions, blocks) {
            let Region::Code(unit) = region else { continue };
            if !self.tokens[at].is_any(RECEIVING) {
                continue;
            }
            let ends = |next: &usize| {
                let token = &self.tokens[*next];
                // READ NEXT is no statement.
                let is_next =
                    token.is("NEXT") && !self.tokens.get(*next + 1).is_some_and(|two| two.is("SENTENCE"));
                token.kind == TokenKind::Period || ends_statement(token) && !is_next
            };
            let end = (at + 1..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
            let Some(into) = (at + 1..end).find(|next| self.tokens[*next].is("INTO")) else { continue };
            let groups = || groups.iter().filter(|group| group.unit == unit && group.has_counts);
            let mut next = into + 1;
            while next < end {
                let first = next;
                while self.tokens[..end].get(next + 1).is_some_and(|of| of.is_any(&["OF", "IN"])) {
                    next += 2;
                }
                next = (next + 1).min(end);
                let is_part = self.tokens.get(next).is_some_and(|behind| behind.text == "(");
                if let Some(group) = groups().find(|group| self.is_named(group, first..next) && !is_part) {
                    let behind = self.tokens[next - 1].span.end;
                    self.edits.push(Edit::inline(behind..behind, format!("(1:{})", group.bytes_max)));
                }
            }
        }
    }
}
