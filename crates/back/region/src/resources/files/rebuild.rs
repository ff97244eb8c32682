//! Rebuilds a file whose definition has changed while it has records: they get their new order.
//!
//! A copy is made beside the file. Then, in one step of the store, the copy takes the file's name, and the
//! file gets its new layout. Leftovers beside the file, also of a start that was cut short, are deleted when
//! the file is opened.

use std::ops::Bound;

use codepage::readable::{hex, plain};
use store::{Definition, Direction, ErrorKind, Keyed, Recovery, Unit};

use super::records::{Found, Records, address_key, number_key};
use super::{FileDefinition, FileOrganization, has_same_keys, layout, upgrade};
use crate::resources::durable::Opened;

/// The number of records, and about the number of their bytes, in one unit of work.
const UNIT_RECORDS: usize = 10_000;
const UNIT_BYTES: usize = 16 << 20;

/// Has the store keep a file as it is defined.
///
/// # Errors
/// The records cannot be in that order, or it may not change now: the reason for people.
pub(super) fn as_defined(
    definition: &FileDefinition,
    layouts: &Keyed,
    opened: &Opened,
) -> Result<(), String> {
    let wanted = Records::definition(definition);
    let copy = Definition {
        name: format!("rebuilt.{}", wanted.name),
        recovery: Recovery::Recoverable,
        ..wanted.clone()
    };
    let found = |name: &str| opened.store.definitions().into_iter().find(|known| known.name == name);
    let Some(kept) = found(&wanted.name) else { return Ok(()) };
    if found(&copy.name).is_some() {
        opened.store.discard(&copy.name).map_err(told)?;
    }
    let unit = opened.store.unit().map_err(told)?;
    let Some(known) = unit.read(layouts, &definition.name).map_err(told)? else {
        // It was never made to the end.
        return if kept == wanted { Ok(()) } else { opened.store.discard(&wanted.name).map_err(told) };
    };
    drop(unit);
    let same = kept.organization == wanted.organization && has_same_keys(&known, &layout(definition));
    if known.starts_with(upgrade::PATH_OF.as_bytes()) || (same && kept.recovery == wanted.recovery) {
        return Ok(());
    }
    check_may_change(&wanted.name, opened)?;
    if same {
        return opened.store.set_recovery(&wanted.name, wanted.recovery).map_err(told);
    }
    let spaces = Spaces { kept, wanted, copy };
    let count = rebuild(definition, &spaces, layouts, opened).inspect_err(|_| {
        // The file stays as it is. A copy that cannot be deleted now is deleted when the file is opened next.
        let _ = opened.store.discard(&spaces.copy.name);
    })?;
    opened.store.discard(&spaces.copy.name).map_err(told)?;
    let file = wire::shown(&definition.name);
    tracing::info!(
        file,
        records = count,
        "the file has another definition: its records have been put in order"
    );
    Ok(())
}

/// Refuses a change while tasks may use the space, or may have used it without an end that is known.
///
/// # Errors
/// The reason for people.
pub(super) fn check_may_change(space: &str, opened: &Opened) -> Result<(), String> {
    if opened.is_in_use(space) {
        return Err("its organization, key, collation and recovery change only after a restart: tasks of \
                    before may still use it"
            .to_owned());
    }
    match opened.store.in_doubt().len() {
        0 => Ok(()),
        doubts => Err(format!(
            "its definition cannot change while the store has units in doubt ({doubts}), which may have changed it; let them \
             end, or force them, with the definition of before"
        )),
    }
}

/// The spaces of a rebuild.
struct Spaces {
    /// The file's space as the store has it.
    kept: Definition,
    /// The file's space by its new definition.
    wanted: Definition,
    /// The copy beside the file.
    copy: Definition,
}

/// Copies the records and puts the copy in the place of the file; gives the number of records.
fn rebuild(
    definition: &FileDefinition,
    Spaces { kept, wanted, copy }: &Spaces,
    layouts: &Keyed,
    opened: &Opened,
) -> Result<u64, String> {
    let from = Records::of(kept, opened).map_err(told)?;
    let to = Records::of(copy, opened).map_err(told)?;
    let count = copy_records(definition, &from, &to, opened)?;
    let mut unit = opened.store.unit().map_err(told)?;
    // The entries of alternate indexes lead to keys of before: they are built anew.
    upgrade::forget(definition.name, |_| true, layouts, &mut unit).map_err(told)?;
    let new = layout(definition).into_bytes();
    unit.rewrite(layouts, &definition.name, new).map_err(told)?;
    opened.store.exchange(unit, &wanted.name, wanted.recovery, &copy.name).map_err(told)?;
    Ok(count)
}

fn copy_records(
    definition: &FileDefinition,
    from: &Records,
    to: &Records,
    opened: &Opened,
) -> Result<u64, String> {
    let mut unit = opened.store.unit().map_err(told)?;
    let (mut count, mut bytes) = (0_u64, 0);
    let mut last: Option<Vec<u8>> = None;
    loop {
        let after = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let found = from.browse(&unit, after, Direction::Forward).map_err(told)?;
        if found.is_none() || unit.writes() >= UNIT_RECORDS || bytes >= UNIT_BYTES {
            unit.syncpoint().map_err(told)?;
            (unit, bytes) = (opened.store.unit().map_err(told)?, 0);
        }
        let Some(Found { key: old, record, .. }) = found else { return Ok(count) };
        count += 1;
        bytes += record.len();
        let key =
            new_key(definition, count, &record).map_err(|why| format!("{}: {why}", named(from, &old)))?;
        if let Err(error) = to.insert(&mut unit, &key, record) {
            return Err(match error.kind() {
                ErrorKind::Duplicate => twice(definition, from, &unit, &old, &key),
                _ => told(error),
            });
        }
        last = Some(old);
    }
}

/// The key that a record has by a definition.
fn new_key(definition: &FileDefinition, number: u64, record: &[u8]) -> Result<Vec<u8>, String> {
    let FileDefinition { record_bytes, fixed, .. } = *definition;
    if record.len() > record_bytes || (fixed && record.len() != record_bytes) {
        let how = if fixed { "" } else { "at most " };
        return Err(format!("expected {how}{record_bytes} bytes, found {}", record.len()));
    }
    match definition.organization {
        FileOrganization::KeySequenced { key_offset, key_bytes, .. } => {
            let key = record.get(key_offset..key_offset + key_bytes);
            key.map(<[u8]>::to_vec).ok_or_else(|| {
                format!("it ends before its key does, at byte {} of {}", key_offset + key_bytes, record.len())
            })
        }
        FileOrganization::Relative => match u32::try_from(number) {
            Ok(number) => Ok(number_key(number)),
            Err(_) => Err("there are more records than a relative file may have".to_owned()),
        },
        FileOrganization::EntrySequenced => Ok(address_key(0)),
    }
}

/// That two records would have one key: names both by the keys that they have.
fn twice(definition: &FileDefinition, from: &Records, unit: &Unit, old: &[u8], key: &[u8]) -> String {
    let mut first = None;
    let mut last: Option<Vec<u8>> = None;
    while first.is_none() {
        let after = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let Ok(Some(found)) = from.browse(unit, after, Direction::Forward) else { break };
        if new_key(definition, 0, &found.record).is_ok_and(|other| other == key) {
            first = Some(named(from, &found.key));
        }
        last = Some(found.key);
    }
    let first = first.unwrap_or_else(|| "another record".to_owned());
    format!(
        "{first} and {} would both have the key {}; the file stays as it was",
        named(from, old),
        shown(key)
    )
}

/// A record by the key that it has.
fn named(from: &Records, key: &[u8]) -> String {
    let number = key.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    match from.organization() {
        store::Organization::Relative => format!("record {number}"),
        store::Organization::EntrySequenced => format!("the record at address {number}"),
        _ => format!("the record with the key {}", shown(key)),
    }
}

/// A key for messages: text as it is, anything else in hexadecimal.
fn shown(key: &[u8]) -> String {
    match plain(key) {
        Some(text) => format!("'{text}'"),
        None => format!("X'{}'", hex(key)),
    }
}

fn told(error: store::Error) -> String {
    error.to_string()
}
