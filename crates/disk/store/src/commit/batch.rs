//! One batch for the engine: the changes of several units, and the store's own values that change with them.

use std::collections::BTreeMap;
use std::time::Instant;

use super::{Room, Submission};
use crate::engine::{Change, Engine, Force};
use crate::error::{Error, ErrorKind, Result};
use crate::fields::{Reader, Writer};
use crate::keys;
use crate::writes::LogHeader;

/// The values that change with every batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// The number of the last batch.
    pub(crate) batch: u64,
    /// Bytes of keys and values in the store.
    pub(crate) used_bytes: u64,
    /// Bytes by which prepared units will make the store grow. Not stored.
    pub(crate) promised_bytes: u64,
    /// Batches since the last forced one. Not stored.
    pub(crate) lazy_batches: u32,
    /// The time at which the disk was found full, until the reserve is kept again. Until then only units that
    /// add nothing commit. Not stored.
    pub(crate) tight: Option<Instant>,
}

impl State {
    /// The state in the engine.
    pub(crate) fn read(engine: &dyn Engine) -> Result<State> {
        let Some(bytes) = engine.get(&keys::state())? else { return Ok(State::default()) };
        State::decode(&bytes)
    }

    /// The state that [`State::put`] wrote.
    pub(crate) fn decode(bytes: &[u8]) -> Result<State> {
        let mut reader = Reader::new("state of the store", bytes);
        let state = State { batch: reader.u64()?, used_bytes: reader.u64()?, ..State::default() };
        reader.end()?;
        Ok(state)
    }

    /// Keeps room for a unit that adds this number of bytes, if it adds any.
    pub(super) fn promise(&mut self, growth: i64) {
        self.promised_bytes = self.promised_bytes.saturating_add_signed(growth.max(0));
    }

    /// Ends a promise.
    fn end_promise(&mut self, growth: i64) {
        self.promised_bytes = self.promised_bytes.saturating_sub(growth.max(0).cast_unsigned());
    }

    /// Refuses to add bytes beyond the limit, or on a full disk.
    fn check_growth(&self, growth: i64, store_bytes_max: u64) -> Result<()> {
        if growth <= 0 {
            return Ok(());
        }
        let State { used_bytes, promised_bytes, .. } = *self;
        if used_bytes.saturating_add(promised_bytes).saturating_add_signed(growth) > store_bytes_max {
            let promised = match promised_bytes {
                0 => String::new(),
                bytes => format!(", {bytes} are promised to prepared units,"),
            };
            let message = format!(
                "store: it holds {used_bytes} bytes{promised} and the unit adds {growth}, store_bytes_max is {store_bytes_max}"
            );
            return Err(Error::new(ErrorKind::NoSpace, message));
        }
        if self.tight.is_some() {
            let message = "store: the disk is full, and what is left is kept for units that add nothing";
            return Err(Error::new(ErrorKind::NoSpace, message));
        }
        Ok(())
    }

    /// The change that stores the state.
    pub(crate) fn put(self) -> Change {
        let mut writer = Writer::default();
        writer.u64(self.batch);
        writer.u64(self.used_bytes);
        Change::Put { key: keys::state(), value: writer.finish() }
    }
}

/// The gathered changes, with the new headers of logs.
pub(super) struct Batch<'a> {
    engine: &'a dyn Engine,
    changes: Vec<Change>,
    headers: BTreeMap<Vec<u8>, LogHeader>,
    force: Force,
    state: State,
}

impl<'a> Batch<'a> {
    pub(super) fn new(state: &State, engine: &'a dyn Engine) -> Self {
        let state = State { batch: state.batch + 1, ..*state };
        Self { engine, changes: Vec::new(), headers: BTreeMap::new(), force: Force::Lazy, state }
    }

    pub(super) fn force(&mut self, force: Force) {
        self.force = self.force.max(force);
    }

    /// Adds a submission, or leaves the batch as it was.
    pub(super) fn add(&mut self, submission: &Submission, store_bytes_max: u64) -> Result<()> {
        let header = |log: &[u8]| match self.headers.get(log) {
            Some(header) => Ok(*header),
            None => read_header(self.engine, log),
        };
        let flat = submission.writes.flatten(header)?;
        match &submission.room {
            Room::Limited => self.state.check_growth(flat.growth, store_bytes_max)?,
            Room::Uncounted => {}
            Room::Promise(writes) => {
                let growth = writes.growth(header)?;
                self.state.check_growth(growth, store_bytes_max)?;
                self.state.promise(growth);
            }
            Room::Promised(writes) => {
                let growth = writes.growth(header)?;
                self.state.end_promise(growth);
            }
        }
        self.state.used_bytes = self.state.used_bytes.saturating_add_signed(flat.growth);
        self.changes.extend(flat.changes);
        self.changes.extend(submission.system.iter().cloned());
        self.headers.extend(flat.headers);
        self.force(submission.force);
        Ok(())
    }

    /// The changes, their way of committing, and the state afterwards.
    pub(super) fn finish(mut self) -> (Vec<Change>, Force, State) {
        self.state.lazy_batches = if self.force == Force::Disk { 0 } else { self.state.lazy_batches + 1 };
        self.changes.push(self.state.put());
        (self.changes, self.force, self.state)
    }
}

/// The store's state of a log; zeros if the store does not have the log.
pub(crate) fn read_header(engine: &dyn Engine, log: &[u8]) -> Result<LogHeader> {
    let bytes = engine.get(log)?;
    bytes.map_or(Ok(LogHeader::default()), |bytes| LogHeader::decode(&bytes))
}
