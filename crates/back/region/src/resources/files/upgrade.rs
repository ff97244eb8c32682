//! The upgrade set of a file: its alternate indexes change with its records, in the same unit of work, and are built for records
//! that were there before.

use std::ops::Bound;

use store::{Direction, ErrorKind, Keyed, Unit};
use wire::{Name, shown};

use super::paths::Index;
use super::rebuild::check_may_change;
use super::{FileDefinition, OpenFile, known_otherwise, layouts};
use crate::resources::durable::Opened;
use crate::resources::trouble::Trouble;

/// How many entries are committed together when an index is built.
const BUILD_UNIT_ENTRIES: usize = 10_000;

/// A record before and after a change; none where it does not exist.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<'c> {
    pub(super) key: &'c [u8],
    pub(super) before: Option<&'c [u8]>,
    pub(super) after: Option<&'c [u8]>,
}

impl OpenFile {
    pub(super) fn has_indexes(&self) -> bool {
        !self.indexes.is_empty()
    }

    /// The keys of unique indexes that a change takes or frees, with the number of the index: to be locked before.
    pub(super) fn unique_keys(&self, change: Change<'_>) -> Vec<(usize, Vec<u8>)> {
        let mut keys = Vec::new();
        for (number, index) in self.indexes.iter().enumerate().filter(|(_, index)| index.unique) {
            let [before, after] =
                [change.before, change.after].map(|record| record.and_then(|record| index.key_in(record)));
            if before != after {
                keys.extend(before.into_iter().chain(after).map(|key| (number, key.to_vec())));
            }
        }
        // Whoever locks several locks them in one order.
        keys.sort();
        keys
    }

    pub(super) fn lock_unique(
        &self,
        unit: &mut Unit,
        (number, key): &(usize, Vec<u8>),
    ) -> store::Result<store::Locking> {
        self.indexes[*number].lock(unit, key)
    }

    /// True if the record may change: no other record has one of its unique keys.
    pub(super) fn is_free(&self, unit: &Unit, change: Change<'_>) -> store::Result<bool> {
        for index in self.indexes.iter() {
            let key = change.after.and_then(|record| index.key_in(record));
            let before = change.before.and_then(|record| index.key_in(record));
            if let Some(key) = key
                && before != Some(key)
                && index.is_taken(unit, key)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Has all indexes follow a change of the records.
    pub(super) fn upgrade(&self, unit: &mut Unit, change: Change<'_>) -> store::Result<()> {
        for index in self.indexes.iter() {
            let [before, after] = [change.before, change.after]
                .map(|record| record.filter(|record| index.key_in(record).is_some()));
            if before.and_then(|record| index.key_in(record)) == after.and_then(|record| index.key_in(record))
            {
                continue;
            }
            if let Some(before) = before {
                index.remove(unit, before, change.key)?;
            }
            if let Some(after) = after {
                index.add(unit, after, change.key)?;
            }
        }
        Ok(())
    }
}

/// Opens the indexes of a file, and builds those that do not fit its records.
///
/// # Errors
/// The reason for people: the store fails; it has units in doubt when an index must be built; a file has the
/// name of a path; or two records have the same unique key.
pub(super) fn open(
    base: &OpenFile,
    paths: &[&FileDefinition],
    opened: &Opened,
) -> Result<Vec<Index>, String> {
    let layouts = layouts(opened).map_err(|trouble| trouble.message)?;
    forget_others(base.definition.name, paths, &layouts, opened)
        .map_err(|trouble| format!("file {}: {}", shown(&base.definition.name), trouble.message))?;
    let mut indexes = Vec::new();
    for file in paths {
        let Some(path) = &file.path else { continue };
        let at = |message: String| format!("file {}: {message}", shown(&file.name));
        discard_other_order(file, &layouts, opened).map_err(at)?;
        let index = Index::open(file.name, path, opened).map_err(|error| at(error.to_string()))?;
        opened.use_space(&Index::definition(file.name, path).name);
        build(base, &index, &layout(file), &layouts, opened).map_err(|trouble| at(trouble.message))?;
        indexes.push(index);
    }
    Ok(indexes)
}

/// The form of an index, to compare with its records.
fn layout(file: &FileDefinition) -> String {
    let Some(path) = &file.path else { return String::new() };
    let unique = if path.unique { "unique " } else { "" };
    format!(
        "{}{} by {} {unique}bytes at offset {}",
        PATH_OF,
        shown(&path.base),
        path.key_bytes,
        path.key_offset
    )
}

/// How the layout of a path begins.
pub(super) const PATH_OF: &str = "path of ";

/// Forgets indexes that are no longer defined, because they will not follow the records.
fn forget_others(
    base: Name<8>,
    paths: &[&FileDefinition],
    layouts: &Keyed,
    opened: &Opened,
) -> Result<(), Trouble> {
    let mut unit = opened.store.unit()?;
    forget(base, |name| paths.iter().all(|path| path.name != *name), layouts, &mut unit)?;
    Ok(unit.syncpoint()?)
}

/// Forgets indexes of a file by their names: where one is defined, it is built anew.
pub(super) fn forget(
    base: Name<8>,
    which: impl Fn(&[u8]) -> bool,
    layouts: &Keyed,
    unit: &mut Unit,
) -> store::Result<()> {
    let own = format!("{PATH_OF}{} by ", shown(&base));
    let mut last: Option<Vec<u8>> = None;
    loop {
        let from = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let Some(found) = unit.browse(layouts, from, Direction::Forward)? else { return Ok(()) };
        if found.value.starts_with(own.as_bytes()) && which(&found.key) {
            unit.delete(layouts, &found.key)?;
        }
        last = Some(found.key);
    }
}

/// Deletes an index that is in another order than it is defined with: it is built anew.
fn discard_other_order(file: &FileDefinition, layouts: &Keyed, opened: &Opened) -> Result<(), String> {
    let Some(path) = &file.path else { return Ok(()) };
    let wanted = Index::definition(file.name, path);
    let kept = opened.store.definitions().into_iter().find(|known| known.name == wanted.name);
    if kept.is_none_or(|kept| kept == wanted) {
        return Ok(());
    }
    check_may_change(&wanted.name, opened)?;
    let told = |error: store::Error| error.to_string();
    let mut unit = opened.store.unit().map_err(told)?;
    forget(path.base, |name| *name == file.name, layouts, &mut unit).map_err(told)?;
    unit.syncpoint().map_err(told)?;
    opened.store.discard(&wanted.name).map_err(told)
}

/// Builds an index if it does not fit the records.
fn build(
    base: &OpenFile,
    index: &Index,
    layout: &str,
    layouts: &Keyed,
    opened: &Opened,
) -> Result<(), Trouble> {
    let mut unit = opened.store.unit()?;
    match unit.read(layouts, &index.name)? {
        Some(known) if known == layout.as_bytes() => return Ok(()),
        Some(known) if known.starts_with(PATH_OF.as_bytes()) => unit.delete(layouts, &index.name)?,
        Some(known) => {
            return Err(Trouble { kind: ErrorKind::Misuse, message: known_otherwise(&known, layout) });
        }
        None => {}
    }
    check_no_doubts(base, opened)?;
    while index.clear_some(&mut unit, BUILD_UNIT_ENTRIES)? {
        unit.syncpoint()?;
        unit = opened.store.unit()?;
    }
    let mut last: Option<Vec<u8>> = None;
    loop {
        let from = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let Some(found) = base.records.browse(&unit, from, Direction::Forward)? else { break };
        let added = index.add(&mut unit, &found.record, &found.key);
        added.map_err(|error| twice(index, &found.key, error))?;
        if unit.writes() >= BUILD_UNIT_ENTRIES {
            unit.syncpoint()?;
            unit = opened.store.unit()?;
        }
        last = Some(found.key);
    }
    // Written with the last entries, so that a build that was cut short is done again.
    unit.insert(layouts, &index.name, layout.as_bytes().to_vec())?;
    Ok(unit.syncpoint()?)
}

/// Refuses to build an index while the store has units in doubt, because their records are not seen and would
/// get no entries.
fn check_no_doubts(base: &OpenFile, opened: &Opened) -> Result<(), Trouble> {
    let doubts = opened.store.in_doubt().len();
    if doubts == 0 {
        return Ok(());
    }
    let message = format!(
        "its index cannot be built while the store has units in doubt ({doubts}), which may have changed {}; let them end, or \
         force them, with the paths of before",
        shown(&base.definition.name)
    );
    Err(Trouble { kind: ErrorKind::Busy, message })
}

/// Why a record has no entry in an index.
pub(super) fn twice(index: &Index, key: &[u8], error: store::Error) -> Trouble {
    let trouble = Trouble::from(error);
    if trouble.kind != ErrorKind::Duplicate {
        return trouble;
    }
    let message = format!(
        "the record {} has an alternate key that another one has, and those of the path {} are unique",
        shown(key),
        shown(&index.name)
    );
    Trouble { message, ..trouble }
}
