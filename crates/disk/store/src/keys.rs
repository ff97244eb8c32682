//! The keys of all data in the engine's one ordered map of bytes. The first byte of a key is its kind.
//!
//! A name in the middle of a key has its length in front, so that no key is the start of another one.

use crate::twophase::GlobalId;

const FORMAT: u8 = 0x00;
const STATE: u8 = 0x01;
const DEFINITION: u8 = 0x02;
const PREPARED: u8 = 0x03;
const DECISION: u8 = 0x04;
const FORCED: u8 = 0x05;
const BELOW: u8 = 0x06;
const LOG_POSITION: u8 = 0x07;
const COPIED: u8 = 0x08;
const LOG_DRAWS: u8 = 0x09;
const RECORD: u8 = 0x10;
const LOG: u8 = 0x11;
const ITEM: u8 = 0x12;
const NAMED: u8 = 0xF0;
const NAMED_APART: u8 = 0xF1;

const SPACE_BYTES: usize = 4;
const POSITION_BYTES: usize = 8;

/// The number of a space within its store.
pub(crate) type SpaceId = u32;

/// The record with the version that wrote the file.
pub(crate) fn format() -> Vec<u8> {
    vec![FORMAT]
}

/// The values that change with each batch: its number, and the bytes in the store.
pub(crate) fn state() -> Vec<u8> {
    vec![STATE]
}

/// The definition of a space.
pub(crate) fn definition(name: &str) -> Vec<u8> {
    tagged(DEFINITION, name.as_bytes())
}

/// The changes and locks of a prepared unit.
pub(crate) fn prepared(id: &GlobalId) -> Vec<u8> {
    tagged(PREPARED, id.bytes())
}

/// A decision to commit that participants may still have to learn.
pub(crate) fn decision(id: &GlobalId) -> Vec<u8> {
    tagged(DECISION, id.bytes())
}

/// A decision that an operator took for a unit in doubt.
pub(crate) fn forced(id: &GlobalId) -> Vec<u8> {
    tagged(FORCED, id.bytes())
}

/// The participants below a prepared unit, which get its decision.
pub(crate) fn below(id: &GlobalId) -> Vec<u8> {
    tagged(BELOW, id.bytes())
}

/// The position of the engine's log that the file has reached; missing if there is no log.
pub(crate) fn log_position() -> Vec<u8> {
    vec![LOG_POSITION]
}

/// Marks a copy that was not opened yet, so no log belongs to it.
pub(crate) fn copied() -> Vec<u8> {
    vec![COPIED]
}

/// The drawn numbers of the last lives of the log.
pub(crate) fn log_draws() -> Vec<u8> {
    vec![LOG_DRAWS]
}

/// True for a record about the log of one file, which a copy does not have.
pub(crate) fn is_of_log(key: &[u8]) -> bool {
    matches!(key, [LOG_POSITION | COPIED | LOG_DRAWS])
}

/// A record of a file, by its key in the order of the file's collation.
pub(crate) fn record(space: SpaceId, key: &[u8]) -> Vec<u8> {
    let mut bytes = in_space(RECORD, space, key.len());
    bytes.extend_from_slice(key);
    bytes
}

/// The header of a log.
pub(crate) fn log(space: SpaceId, name: &[u8]) -> Vec<u8> {
    let mut bytes = in_space(LOG, space, name.len());
    bytes.extend_from_slice(name);
    bytes
}

/// An item of a log.
pub(crate) fn item(space: SpaceId, name: &[u8], position: u64) -> Vec<u8> {
    let mut bytes = in_space(ITEM, space, 1 + name.len() + POSITION_BYTES);
    bytes.push(u8::try_from(name.len()).expect("names are checked against KEY_BYTES_MAX"));
    bytes.extend_from_slice(name);
    bytes.extend_from_slice(&position.to_be_bytes());
    bytes
}

/// The range of the items of a log: the first key, and the key behind the last one. `log` has [`log`]'s
/// bytes.
pub(crate) fn items(log: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut from = item(space(log), log_name(log), 0);
    let mut to = item(space(log), log_name(log), u64::MAX);
    from.truncate(from.len() - POSITION_BYTES);
    to.push(0);
    (from, to)
}

/// The log of an item, as [`log`]'s bytes, from [`item`]'s bytes; none if the key is not that of an item.
pub(crate) fn log_of(key: &[u8]) -> Option<Vec<u8>> {
    let name = key.strip_prefix(&[ITEM])?.get(SPACE_BYTES + 1..)?;
    let (name, _) = name.split_last_chunk::<POSITION_BYTES>()?;
    Some(log(space(key), name))
}

/// The range of the items of a log from a position on: the first key, and the key behind the last one. `log`
/// has [`log`]'s bytes.
pub(crate) fn items_from(log: &[u8], position: u64) -> (Vec<u8>, Vec<u8>) {
    (item(space(log), log_name(log), position), items(log).1)
}

/// The space of a record, an item or a log; none for other keys.
pub(crate) fn space_of(key: &[u8]) -> Option<SpaceId> {
    (is_data(key) || is_log(key)).then(|| space(key))
}

/// The range of the records of a file: the first key, and the key behind the last one.
pub(crate) fn records(space: SpaceId) -> (Vec<u8>, Vec<u8>) {
    (record(space, &[]), in_next(RECORD, space))
}

/// The range of the headers of the logs of a space: the first key, and the key behind the last one.
pub(crate) fn logs(space: SpaceId) -> (Vec<u8>, Vec<u8>) {
    (log(space, &[]), in_next(LOG, space))
}

/// The range of the items of the logs of a space: the first key, and the key behind the last one.
pub(crate) fn items_of_space(space: SpaceId) -> (Vec<u8>, Vec<u8>) {
    (in_space(ITEM, space, 0), in_next(ITEM, space))
}

fn in_next(tag: u8, space: SpaceId) -> Vec<u8> {
    match space.checked_add(1) {
        Some(next) => in_space(tag, next, 0),
        None => vec![tag + 1],
    }
}

fn space(key: &[u8]) -> SpaceId {
    let bytes = key.get(1..=SPACE_BYTES).and_then(|bytes| bytes.try_into().ok());
    SpaceId::from_be_bytes(bytes.expect("keys of records, logs and items have their space"))
}

/// A name that is only locked: ENQ.
pub(crate) fn named(name: &[u8]) -> Vec<u8> {
    tagged(NAMED, name)
}

/// A name of the second set.
pub(crate) fn named_apart(name: &[u8]) -> Vec<u8> {
    tagged(NAMED_APART, name)
}

/// True for keys of records and items.
pub(crate) fn is_data(key: &[u8]) -> bool {
    let is_record = key.first() == Some(&RECORD) && key.len() > SPACE_BYTES;
    let name_bytes = key.get(1 + SPACE_BYTES).map(|length| usize::from(*length));
    let is_item = key.first() == Some(&ITEM)
        && name_bytes.is_some_and(|length| key.len() == 1 + SPACE_BYTES + 1 + length + POSITION_BYTES);
    is_record || is_item
}

/// True for keys of definitions.
pub(crate) fn is_definition(key: &[u8]) -> bool {
    key.first() == Some(&DEFINITION)
}

/// True for keys of prepared units.
pub(crate) fn is_prepared(key: &[u8]) -> bool {
    key.first() == Some(&PREPARED)
}

/// True for keys of the participants below prepared units.
pub(crate) fn is_below(key: &[u8]) -> bool {
    key.first() == Some(&BELOW)
}

/// True for keys of headers of logs.
pub(crate) fn is_log(key: &[u8]) -> bool {
    key.first() == Some(&LOG) && (1 + SPACE_BYTES..=1 + SPACE_BYTES + 255).contains(&key.len())
}

/// The key of a record within its file, from [`record`]'s bytes.
pub(crate) fn record_key(key: &[u8]) -> &[u8] {
    &key[1 + SPACE_BYTES..]
}

/// The name of a log, from [`log`]'s bytes.
pub(crate) fn log_name(key: &[u8]) -> &[u8] {
    &key[1 + SPACE_BYTES..]
}

/// The name of the log of an item, from [`item`]'s bytes.
pub(crate) fn item_log_name(key: &[u8]) -> &[u8] {
    &key[1 + SPACE_BYTES + 1..key.len() - POSITION_BYTES]
}

/// The position of an item, from [`item`]'s bytes.
pub(crate) fn position(key: &[u8]) -> u64 {
    let (_, position) =
        key.split_last_chunk::<POSITION_BYTES>().expect("keys of items end with their position");
    u64::from_be_bytes(*position)
}

/// The first and the last key that [`prepared`] can make, and the same for [`decision`], [`forced`], [`below`] and
/// [`definition`].
pub(crate) fn all(kind: Kind) -> (Vec<u8>, Vec<u8>) {
    let tag = match kind {
        Kind::Definition => DEFINITION,
        Kind::Prepared => PREPARED,
        Kind::Decision => DECISION,
        Kind::Forced => FORCED,
        Kind::Below => BELOW,
    };
    (vec![tag], vec![tag + 1])
}

/// The kinds of keys that are read as a whole when a store is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Definition,
    Prepared,
    Decision,
    Forced,
    Below,
}

/// The part after the first byte: a name or an id.
pub(crate) fn rest(key: &[u8]) -> &[u8] {
    &key[1..]
}

fn tagged(tag: u8, rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 + rest.len());
    bytes.push(tag);
    bytes.extend_from_slice(rest);
    bytes
}

fn in_space(tag: u8, space: SpaceId, more: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 + SPACE_BYTES + more);
    bytes.push(tag);
    bytes.extend_from_slice(&space.to_be_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_one_log_stand_together_and_in_order() {
        let mut keys =
            vec![item(1, b"B", 1), item(1, b"A", 300), item(1, b"AB", 2), item(1, b"A", 2), item(0, b"Z", 9)];
        keys.sort();
        let expected =
            vec![item(0, b"Z", 9), item(1, b"A", 2), item(1, b"A", 300), item(1, b"B", 1), item(1, b"AB", 2)];
        assert_eq!(keys, expected);
        assert_eq!(position(&item(7, b"QUEUE", 4711)), 4711);
        assert_eq!(log_name(&log(7, b"QUEUE")), b"QUEUE");
        assert_eq!(item_log_name(&item(7, b"QUEUE", 4711)), b"QUEUE");
        assert_eq!(item_log_name(&item(7, b"", 4711)), b"");
        assert_eq!(record_key(&record(7, b"KEY")), b"KEY");
    }

    #[test]
    fn the_items_of_a_log_are_in_its_range_and_no_others() {
        let (from, to) = items(&log(3, b"AB"));
        let inside = |key: Vec<u8>| from <= key && key < to;
        assert!(inside(item(3, b"AB", 0)) && inside(item(3, b"AB", u64::MAX)));
        assert!(
            !inside(item(3, b"AA", u64::MAX)) && !inside(item(3, b"AC", 0)) && !inside(item(4, b"AB", 1))
        );
        assert_eq!(log_of(&item(3, b"AB", 9)), Some(log(3, b"AB")));
        assert_eq!(log_of(&item(3, b"", 9)), Some(log(3, b"")));
        assert_eq!(log_of(&record(3, b"a key that is no item")), None);
        assert_eq!(records(u32::MAX).1, [RECORD + 1]);
    }
}
