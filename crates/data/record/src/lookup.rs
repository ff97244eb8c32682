//! From a member's name to its field with at most one comparison: a perfect hash made at load.

use copybook::edit_distance;

/// The longest name, in bytes, for which a near name is searched.
const NEAREST_NAME_MAX: usize = 64;
/// The most letters that differ in a near name.
const NEAREST_EDITS_MAX: usize = 3;
/// The most members of an object that are compared.
const NEAREST_CANDIDATES_MAX: usize = 1_000;

/// A table from the names of one object to their positions.
#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    names: Vec<Box<str>>,
    /// For each bucket, the seed that puts its names on free slots.
    seeds: Vec<u32>,
    /// Positions in `names` plus one; 0 is a free slot.
    slots: Vec<u32>,
}

impl Lookup {
    /// Builds the table by hash and displace: the fullest buckets choose their seeds first.
    pub(crate) fn new(names: Vec<Box<str>>) -> Self {
        let slot_count = (names.len() * 2).next_power_of_two();
        let bucket_count = names.len().div_ceil(2).next_power_of_two();
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); bucket_count];
        for (position, name) in names.iter().enumerate() {
            buckets[bucket_of(name.as_bytes(), bucket_count)].push(position);
        }
        let mut order: Vec<usize> = (0..bucket_count).collect();
        order.sort_by_key(|bucket| std::cmp::Reverse(buckets[*bucket].len()));
        let mut lookup = Self { names, seeds: vec![0; bucket_count], slots: vec![0; slot_count] };
        for bucket in order {
            lookup.place(bucket, &buckets[bucket]);
        }
        lookup
    }

    fn place(&mut self, bucket: usize, positions: &[usize]) {
        for seed in 1.. {
            let slots: Vec<usize> = positions
                .iter()
                .map(|position| slot_of(self.names[*position].as_bytes(), seed, self.slots.len()))
                .collect();
            let free = slots
                .iter()
                .enumerate()
                .all(|(i, slot)| self.slots[*slot] == 0 && !slots[..i].contains(slot));
            if free {
                for (slot, position) in slots.iter().zip(positions) {
                    self.slots[*slot] = *position as u32 + 1;
                }
                self.seeds[bucket] = seed;
                return;
            }
        }
    }

    /// The position of a name. `expected` is tried first: members mostly come in the order of the schema.
    #[inline]
    pub(crate) fn find(&self, name: &[u8], expected: usize) -> Option<usize> {
        if self.names.get(expected).is_some_and(|candidate| xml::same(candidate.as_bytes(), name)) {
            return Some(expected);
        }
        let seed = *self.seeds.get(bucket_of(name, self.seeds.len()))?;
        let slot = *self.slots.get(slot_of(name, seed, self.slots.len()))?;
        let position = (slot as usize).checked_sub(1)?;
        (self.names[position].as_bytes() == name).then_some(position)
    }

    /// The known name nearest to an unknown one: another case or other hyphens, else a few other letters.
    pub(crate) fn nearest(&self, name: &str) -> Option<&str> {
        if name.len() > NEAREST_NAME_MAX {
            return None;
        }
        let folded = |text: &str| text.to_ascii_lowercase().replace(['-', '_'], "");
        let wanted = folded(name);
        let most = (1 + wanted.len() / 4).min(NEAREST_EDITS_MAX);
        let near = self.names.iter().take(NEAREST_CANDIDATES_MAX).filter_map(|candidate| {
            let known = folded(candidate);
            // Names of very different lengths are not compared.
            let edits = match known.len().abs_diff(wanted.len()) {
                difference if difference > most => return None,
                _ => edit_distance(&known, &wanted),
            };
            (edits <= most && edits < wanted.len()).then_some((edits, candidate))
        });
        near.min_by_key(|(edits, _)| *edits).map(|(_, name)| &**name)
    }
}

fn bucket_of(name: &[u8], buckets: usize) -> usize {
    hash(name, 0) as usize & buckets.wrapping_sub(1)
}

fn slot_of(name: &[u8], seed: u32, slots: usize) -> usize {
    hash(name, seed) as usize & slots.wrapping_sub(1)
}

/// FNV-1a with a seed and a final mix; names are short.
fn hash(name: &[u8], seed: u32) -> u32 {
    let mut value = 0xcbf2_9ce4_8422_2325u64 ^ u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for byte in name {
        value = (value ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    ((value ^ (value >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::Lookup;

    #[test]
    fn names_that_are_spelled_otherwise_are_near() {
        let names = ["ca_function", "ca_account", "id"].map(Into::into);
        let lookup = Lookup::new(names.to_vec());
        for (name, nearest) in [
            ("caFunction", Some("ca_function")),
            ("ca_functoin", Some("ca_function")),
            ("ca_acount", Some("ca_account")),
            ("customer", None),
            ("x", None),
        ] {
            assert_eq!(lookup.nearest(name), nearest, "{name}");
        }
        assert_eq!(lookup.nearest(&"x".repeat(1_000)), None);
    }

    #[test]
    fn every_name_is_found_and_no_other() {
        for count in [0, 1, 2, 3, 50, 1_000] {
            let names: Vec<Box<str>> = (0..count).map(|i| format!("field_{i}").into()).collect();
            let lookup = Lookup::new(names.clone());
            for (position, name) in names.iter().enumerate() {
                assert_eq!(lookup.find(name.as_bytes(), 0), Some(position));
            }
            assert_eq!(lookup.find(b"field", 0), None);
            assert_eq!(lookup.find(b"", 7), None);
        }
    }
}
