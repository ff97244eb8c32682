//! Maps by addresses and short names that nobody outside chooses: one multiplication in place of a hash that resists
//! attacks, since each LINK looks up two or three.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map by numbers of a word.
pub(crate) type AddressMap<K, V> = HashMap<K, V, BuildHasherDefault<WordHasher>>;

/// A set of numbers of a word.
pub(crate) type AddressSet<K> = HashSet<K, BuildHasherDefault<WordHasher>>;

/// Spreads a word over all bits.
#[derive(Debug, Default)]
pub(crate) struct WordHasher(u64);

/// 2 to the 64 by the golden ratio, odd.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // The map takes the highest and the lowest bits.
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(SPREAD);
        self.0 ^= self.0 >> 32;
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_told_apart() {
        let mut set = AddressSet::default();
        assert!((0..1000_usize).all(|number| set.insert(0x7F00_0000_0000 + number * 16)));
        assert!((0..1000_usize).all(|number| set.contains(&(0x7F00_0000_0000 + number * 16))));
        let low = |number: u64| {
            let mut hasher = WordHasher::default();
            hasher.write_u64(number);
            hasher.finish() & 0xFFF
        };
        let places: HashSet<u64> = (0..1000).map(|number| low(number * 4096)).collect();
        assert!(places.len() > 800, "{}", places.len());
    }
}
