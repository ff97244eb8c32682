//! A bounded cache of verified credentials, found by a keyed digest.
//!
//! Places are in small sets; the digest chooses the set. A full set drops the entry that ends
//! first. The key of the digests is secret, so nobody can aim at one set.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::digest::Digest;

/// Places of a set.
const WAYS: usize = 8;

#[derive(Debug)]
pub(crate) struct Cache<V> {
    sets: Vec<Mutex<[Option<Entry<V>>; WAYS]>>,
    /// The present epoch. Entries of an earlier epoch do not count.
    epoch: AtomicU64,
}

#[derive(Debug)]
struct Entry<V> {
    digest: Digest,
    epoch: u64,
    /// Milliseconds since 1970.
    ends_ms: u64,
    value: V,
}

impl<V: Clone> Cache<V> {
    /// A cache of about `entries_max` entries, rounded up to full sets; 0 keeps nothing.
    pub(crate) fn new(entries_max: usize) -> Self {
        let sets = (0..entries_max.div_ceil(WAYS)).map(|_| Mutex::default()).collect();
        Self { sets, epoch: AtomicU64::new(0) }
    }

    fn set(&self, digest: &Digest) -> Option<&Mutex<[Option<Entry<V>>; WAYS]>> {
        let number = u64::from_le_bytes(digest[..8].try_into().expect("eight bytes"));
        self.sets.get((number % self.sets.len().max(1) as u64) as usize)
    }

    pub(crate) fn get(&self, digest: &Digest, now_ms: u64) -> Option<V> {
        let epoch = self.epoch.load(Ordering::Acquire);
        let set = self.set(digest)?.lock().expect("no holder panics");
        let found = set.iter().flatten().find(|entry| entry.digest == *digest)?;
        (found.epoch == epoch && now_ms < found.ends_ms).then(|| found.value.clone())
    }

    /// The epoch before a verification begins, for [`Cache::insert`].
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Keeps a value until a time. If the verification began before the last [`Cache::clear`], the
    /// value is dropped, because its basis may have changed.
    pub(crate) fn insert(&self, digest: Digest, epoch: u64, ends_ms: u64, value: V) {
        let Some(set) = self.set(&digest) else { return };
        let mut set = set.lock().expect("no holder panics");
        let place = set
            .iter()
            .position(|entry| entry.as_ref().is_some_and(|entry| entry.digest == digest))
            .unwrap_or_else(|| place_for_one_more(&set));
        set[place] = Some(Entry { digest, epoch, ends_ms, value });
    }

    /// Forgets all entries.
    pub(crate) fn clear(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }
}

/// Finds a place: an empty one, else that of an entry from an earlier epoch, else that of the first
/// entry to end.
fn place_for_one_more<V>(set: &[Option<Entry<V>>; WAYS]) -> usize {
    let rank = |entry: &Option<Entry<V>>| entry.as_ref().map(|entry| (entry.epoch, entry.ends_ms));
    (0..WAYS).min_by_key(|place| rank(&set[*place])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: u8) -> Digest {
        [number; 32]
    }

    #[test]
    fn entries_end_and_are_cleared() {
        let cache = Cache::new(8);
        cache.insert(digest(1), cache.epoch(), 1_000, "one");
        assert_eq!(cache.get(&digest(1), 999), Some("one"));
        assert_eq!(cache.get(&digest(1), 1_000), None);
        assert_eq!(cache.get(&digest(2), 0), None);
        let before = cache.epoch();
        cache.clear();
        assert_eq!(cache.get(&digest(1), 0), None);
        cache.insert(digest(1), before, 1_000, "late");
        assert_eq!(cache.get(&digest(1), 0), None, "what was verified before is not kept");
        cache.insert(digest(1), cache.epoch(), 1_000, "new");
        assert_eq!(cache.get(&digest(1), 0), Some("new"));
    }

    #[test]
    fn a_full_set_gives_up_what_ends_first() {
        let cache = Cache::new(8);
        for number in 0..9 {
            cache.insert(digest(number), 0, 1_000 + u64::from(number), number);
        }
        assert_eq!(cache.get(&digest(0), 0), None);
        assert!((1..9).all(|number| cache.get(&digest(number), 0) == Some(number)));
    }

    #[test]
    fn a_cache_of_nothing_keeps_nothing() {
        let cache = Cache::new(0);
        cache.insert(digest(1), 0, 1_000, ());
        assert_eq!(cache.get(&digest(1), 0), None);
    }
}
