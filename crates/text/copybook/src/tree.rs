//! From entries to records: level numbers decide the group of each item.

use std::collections::HashSet;

use crate::Condition;
use crate::codes;
use crate::entry::Entry;
use crate::report::Report;

/// One record: its items in the order of the text, the root first.
pub(crate) struct Record<'e> {
    pub(crate) name: String,
    pub(crate) items: Vec<Item<'e>>,
    /// Entries of level 66.
    pub(crate) renames: Vec<&'e Entry>,
    /// The record that this one redefines.
    pub(crate) redefines: Option<String>,
}

impl<'e> Record<'e> {
    fn new(name: &str, root: Item<'e>) -> Self {
        let redefines =
            root.entry.and_then(|entry| entry.redefines.as_ref()).map(|target| target.value.clone());
        Record { name: name.to_owned(), items: vec![root], renames: Vec::new(), redefines }
    }
}

/// One item of a record.
pub(crate) struct Item<'e> {
    /// None for the root of a copybook without a level 01.
    pub(crate) entry: Option<&'e Entry>,
    pub(crate) parent: Option<usize>,
    pub(crate) children: Vec<usize>,
    pub(crate) conditions: Vec<Condition>,
}

impl<'e> Item<'e> {
    fn new(entry: Option<&'e Entry>, parent: Option<usize>) -> Self {
        Item { entry, parent, children: Vec::new(), conditions: Vec::new() }
    }

    pub(crate) fn level(&self) -> u8 {
        self.entry.map_or(1, |entry| entry.level)
    }
}

/// Groups entries into records. `member` is the name of a record without a level 01.
pub(crate) fn records<'e>(member: &str, entries: &'e [Entry], report: &mut Report) -> Vec<Record<'e>> {
    let mut found: Vec<Record<'e>> = Vec::new();
    let mut above = 0;
    for entry in entries {
        match entry.level {
            88 if above == 66 => {
                report.error(codes::ORPHAN_CONDITION, &entry.span, "a level 88 cannot describe a level 66");
            }
            66 => add_rename(found.last_mut(), entry, report),
            88 => add_condition(found.last_mut(), entry, report),
            1 | 77 => found.push(Record::new(entry.shown(), Item::new(Some(entry), None))),
            _ => add_item(&mut found, member, entry),
        }
        if entry.level != 88 {
            above = entry.level;
        }
    }
    check_roots(&found, report);
    found
}

/// The record's name from the name of a file: without folders and ending, in upper case.
pub(crate) fn member_name(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let name = if stem.is_empty() { name } else { stem };
    name.to_uppercase()
}

/// An item is in the nearest group above it with a lower level number. Levels need not be even: in `03, 05,
/// 04` the 04 is beside the 05 and in the 03.
fn add_item<'e>(found: &mut Vec<Record<'e>>, member: &str, entry: &'e Entry) {
    let open = found.last().is_some_and(|record| record.items[0].level() == 1);
    if !open {
        found.push(Record::new(member, Item::new(None, None)));
    }
    let Some(record) = found.last_mut() else { return };
    let index = record.items.len();
    let mut parent = index - 1;
    while record.items[parent].level() >= entry.level
        && let Some(above) = record.items[parent].parent
    {
        parent = above;
    }
    record.items[parent].children.push(index);
    record.items.push(Item::new(Some(entry), Some(parent)));
}

fn add_rename<'e>(record: Option<&mut Record<'e>>, entry: &'e Entry, report: &mut Report) {
    match record {
        Some(record) => record.renames.push(entry),
        None => {
            report.error(codes::BAD_RENAMES, &entry.span, "a level 66 must follow the record it describes")
        }
    }
}

fn add_condition(record: Option<&mut Record<'_>>, entry: &Entry, report: &mut Report) {
    let Some(item) = record.and_then(|record| record.items.last_mut()).filter(|item| item.entry.is_some())
    else {
        report.error(codes::ORPHAN_CONDITION, &entry.span, "a level 88 must follow the item it describes");
        return;
    };
    if let Some(span) = entry.clause_of_item() {
        report.error(codes::CLAUSE_NOT_FOR_ITEM, span, "a level 88 has a VALUE clause only");
        return;
    }
    let (Some(name), Some(values)) = (&entry.name, &entry.values) else {
        if !entry.broken {
            report.error(codes::INCOMPLETE_CLAUSE, &entry.span, "a level 88 needs a name and a VALUE clause");
        }
        return;
    };
    // Values that could not be kept have been reported.
    if !values.value.is_empty() {
        item.conditions.push(Condition { name: name.clone(), values: values.value.clone() });
    }
}

/// Rules for the entries of level 01 and 77 themselves.
fn check_roots(records: &[Record<'_>], report: &mut Report) {
    let mut names: HashSet<&str> = HashSet::new();
    for record in records {
        let Some(entry) = record.items[0].entry else { continue };
        if let Some(occurs) = &entry.occurs {
            let message = format!("an item of level {:02} cannot have an OCCURS clause", entry.level);
            report.error(codes::CLAUSE_NOT_FOR_ITEM, &occurs.span, message);
        }
        if let Some(target) = entry.redefines.as_ref().filter(|target| !names.contains(target.value.as_str()))
        {
            let message = format!("expected the name of a record above, found {}", target.value);
            report.error(codes::BAD_REDEFINES, &target.span, message);
        }
        names.extend(entry.name.as_deref());
    }
}
