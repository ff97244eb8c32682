//! Message ids. They never repeat, even after restarts and in copies of the store.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use message::{ID_BYTES, ManagerName, MessageId, Moment};
use store::{Keyed, Store};

/// Ids that the store reserves at a time.
const BLOCK: u64 = 1 << 32;
const KEY: &[u8] = b"ids";

/// Makes ids: `AMQ `, twelve characters of the manager's name, and a number of eight bytes.
///
/// The number is above all numbers that the store has reserved. Its upper half is at least the
/// seconds since 1970. So a store that was restored from an old copy repeats no id.
pub(crate) struct Ids {
    start: [u8; 16],
    next: AtomicU64,
    reserved: AtomicU64,
    reserving: Mutex<()>,
}

impl Ids {
    /// Reserves the first block.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn open(
        name: &ManagerName,
        store: &Store,
        state: &Keyed,
        now: Moment,
    ) -> Result<Self, store::Error> {
        let mut start = *b"AMQ             ";
        for (byte, character) in start[4..].iter_mut().zip(name.as_str().bytes()) {
            *byte = character;
        }
        let used = store.unit()?.read(state, KEY)?.map_or(0, |record| number(&record));
        let next = used.max((now.0 / 1_000) << 32);
        let ids = Self {
            start,
            next: AtomicU64::new(next),
            reserved: AtomicU64::new(next),
            reserving: Mutex::default(),
        };
        ids.reserve(store, state, next)?;
        Ok(ids)
    }

    /// The next id.
    ///
    /// # Errors
    /// Those of the store. It is only used once in four thousand million ids.
    pub(crate) fn next(&self, store: &Store, state: &Keyed) -> Result<MessageId, store::Error> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >= self.reserved.load(Ordering::Acquire) {
            self.reserve(store, state, number)?;
        }
        let mut id = [0; ID_BYTES];
        id[..16].copy_from_slice(&self.start);
        id[16..].copy_from_slice(&number.to_be_bytes());
        Ok(MessageId(id))
    }

    fn reserve(&self, store: &Store, state: &Keyed, number: u64) -> Result<(), store::Error> {
        let _one = self.reserving.lock().unwrap_or_else(PoisonError::into_inner);
        if number < self.reserved.load(Ordering::Acquire) {
            return Ok(());
        }
        let end = number + BLOCK;
        let mut unit = store.unit()?;
        let value = end.to_be_bytes().to_vec();
        match unit.read(state, KEY)? {
            Some(_) => unit.rewrite(state, KEY, value)?,
            None => unit.insert(state, KEY, value)?,
        }
        unit.syncpoint()?;
        self.reserved.store(end, Ordering::Release);
        Ok(())
    }
}

fn number(record: &[u8]) -> u64 {
    record.try_into().map_or(0, u64::from_be_bytes)
}
