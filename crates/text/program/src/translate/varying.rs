//! Groups with tables DEPENDING ON an item. For the mainframe's compiler such a group has its greatest length where data arrives,
//! because the count is in the data. For GnuCOBOL it has the length by the old count.

use std::collections::HashSet;
use std::ops::Range;

use copybook::{Field, FieldId, Kind, Layout, TokenKind};

use super::Translator;
use super::records::Record;

/// A group with such a table at the end of its record.
pub(super) struct Varying {
    /// The program that declares it.
    pub(super) unit: usize,
    /// Its name, and then those of the groups around it, in capitals.
    path: Vec<String>,
    /// The names of all items of the record.
    pub(super) names: HashSet<String>,
    /// The statements that give the counts within the group their greatest values.
    pub(super) fill: Vec<String>,
    /// Its greatest length.
    pub(super) bytes_max: usize,
    /// All counts of its tables are in it, so that it receives with its greatest length on the mainframe.
    pub(super) has_counts: bool,
}

impl Varying {
    /// Its name, in capitals.
    pub(super) fn name(&self) -> &str {
        &self.path[0]
    }
}

impl Translator<'_> {
    /// The groups of these records.
    pub(super) fn varying_groups(&self, records: &[Record]) -> Vec<Varying> {
        let mut found = Vec::new();
        for (unit, record) in records.iter().cloned() {
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
            for (id, field) in layout.iter().filter(|(id, field)| !field.filler && varies(&layout, *id)) {
                found.push(Varying {
                    unit,
                    path: named_path(&layout, id),
                    names: names.clone(),
                    fill: counts(&layout, id),
                    bytes_max: field.bytes,
                    has_counts: tables(&layout, id).all(|(_, count)| layout.is_within(count, id)),
                });
            }
        }
        found
    }

    /// True if a name, perhaps with qualifiers, is that of a group.
    pub(super) fn is_named(&self, group: &Varying, mut tokens: Range<usize>) -> bool {
        let is = |at: usize, name: &String| self.tokens[at].is(name);
        let Some(first) = tokens.next() else { return false };
        self.tokens[first].kind == TokenKind::Word
            && is(first, &group.path[0])
            && tokens.len().is_multiple_of(2)
            && tokens.step_by(2).all(|at| {
                self.tokens[at].is_any(&["OF", "IN"]) && group.path.iter().any(|name| is(at + 1, name))
            })
    }
}

/// True if a group has a table DEPENDING ON an item, and no other items of the record follow it.
fn varies(layout: &Layout, id: FieldId) -> bool {
    let field = layout.field(id);
    let is_last = field.offset + field.bytes == layout.max_bytes() && !is_in_table(layout, id);
    is_last && !field.children.is_empty() && tables(layout, id).next().is_some()
}

/// The tables within a group, with the greatest number of rows and the count.
fn tables(layout: &Layout, group: FieldId) -> impl Iterator<Item = (u32, FieldId)> {
    let within = layout.iter().filter(move |(table, _)| layout.is_within(*table, group));
    within.filter_map(|(_, table)| table.occurs.and_then(|occurs| Some((occurs.max, occurs.depending_on?))))
}

fn is_in_table(layout: &Layout, id: FieldId) -> bool {
    layout.around(id).any(|around| layout.field(around).occurs.is_some())
}

/// The statements that set the counts within a group.
fn counts(layout: &Layout, group: FieldId) -> Vec<String> {
    let own = tables(layout, group)
        .filter(|(_, count)| layout.is_within(*count, group) && !is_in_table(layout, *count))
        .filter(|(most, count)| holds(layout.field(*count), *most));
    own.map(|(most, count)| format!("MOVE {most} TO {}", named_path(layout, count).join(" OF "))).collect()
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
