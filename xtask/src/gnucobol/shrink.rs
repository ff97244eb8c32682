//! A record with a difference, made smaller as long as it has one.

use std::path::Path;

use super::compiler::{self, Dialect, Outcome};
use super::entry::{Entry, Kind, Record};
use super::verdict;

/// How often a record is made smaller: each round compiles all that are one step smaller together.
const ROUNDS_MAX: usize = 12;

/// The smallest record found that still has a difference, and what it is.
pub(crate) fn shrink(
    folder: &Path,
    record: Record,
    difference: String,
    dialect: Dialect,
) -> (Record, String) {
    let (mut record, mut difference) = (record, difference);
    for _ in 0..ROUNDS_MAX {
        let mut candidates = candidates(&record);
        for (number, candidate) in candidates.iter_mut().enumerate() {
            candidate.id = number;
        }
        let outcomes: Vec<Outcome> = compiler::run(folder, &candidates, dialect);
        let smaller = candidates.into_iter().zip(outcomes).find_map(|(candidate, outcome)| {
            // A refusal of the compiler, because something is missing now, is another fault.
            let refused = difference.starts_with(super::REFUSED);
            let found = verdict(&candidate, outcome, dialect).err()?;
            (found.starts_with(super::REFUSED) == refused).then_some((candidate, found))
        });
        let Some((smaller, found)) = smaller else { break };
        (record, difference) = (smaller, found);
    }
    (record, difference)
}

/// Records that are one step smaller: halves first, then without one entry, then with one that is simpler.
fn candidates(record: &Record) -> Vec<Record> {
    let mut found = Vec::new();
    let count = record.entries.len();
    if count > 2 {
        for half in [0..count / 2, count / 2..count] {
            let entries = record.entries[half].to_vec();
            found.push(Record { entries, ..record.clone() });
        }
    }
    for entries in smaller(&record.entries) {
        found.push(Record { entries, ..record.clone() });
    }
    found.retain(is_whole);
    found
}

/// Lists of entries that are one step smaller.
fn smaller(entries: &[Entry]) -> Vec<Vec<Entry>> {
    let mut found = Vec::new();
    for at in 0..entries.len() {
        let replaced = |by: &[Entry]| [&entries[..at], by, &entries[at + 1..]].concat();
        found.push(replaced(&[]));
        let entry = &entries[at];
        if !entry.children.is_empty() && entry.occurs.is_none() && entry.redefines.is_none() {
            found.push(replaced(&entry.children));
        }
        for children in smaller(&entry.children).into_iter().filter(|children| !children.is_empty()) {
            found.push(replaced(&[Entry { children, ..entry.clone() }]));
        }
        if entry.occurs.is_some() {
            found.push(replaced(&[Entry { occurs: None, ..entry.clone() }]));
        }
        if !entry.conditions.is_empty() {
            found.push(replaced(&[Entry { conditions: Vec::new(), ..entry.clone() }]));
        }
        if entry.clauses.len() > 1 {
            let mut clauses = entry.clauses.clone();
            if clauses.pop_if(|last| last.starts_with("VALUE") || last.starts_with("SYNC")).is_some() {
                found.push(replaced(&[Entry { clauses, ..entry.clone() }]));
            }
        }
    }
    found
}

/// True if all counters and all redefined entries are still there.
fn is_whole(record: &Record) -> bool {
    let all = record.all();
    let has = |name: &String| all.iter().any(|entry| entry.name.as_ref() == Some(name));
    !all.is_empty()
        && redefinitions_follow(&record.entries)
        && all.iter().filter_map(|entry| entry.children.first()).all(|first| !first.is_synchronized())
        && all
            .iter()
            .filter(|entry| matches!(entry.value, Kind::Counter { .. }))
            .all(|counter| counts(&all, counter))
        && all.iter().all(|entry| {
            entry.occurs.as_ref().and_then(|occurs| occurs.counter.as_ref()).is_none_or(has)
                && entry.redefines.as_ref().is_none_or(has)
        })
}

/// True if a table depends on a counter: one of none is a field like others.
fn counts(all: &[&Entry], counter: &Entry) -> bool {
    all.iter().filter_map(|entry| entry.occurs.as_ref()).any(|occurs| occurs.counter == counter.name)
}

/// True if a redefinition stands right behind what it redefines, other views of it between them at most.
fn redefinitions_follow(entries: &[Entry]) -> bool {
    let mut last = None;
    entries.iter().all(|entry| {
        let follows = entry.redefines.is_none() || entry.redefines == last;
        if entry.redefines.is_none() {
            last.clone_from(&entry.name);
        }
        follows && redefinitions_follow(&entry.children)
    })
}

#[cfg(test)]
mod tests {
    use super::super::make;
    use super::candidates;

    #[test]
    fn every_step_makes_a_record_smaller_and_keeps_it_whole() {
        for id in 0..50 {
            let record = make::record(1, id);
            let size = |record: &super::Record| record.copybook().len();
            for smaller in candidates(&record) {
                assert!(size(&smaller) < size(&record), "{}{}", record.copybook(), smaller.copybook());
            }
        }
    }
}
