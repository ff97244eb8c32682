//! MOVE to a group with tables DEPENDING ON items of the group itself. The mainframe's compiler takes the greatest length of such a
//! group, because the counts are in the data that arrives. GnuCOBOL takes the length by the old counts, and the rest of the data is
//! lost. So the counts are set to their greatest values before the statement. The data then replaces them.

use std::collections::HashSet;
use std::ops::Range;

use copybook::{Field, FieldId, Kind, Layout, TokenKind};

use super::Translator;
use super::blocks::Block;
use super::calls::ends_statement;
use super::output::{Edit, Origin};
use super::units::Region;

/// A group that receives with its greatest length.
struct Varying {
    /// The program that declares it.
    unit: usize,
    /// Its name, and then those of the groups around it.
    path: Vec<String>,
    /// The names of all items of the record.
    names: HashSet<String>,
    /// The statements that set the counts.
    before: Vec<String>,
}

impl Translator<'_> {
    /// Sets the counts before each such MOVE.
    pub(super) fn move_whole_groups(&mut self, regions: &[Region], blocks: &[Block]) {
        let groups = self.varying_groups(regions);
        if groups.is_empty() {
            return;
        }
        let mut blocks = blocks.iter().peekable();
        for (at, region) in regions.iter().enumerate() {
            while blocks.next_if(|block| block.end <= at).is_some() {}
            let in_block = blocks.peek().is_some_and(|block| block.first <= at);
            let Region::Code(unit) = *region else { continue };
            if in_block || !self.tokens[at].is("MOVE") {
                continue;
            }
            let ends = |next: &usize| {
                let token = &self.tokens[*next];
                token.kind == TokenKind::Period || ends_statement(token)
            };
            let end = (at + 1..self.tokens.len()).find(ends).unwrap_or(self.tokens.len());
            let start = self.tokens[at].span.start;
            for group in groups.iter().filter(|group| group.unit == unit) {
                if self.is_received(group, at + 1..end) {
                    let lines = group.before.iter().map(|line| (Origin::Text(start), line.clone())).collect();
                    self.edits.push(Edit::lines(start..start, lines));
                }
            }
        }
    }

    /// The groups of all records.
    fn varying_groups(&self, regions: &[Region]) -> Vec<Varying> {
        let mut found = Vec::new();
        for (unit, record) in self.records(regions) {
            if !self.tokens[record.clone()].iter().any(|token| token.is("DEPENDING")) {
                continue;
            }
            let Some(layout) = self.layout(record) else { continue };
            let names: HashSet<String> = layout
                .fields()
                .iter()
                .filter(|field| !field.filler)
                .map(|field| field.name.clone())
                .collect();
            for (id, field) in layout.iter().filter(|(_, field)| !field.filler) {
                let before = counts(&layout, id, field);
                if !before.is_empty() {
                    let path = named_path(&layout, id);
                    found.push(Varying { unit, path, names: names.clone(), before });
                }
            }
        }
        found
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
            let qualifiers = (first + 2..=at).step_by(2);
            let names = |at: usize, name: &String| self.tokens[at].is(name);
            let is_group = self.tokens[first].kind == TokenKind::Word
                && names(first, &group.path[0])
                && qualifiers.clone().all(|at| group.path.iter().any(|name| names(at, name)))
                && self.tokens.get(at + 1).is_none_or(|next| next.text != "(");
            if is_group {
                own = Some(first..at + 1);
            }
            at += 1;
        }
        let Some(own) = own else { return false };
        !statement.clone().filter(|at| !own.contains(at)).any(|at| {
            let token = &self.tokens[at];
            token.kind == TokenKind::Word && group.names.contains(&token.text.to_ascii_uppercase())
        })
    }
}

/// The statements that give a group its greatest length. None if it has no table whose count is in the group, or other items of the
/// record follow it.
fn counts(layout: &Layout, id: FieldId, field: &Field) -> Vec<String> {
    let in_table = |id| layout.around(id).any(|around| layout.field(around).occurs.is_some());
    let is_last = field.offset + field.bytes == layout.max_bytes() && !in_table(id);
    if !is_last || field.children.is_empty() {
        return Vec::new();
    }
    let tables = layout.iter().filter(|(table, _)| layout.is_within(*table, id));
    let counts = tables.filter_map(|(_, table)| {
        let occurs = table.occurs?;
        let count = occurs.depending_on.filter(|count| layout.is_within(*count, id) && !in_table(*count))?;
        holds(layout.field(count), occurs.max)
            .then(|| format!("MOVE {} TO {}", occurs.max, named_path(layout, count).join(" OF ")))
    });
    counts.collect()
}

/// True if a count may have this value.
fn holds(count: &Field, value: u32) -> bool {
    match count.kind {
        Kind::Zoned { digits, scale: 0, .. }
        | Kind::Packed { digits, scale: 0, .. }
        | Kind::PackedUnsigned { digits, scale: 0 }
        | Kind::Binary { digits, scale: 0, .. } => {
            !count.filler && 10_u64.checked_pow(digits.into()).is_none_or(|beyond| u64::from(value) < beyond)
        }
        _ => false,
    }
}

/// The names of a field and the groups around it, in capitals.
fn named_path(layout: &Layout, id: FieldId) -> Vec<String> {
    let fields = layout.around(id).map(|around| layout.field(around));
    fields.filter(|field| !field.filler).map(|field| field.name.clone()).collect()
}
