//! A memory of verified credentials and its key. A new configuration takes it over.

use std::sync::{Arc, OnceLock};

use crate::cache::Cache;
use crate::digest::{Digest, KeyedHash};

/// A cache and the key of its digests. They belong together.
#[derive(Debug)]
pub(crate) struct Memory<V> {
    pub(crate) verified: Cache<V>,
    hash: KeyedHash,
}

impl<V> Memory<V> {
    pub(crate) fn digest(&self, pieces: &[&[u8]]) -> Digest {
        self.hash.of(pieces)
    }
}

/// The place of a memory. Its first use makes the memory, unless another one was taken over before.
#[derive(Debug)]
pub(crate) struct MemoryPlace<V> {
    entries_max: usize,
    memory: OnceLock<Arc<Memory<V>>>,
}

impl<V: Clone> MemoryPlace<V> {
    pub(crate) fn new(entries_max: usize) -> Self {
        Self { entries_max, memory: OnceLock::new() }
    }

    pub(crate) fn get(&self) -> &Arc<Memory<V>> {
        let new = || Arc::new(Memory { verified: Cache::new(self.entries_max), hash: KeyedHash::new() });
        self.memory.get_or_init(new)
    }

    /// Shares the memory of another place of the same size. False if this one has begun its own, or the sizes differ.
    pub(crate) fn adopt(&self, other: &Self) -> bool {
        self.entries_max == other.entries_max && self.memory.set(Arc::clone(other.get())).is_ok()
    }
}
