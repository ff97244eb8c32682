//! The ends of logs to which several units add in parallel. Positions follow the order of adding, not of committing.

use std::collections::HashMap;

use crate::error::Result;

#[derive(Debug)]
struct Tail {
    next: u64,
    /// Units that have added items and have not ended.
    units: usize,
}

/// The ends of logs with uncommitted items. For all other logs, the header in the store is enough.
#[derive(Debug, Default)]
pub(crate) struct Tails {
    tails: HashMap<Vec<u8>, Tail>,
}

/// A unit's wish for a position.
#[derive(Debug)]
pub(crate) struct Wish<'a> {
    pub(crate) log: &'a [u8],
    /// The distance of the next position from this one.
    pub(crate) step: u64,
    /// True if the unit has no position in this log yet.
    pub(crate) first: bool,
}

impl Tails {
    /// The next position. `committed` gives the state of the log in the store, if no other unit is adding.
    pub(crate) fn reserve(
        &mut self,
        wish: &Wish<'_>,
        committed: impl FnOnce() -> Result<u64>,
    ) -> Result<u64> {
        if !self.tails.contains_key(wish.log) {
            self.tails.insert(wish.log.to_vec(), Tail { next: committed()?, units: 0 });
        }
        let tail = self.tails.get_mut(wish.log).expect("just filled");
        let position = tail.next;
        tail.next = position.saturating_add(wish.step);
        tail.units += usize::from(wish.first);
        Ok(position)
    }

    /// A unit that was in doubt when the store was closed holds positions. Those before `next` are used.
    pub(crate) fn hold(&mut self, log: &[u8], next: u64) {
        let tail = self.tails.entry(log.to_vec()).or_insert(Tail { next, units: 0 });
        tail.next = tail.next.max(next);
        tail.units += 1;
    }

    /// A unit with positions has ended, and its committed items can be read.
    pub(crate) fn release(&mut self, log: &[u8]) {
        let Some(tail) = self.tails.get_mut(log) else { return };
        tail.units = tail.units.saturating_sub(1);
        if tail.units == 0 {
            self.tails.remove(log);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_unique_among_units_and_forgotten_after_them() {
        let mut tails = Tails::default();
        let wish = |first| Wish { log: b"Q", step: 1, first };
        assert_eq!(tails.reserve(&wish(true), || Ok(5)).unwrap(), 5);
        assert_eq!(tails.reserve(&wish(true), || panic!("known")).unwrap(), 6);
        assert_eq!(tails.reserve(&wish(false), || panic!("known")).unwrap(), 7);
        tails.release(b"Q");
        assert_eq!(tails.reserve(&wish(true), || panic!("known")).unwrap(), 8);
        tails.release(b"Q");
        tails.release(b"Q");
        assert_eq!(tails.reserve(&wish(true), || Ok(9)).unwrap(), 9);
    }

    #[test]
    fn a_unit_in_doubt_keeps_its_positions() {
        let mut tails = Tails::default();
        tails.hold(b"Q", 12);
        tails.hold(b"Q", 10);
        let wish = Wish { log: b"Q", step: 100, first: true };
        assert_eq!(tails.reserve(&wish, || panic!("known")).unwrap(), 12);
    }
}
