//! The messages of one queue in memory: their order, and the ways to find them by their ids.
//!
//! While an entry can be got, it is in its lane and in the lists of its ids. It is in no list while
//! its put is not committed, or while somebody has taken it. All links are numbers of entries. So a
//! message costs about 130 bytes and its share of two tables.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::Arc;

use message::{CorrelationId, ID_BYTES, Message, MessageId, Moment, Selection};

/// The number of an entry.
pub(crate) type Slot = u32;

const NIL: Slot = Slot::MAX;
const CHUNK_ENTRIES: usize = 4096;
const LANES: usize = 10;

/// The lists of an entry.
#[derive(Clone, Copy)]
enum By {
    Lane = 0,
    Message = 1,
    Correlation = 2,
}

/// The place of a message's body.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In the store, at this position of the queue's log.
    Disk(u64),
    /// Here, because the message is not persistent.
    Memory(Arc<Message>),
    /// Nowhere yet.
    None,
}

/// The state of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Free,
    /// Its put is not committed.
    Putting,
    /// It can be got.
    Ready,
    /// Somebody has got it and has not committed.
    Taken,
    /// It has expired. The next sweep removes it.
    Expired,
    /// Its bytes on disk have changed.
    Damaged,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    before: Slot,
    after: Slot,
}

const UNLINKED: Link = Link { before: NIL, after: NIL };

/// A message in the index.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Ascends with the arrival. The manager never uses a number again.
    pub(crate) order: u64,
    pub(crate) place: Place,
    pub(crate) message_id: MessageId,
    pub(crate) correlation_id: CorrelationId,
    pub(crate) expires: Moment,
    pub(crate) put: Moment,
    /// Its bytes on disk or in memory.
    pub(crate) bytes: u32,
    pub(crate) backouts: u32,
    pub(crate) lane: u8,
    pub(crate) state: State,
    /// True if its sender wants a report when it expires.
    pub(crate) reports_expiry: bool,
    links: [Link; 3],
}

/// The expiry of an entry that never expires.
pub(crate) const NEVER: Moment = Moment(u64::MAX);

impl Entry {
    /// An entry that is in no list and has no order yet.
    pub(crate) fn new(ids: (MessageId, CorrelationId), lane: u8) -> Self {
        Self {
            order: 0,
            place: Place::None,
            message_id: ids.0,
            correlation_id: ids.1,
            expires: NEVER,
            put: Moment(0),
            bytes: 0,
            backouts: 0,
            lane,
            state: State::Putting,
            reports_expiry: false,
            links: [UNLINKED; 3],
        }
    }

    fn is_selected(&self, selection: &Selection) -> bool {
        selection.fits_ids(self.message_id, self.correlation_id)
    }
}

#[derive(Clone, Copy, Debug)]
struct List {
    first: Slot,
    last: Slot,
}

const EMPTY: List = List { first: NIL, last: NIL };

/// Passes keys through, because they are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only numbers are hashed");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

type Table = HashMap<u64, List, BuildHasherDefault<Hashed>>;

/// The index.
pub(crate) struct Index {
    chunks: Vec<Vec<Entry>>,
    free: Vec<Slot>,
    used: usize,
    ready: usize,
    next_order: u64,
    lanes: [List; LANES],
    /// The number of entries in each lane.
    in_lanes: [usize; LANES],
    by_message: Table,
    by_correlation: Table,
    hashes: RandomState,
    expiring: BTreeSet<(Moment, Slot)>,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            free: Vec::new(),
            used: 0,
            ready: 0,
            next_order: 1,
            lanes: [EMPTY; LANES],
            in_lanes: [0; LANES],
            by_message: Table::default(),
            by_correlation: Table::default(),
            hashes: RandomState::new(),
            expiring: BTreeSet::new(),
        }
    }
}

impl Index {
    /// All messages in any state: the depth of the queue.
    pub(crate) fn depth(&self) -> usize {
        self.used
    }

    /// The messages that can be got.
    pub(crate) fn ready(&self) -> usize {
        self.ready
    }

    /// The messages of this lane and of those above it that can be got.
    pub(crate) fn ready_from(&self, lane: u8) -> usize {
        self.in_lanes.iter().skip(usize::from(lane)).sum()
    }

    pub(crate) fn entry(&self, slot: Slot) -> &Entry {
        &self.chunks[slot as usize / CHUNK_ENTRIES][slot as usize % CHUNK_ENTRIES]
    }

    /// An entry, for changes that affect no list.
    pub(crate) fn entry_mut(&mut self, slot: Slot) -> &mut Entry {
        &mut self.chunks[slot as usize / CHUNK_ENTRIES][slot as usize % CHUNK_ENTRIES]
    }

    /// Adds an entry, last in the order and in no list yet.
    pub(crate) fn add(&mut self, mut entry: Entry) -> Slot {
        entry.order = self.next_order;
        self.next_order += 1;
        self.used += 1;
        if let Some(slot) = self.free.pop() {
            *self.entry_mut(slot) = entry;
            return slot;
        }
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK_ENTRIES) {
            // Small queues cost little: the first chunk grows, others begin at their full size.
            let capacity = if self.chunks.is_empty() { 0 } else { CHUNK_ENTRIES };
            self.chunks.push(Vec::with_capacity(capacity));
        }
        let full = (self.chunks.len() - 1) * CHUNK_ENTRIES;
        let chunk = self.chunks.last_mut().expect("just filled");
        chunk.push(entry);
        Slot::try_from(full + chunk.len() - 1).expect("fewer messages than that fit into memory")
    }

    /// Removes an entry that is in no list.
    pub(crate) fn free(&mut self, slot: Slot) -> Entry {
        let entry = self.entry_mut(slot);
        let mut last = Entry::new((MessageId::NONE, CorrelationId::NONE), 0);
        last.state = State::Free;
        let entry = std::mem::replace(entry, last);
        self.used -= 1;
        if self.used == 0 {
            // No entry is in use, so free all memory.
            (self.chunks, self.free) = (Vec::new(), Vec::new());
            (self.by_message, self.by_correlation) = (Table::default(), Table::default());
        } else {
            self.free.push(slot);
        }
        entry
    }

    /// Makes an entry ready, at its place in the order.
    pub(crate) fn publish(&mut self, slot: Slot) {
        let entry = self.entry_mut(slot);
        entry.state = State::Ready;
        let (lane, expires) = (entry.lane, entry.expires);
        let (message_id, correlation_id) = (entry.message_id, entry.correlation_id);
        let mut list = self.lanes[usize::from(lane)];
        self.link(&mut list, slot, By::Lane);
        self.lanes[usize::from(lane)] = list;
        let key = self.hash(&message_id.0, lane);
        let mut list = self.by_message.get(&key).copied().unwrap_or(EMPTY);
        self.link(&mut list, slot, By::Message);
        self.by_message.insert(key, list);
        if !correlation_id.is_none() {
            let key = self.hash(&correlation_id.0, lane);
            let mut list = self.by_correlation.get(&key).copied().unwrap_or(EMPTY);
            self.link(&mut list, slot, By::Correlation);
            self.by_correlation.insert(key, list);
        }
        if expires != NEVER {
            self.expiring.insert((expires, slot));
        }
        self.ready += 1;
        self.in_lanes[usize::from(lane)] += 1;
    }

    /// Takes a ready entry out of all lists, and sets its state.
    pub(crate) fn withdraw(&mut self, slot: Slot, state: State) {
        let entry = self.entry_mut(slot);
        debug_assert_eq!(entry.state, State::Ready);
        entry.state = state;
        let (lane, expires) = (entry.lane, entry.expires);
        let (message_id, correlation_id) = (entry.message_id, entry.correlation_id);
        let mut list = self.lanes[usize::from(lane)];
        self.unlink(&mut list, slot, By::Lane);
        self.lanes[usize::from(lane)] = list;
        let key = self.hash(&message_id.0, lane);
        let mut list = self.by_message[&key];
        self.unlink(&mut list, slot, By::Message);
        keep(&mut self.by_message, key, list);
        if !correlation_id.is_none() {
            let key = self.hash(&correlation_id.0, lane);
            let mut list = self.by_correlation[&key];
            self.unlink(&mut list, slot, By::Correlation);
            keep(&mut self.by_correlation, key, list);
        }
        if expires != NEVER {
            self.expiring.remove(&(expires, slot));
        }
        self.ready -= 1;
        self.in_lanes[usize::from(lane)] -= 1;
    }

    /// The first matching entry, in the order of delivery.
    pub(crate) fn first(&self, selection: &Selection) -> Option<Slot> {
        self.next(selection, None, u64::MAX)
    }

    /// The first matching entry behind a place in the order of delivery.
    pub(crate) fn after(&self, selection: &Selection, place: Cursor) -> Option<Slot> {
        self.next(selection, Some(place), u64::MAX)
    }

    /// The first matching entry behind a place, if there is one, and with an order below `before`.
    pub(crate) fn next(&self, selection: &Selection, after: Option<Cursor>, before: u64) -> Option<Slot> {
        // The orders in a list ascend. So if its first matching entry came too late, all others did.
        let is_before = |slot: &Slot| self.entry(*slot).order < before;
        let first_of_lane = |lane| self.first_of_lane(lane, selection).filter(is_before);
        let Some(place) = after else { return self.lanes_in_order().find_map(first_of_lane) };
        let still = self.is_at(place).then(|| self.entry(place.slot).links[By::Lane as usize].after);
        let rest = still.unwrap_or_else(|| self.first_behind(place));
        let mut rest = self.run(rest, By::Lane).take_while(is_before);
        rest.find(|&slot| self.entry(slot).is_selected(selection))
            .or_else(|| self.lanes_in_order().filter(|&lane| lane < place.lane).find_map(first_of_lane))
    }

    /// The order of the next entry. It is higher than all others.
    pub(crate) fn next_order(&self) -> u64 {
        self.next_order
    }

    /// The place of an entry, for [`Index::after`].
    pub(crate) fn cursor(&self, slot: Slot) -> Cursor {
        let entry = self.entry(slot);
        Cursor { lane: entry.lane, order: entry.order, slot }
    }

    /// True if the entry of a cursor can still be got.
    pub(crate) fn is_at(&self, place: Cursor) -> bool {
        let slot = place.slot as usize;
        let entry = self.chunks.get(slot / CHUNK_ENTRIES).and_then(|chunk| chunk.get(slot % CHUNK_ENTRIES));
        entry.is_some_and(|entry| entry.order == place.order && entry.state == State::Ready)
    }

    /// The entry that expires next, if it has expired by now.
    pub(crate) fn expired(&self, now: Moment) -> Option<Slot> {
        self.expiring.first().filter(|(expires, _)| *expires <= now).map(|(_, slot)| *slot)
    }

    /// The put time of the oldest message that can be got.
    pub(crate) fn oldest(&self) -> Option<Moment> {
        let firsts = self.lanes.iter().filter(|list| list.first != NIL);
        firsts.map(|list| self.entry(list.first).put).min()
    }

    fn lanes_in_order(&self) -> impl Iterator<Item = u8> {
        (0..LANES as u8).rev().filter(|&lane| self.lanes[usize::from(lane)].first != NIL)
    }

    fn first_of_lane(&self, lane: u8, selection: &Selection) -> Option<Slot> {
        let of = |table: &Table, id: &[u8; ID_BYTES]| table.get(&self.hash(id, lane)).map(|list| list.first);
        let (first, by) = match (selection.message_id(), selection.correlation_id()) {
            (Some(id), _) => (of(&self.by_message, &id.0), By::Message),
            (None, Some(id)) => (of(&self.by_correlation, &id.0), By::Correlation),
            (None, None) => (Some(self.lanes[usize::from(lane)].first), By::Lane),
        };
        self.run(first.unwrap_or(NIL), by).find(|&slot| self.entry(slot).is_selected(selection))
    }

    fn first_behind(&self, place: Cursor) -> Slot {
        let first = self.lanes[usize::from(place.lane)].first;
        self.run(first, By::Lane).find(|&slot| self.entry(slot).order > place.order).unwrap_or(NIL)
    }

    /// The entries of a list, from one entry on.
    fn run(&self, from: Slot, by: By) -> impl Iterator<Item = Slot> {
        let some = |slot: Slot| (slot != NIL).then_some(slot);
        std::iter::successors(some(from), move |&slot| some(self.entry(slot).links[by as usize].after))
    }

    fn hash(&self, id: &[u8; ID_BYTES], lane: u8) -> u64 {
        self.hashes.hash_one((id, lane))
    }

    /// Puts an entry into a list, by its order. The search goes from both ends, because most
    /// entries belong to an end.
    fn link(&mut self, list: &mut List, slot: Slot, by: By) {
        let order = self.entry(slot).order;
        let (mut low, mut high) = (list.first, list.last);
        let (before, after) = loop {
            if high == NIL || self.entry(high).order < order {
                let after = if high == NIL { list.first } else { self.entry(high).links[by as usize].after };
                break (high, after);
            }
            if self.entry(low).order > order {
                break (self.entry(low).links[by as usize].before, low);
            }
            low = self.entry(low).links[by as usize].after;
            high = self.entry(high).links[by as usize].before;
        };
        self.entry_mut(slot).links[by as usize] = Link { before, after };
        match before {
            NIL => list.first = slot,
            before => self.entry_mut(before).links[by as usize].after = slot,
        }
        match after {
            NIL => list.last = slot,
            after => self.entry_mut(after).links[by as usize].before = slot,
        }
    }

    fn unlink(&mut self, list: &mut List, slot: Slot, by: By) {
        let Link { before, after } =
            std::mem::replace(&mut self.entry_mut(slot).links[by as usize], UNLINKED);
        match before {
            NIL => list.first = after,
            before => self.entry_mut(before).links[by as usize].after = after,
        }
        match after {
            NIL => list.last = before,
            after => self.entry_mut(after).links[by as usize].before = before,
        }
    }
}

fn keep(table: &mut Table, key: u64, list: List) {
    if list.first == NIL {
        table.remove(&key);
    } else {
        table.insert(key, list);
    }
}

/// A place in the order of delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) lane: u8,
    pub(crate) order: u64,
    pub(crate) slot: Slot,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(number: u8) -> [u8; ID_BYTES] {
        [number; ID_BYTES]
    }

    #[derive(Clone, Debug)]
    enum Step {
        Add(u8, u8, u8),
        Publish(usize),
        Take(Selection),
        Return(usize),
        Free(usize),
    }

    fn selection() -> impl Strategy<Value = Selection> {
        (0u8..4, 0u8..4).prop_map(|(one, two)| Selection::new(MessageId(id(one)), CorrelationId(id(two))))
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0u8..4, 0u8..4, 0u8..10).prop_map(|(one, two, lane)| Step::Add(one, two, lane)),
            any::<usize>().prop_map(Step::Publish),
            selection().prop_map(Step::Take),
            any::<usize>().prop_map(Step::Return),
            any::<usize>().prop_map(Step::Free),
        ]
    }

    /// The ready entries in the order of delivery, found by a search through all of them.
    fn ready(index: &Index, slots: &[Slot]) -> Vec<Slot> {
        let mut ready: Vec<Slot> =
            slots.iter().copied().filter(|&slot| index.entry(slot).state == State::Ready).collect();
        ready.sort_by_key(|&slot| (9 - index.entry(slot).lane, index.entry(slot).order));
        ready
    }

    proptest! {
        #[test]
        fn the_index_finds_what_a_look_at_everything_finds(
            steps in prop::collection::vec(step(), 1..120),
            wanted in selection(),
            before in 0u64..120,
        ) {
            let mut index = Index::default();
            let mut slots: Vec<Slot> = Vec::new();
            for step in steps {
                let in_state = |index: &Index, slots: &[Slot], state, nth: usize| {
                    let found: Vec<Slot> = slots.iter().copied().filter(|&s| index.entry(s).state == state).collect();
                    (!found.is_empty()).then(|| found[nth % found.len()])
                };
                match step {
                    Step::Add(one, two, lane) => {
                        let entry = Entry::new((MessageId(id(one)), CorrelationId(id(two))), lane);
                        slots.push(index.add(entry));
                    }
                    Step::Publish(nth) => {
                        if let Some(slot) = in_state(&index, &slots, State::Putting, nth) {
                            index.publish(slot);
                        }
                    }
                    Step::Take(selection) => {
                        let all = ready(&index, &slots);
                        let expected = all.into_iter().find(|&slot| index.entry(slot).is_selected(&selection));
                        prop_assert_eq!(index.first(&selection), expected);
                        if let Some(slot) = expected {
                            index.withdraw(slot, State::Taken);
                        }
                    }
                    Step::Return(nth) => {
                        if let Some(slot) = in_state(&index, &slots, State::Taken, nth) {
                            index.publish(slot);
                        }
                    }
                    Step::Free(nth) => {
                        if let Some(slot) = in_state(&index, &slots, State::Taken, nth) {
                            index.free(slot);
                            slots.retain(|&other| other != slot);
                        }
                    }
                }
            }
            let all = ready(&index, &slots);
            prop_assert_eq!((index.ready(), index.depth()), (all.len(), slots.len()));
            let expected: Vec<Slot> = all.iter().copied().filter(|&s| index.entry(s).is_selected(&wanted)).collect();
            let mut found = Vec::new();
            let mut next = index.first(&wanted);
            while let Some(slot) = next {
                found.push(slot);
                let mut cursor = index.cursor(slot);
                prop_assert_eq!(index.after(&wanted, cursor), index.after(&wanted, { cursor.slot = NIL; cursor }));
                next = index.after(&wanted, cursor);
            }
            prop_assert_eq!(&found, &expected);
            let is_before = |&slot: &Slot| index.entry(slot).order < before;
            let mut found = Vec::new();
            while let Some(slot) = index.next(&wanted, found.last().map(|&slot| index.cursor(slot)), before) {
                found.push(slot);
            }
            prop_assert_eq!(found, expected.into_iter().filter(is_before).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_entry_costs_little() {
        assert!(size_of::<Entry>() <= 136, "{}", size_of::<Entry>());
    }
}
