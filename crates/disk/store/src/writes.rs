//! The changes of a unit of work that are not yet committed: a private set, in the order of the store, so
//! that the two can be read as one.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::engine::{Change, Direction, Span};
use crate::error::Result;
use crate::fields::{Reader, Writer};
use crate::keys;
use crate::space::Positions;
use crate::walk::Stretch;

/// The new value of a key, and the size of its present value in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// None: it will be deleted.
    pub(crate) value: Option<Vec<u8>>,
    /// Bytes of key and value in the store; 0 if the key is not in the store.
    pub(crate) before_bytes: u64,
}

/// The changes of a log besides its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogChange {
    /// All items that were committed before go.
    pub(crate) cleared: bool,
    /// The position after the last that the unit added; 0 if it added none.
    pub(crate) next: u64,
    pub(crate) positions: Positions,
}

/// The state of a log besides its items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogHeader {
    /// The position of the next item.
    pub(crate) next: u64,
    /// The number of items.
    pub(crate) count: u64,
    /// Bytes of their keys and values.
    pub(crate) bytes: u64,
}

/// The size of a key and its value, in bytes, for limits.
pub(crate) fn weight(key: &[u8], value: &[u8]) -> u64 {
    (key.len() + value.len()) as u64
}

/// The private set of a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Writes {
    records: BTreeMap<Vec<u8>, Written>,
    logs: BTreeMap<Vec<u8>, LogChange>,
    bytes: u64,
}

impl Writes {
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.logs.is_empty()
    }

    /// The number of changed records and items.
    pub(crate) fn count(&self) -> usize {
        self.records.len()
    }

    /// The bytes of keys and values in the set.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&Written> {
        self.records.get(key)
    }

    pub(crate) fn log(&self, log: &[u8]) -> Option<&LogChange> {
        self.logs.get(log)
    }

    /// The first changed key of a span, in its direction.
    pub(crate) fn first(&self, span: Span<'_>) -> Option<(&Vec<u8>, &Written)> {
        if is_empty(span) {
            return None;
        }
        let mut range = self.records.range::<[u8], _>((span.from, span.to));
        match span.direction {
            Direction::Forward => range.next(),
            Direction::Backward => range.next_back(),
        }
    }

    /// Sets a new value. `before_bytes` is its size in the store, and only matters the first time.
    pub(crate) fn put(&mut self, key: Vec<u8>, value: Vec<u8>, before_bytes: u64) {
        self.bytes += weight(&key, &value);
        let before_bytes = self.take(&key).map_or(before_bytes, |written| written.before_bytes);
        self.records.insert(key, Written { value: Some(value), before_bytes });
    }

    /// Deletes the key. A value that the unit itself had put leaves no trace.
    pub(crate) fn delete(&mut self, key: Vec<u8>, before_bytes: u64) {
        let before_bytes = self.take(&key).map_or(before_bytes, |written| written.before_bytes);
        if before_bytes > 0 {
            self.bytes += weight(&key, &[]);
            self.records.insert(key, Written { value: None, before_bytes });
        }
    }

    fn take(&mut self, key: &[u8]) -> Option<Written> {
        let written = self.records.remove(key)?;
        self.bytes -= weight(key, written.value.as_deref().unwrap_or_default());
        Some(written)
    }

    /// The unit has added an item before position `next`.
    pub(crate) fn appended(&mut self, log: &[u8], positions: Positions, next: u64) {
        let change = self.change(log, positions);
        change.next = change.next.max(next);
    }

    /// Deletes all items of a log, the unit's own too.
    pub(crate) fn clear(&mut self, log: &[u8], positions: Positions) {
        let (from, to) = keys::items(log);
        let own: Vec<Vec<u8>> = self.records.range(from..to).map(|(key, _)| key.clone()).collect();
        for key in own {
            let _ = self.take(&key);
        }
        let change = self.change(log, positions);
        change.cleared = true;
        if positions == Positions::Dense {
            change.next = 1;
        }
    }

    /// The number of items that the unit adds to a log, less the number that it deletes.
    pub(crate) fn items_added(&self, log: &[u8]) -> i64 {
        let (from, to) = keys::items(log);
        let own = self
            .records
            .range(from..to)
            .map(|(_, written)| i64::from(written.value.is_some()) - i64::from(written.before_bytes > 0));
        own.sum()
    }

    /// True if the unit has changed items of a log.
    pub(crate) fn has_items(&self, log: &[u8]) -> bool {
        let (from, to) = keys::items(log);
        self.records.range(from..to).next().is_some()
    }

    fn change(&mut self, log: &[u8], positions: Positions) -> &mut LogChange {
        let none = LogChange { cleared: false, next: 0, positions };
        self.logs.entry(log.to_vec()).or_insert(none)
    }

    /// The changed records and items in a range of keys.
    pub(crate) fn records_in(&self, (from, to): &Stretch) -> impl Iterator<Item = (&Vec<u8>, &Written)> {
        self.records.range::<[u8], _>((Bound::Included(from.as_slice()), Bound::Excluded(to.as_slice())))
    }

    /// The changed logs in a range of keys.
    pub(crate) fn logs_in(&self, (from, to): &Stretch) -> impl Iterator<Item = (&Vec<u8>, &LogChange)> {
        self.logs.range::<[u8], _>((Bound::Included(from.as_slice()), Bound::Excluded(to.as_slice())))
    }

    /// Logs to which the unit added, with the position after the last.
    pub(crate) fn appends(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let appended = |(_, change): &(&Vec<u8>, &LogChange)| change.next > 0;
        self.logs.iter().filter(appended).map(|(log, change)| (log.as_slice(), change.next))
    }

    /// The bytes by which the set makes the store grow; negative if it makes it smaller. `header` gives the present
    /// state of a log.
    pub(crate) fn growth(&self, header: impl Fn(&[u8]) -> Result<LogHeader>) -> Result<i64> {
        let mut sum: i64 = self.records.iter().map(|(key, written)| growth(key, written)).sum();
        for (log, _) in self.logs.iter().filter(|(_, change)| change.cleared) {
            sum -= header(log)?.bytes.cast_signed();
        }
        Ok(sum)
    }

    /// The set as changes of the engine. `header` gives the present state of a log.
    pub(crate) fn flatten(&self, mut header: impl FnMut(&[u8]) -> Result<LogHeader>) -> Result<Flat> {
        let mut flat = Flat::default();
        let mut headers: BTreeMap<Vec<u8>, LogHeader> = BTreeMap::new();
        for (log, change) in &self.logs {
            let mut now = header(log)?;
            if change.cleared {
                flat.growth -= now.bytes.cast_signed();
                let next = if change.positions == Positions::Dense { 1 } else { now.next };
                now = LogHeader { next, ..LogHeader::default() };
                let (from, to) = keys::items(log);
                flat.changes.push(Change::Clear { from, to });
            }
            now.next = now.next.max(change.next);
            headers.insert(log.clone(), now);
        }
        for (key, written) in &self.records {
            let growth = growth(key, written);
            flat.growth += growth;
            if let Some(log) = keys::log_of(key) {
                if !headers.contains_key(&log) {
                    headers.insert(log.clone(), header(&log)?);
                }
                let now = headers.get_mut(&log).expect("just filled");
                let items = i64::from(written.value.is_some()) - i64::from(written.before_bytes > 0);
                now.count = now.count.saturating_add_signed(items);
                now.bytes = now.bytes.saturating_add_signed(growth);
            }
            let key = key.clone();
            flat.changes.push(match &written.value {
                Some(value) if written.before_bytes == 0 => Change::Add { key, value: value.clone() },
                Some(value) => Change::Put { key, value: value.clone() },
                None => Change::Delete { key },
            });
        }
        for (log, now) in headers {
            let dense = self.logs.get(&log).is_some_and(|change| change.positions == Positions::Dense);
            let gone = dense && now.count == 0;
            flat.changes.push(match gone {
                true => Change::Delete { key: log.clone() },
                false => Change::Put { key: log.clone(), value: now.encode() },
            });
            flat.headers.push((log, if gone { LogHeader::default() } else { now }));
        }
        Ok(flat)
    }

    /// Appends the set to a record of the store.
    pub(crate) fn encode(&self, writer: &mut Writer) {
        writer.count(self.records.len());
        for (key, written) in &self.records {
            writer.bytes(key);
            writer.u64(written.before_bytes);
            writer.byte(u8::from(written.value.is_some()));
            writer.bytes(written.value.as_deref().unwrap_or_default());
        }
        writer.count(self.logs.len());
        for (log, change) in &self.logs {
            writer.bytes(log);
            writer.byte(u8::from(change.cleared));
            writer.byte(u8::from(change.positions == Positions::Dense));
            writer.u64(change.next);
        }
    }

    /// The set that [`Writes::encode`] wrote.
    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Writes> {
        let mut writes = Writes::default();
        for _ in 0..reader.count()? {
            let key = reader.bytes()?.to_vec();
            let before_bytes = reader.u64()?;
            let is_value = flag(reader)?;
            let value = reader.bytes()?;
            if !keys::is_data(&key) {
                return Err(reader.fault("the key of a record or item before it"));
            }
            writes.bytes += weight(&key, value);
            writes.records.insert(key, Written { value: is_value.then(|| value.to_vec()), before_bytes });
        }
        for _ in 0..reader.count()? {
            let log = reader.bytes()?.to_vec();
            let cleared = flag(reader)?;
            let positions = if flag(reader)? { Positions::Dense } else { Positions::Unique };
            let next = reader.u64()?;
            if !keys::is_log(&log) {
                return Err(reader.fault("the key of a log before it"));
            }
            writes.logs.insert(log, LogChange { cleared, next, positions });
        }
        Ok(writes)
    }
}

fn flag(reader: &mut Reader<'_>) -> Result<bool> {
    match reader.byte()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(reader.fault("0 or 1 before it")),
    }
}

fn growth(key: &[u8], written: &Written) -> i64 {
    let after = written.value.as_ref().map_or(0, |value| weight(key, value));
    after.cast_signed() - written.before_bytes.cast_signed()
}

/// True if no key can be in the span. The standard library's ranges panic on such a span.
pub(crate) fn is_empty(span: Span<'_>) -> bool {
    match (span.from, span.to) {
        (Bound::Included(from), Bound::Included(to)) => from > to,
        (Bound::Included(from) | Bound::Excluded(from), Bound::Included(to) | Bound::Excluded(to)) => {
            from >= to
        }
        _ => false,
    }
}

/// A set in the form for the engine.
#[derive(Debug, Default)]
pub(crate) struct Flat {
    pub(crate) changes: Vec<Change>,
    /// The state of the changed logs after the commit.
    pub(crate) headers: Vec<(Vec<u8>, LogHeader)>,
    /// Bytes that the store gains.
    pub(crate) growth: i64,
}

impl LogHeader {
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(self.next);
        writer.u64(self.count);
        writer.u64(self.bytes);
        writer.finish()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<LogHeader> {
        let mut reader = Reader::new("header of a log", bytes);
        let header = LogHeader { next: reader.u64()?, count: reader.u64()?, bytes: reader.u64()? };
        reader.end()?;
        Ok(header)
    }
}
