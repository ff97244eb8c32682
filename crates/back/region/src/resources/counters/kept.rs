//! Named counters in the region's store: each has there the number that is next after a crash.
//!
//! A GET that stays below that number writes nothing. Any other GET first moves the number in the store ahead
//! by `counter_reserve` GETs. So a crash leaves a gap and gives no number twice. An orderly stop leaves none.

use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use program::conditions::INVREQ;
use store::{Direction, ErrorKind, Unit};
use wire::bytes::Reader;
use wire::{Answer, BadMessage, CounterAsk};

use super::{Change, Counter, Counters, Entry, Key, Plan, RESP2_STORE_FAILED, answer};
use crate::resources::durable::{Durable, Opened};
use crate::resources::trouble::{Trouble, refused};

/// The form of a record.
const VERSION: u8 = 1;

/// A GET reserves at most 1/100 of the numbers that are left, so that a crash does not use up a short range.
const RESERVED_OF_LEFT: u128 = 100;

/// How many counters are written together when the region stops.
const SETTLED_TOGETHER: usize = 1_000;

/// How the region keeps its counters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keeping {
    /// How many there may be.
    pub(crate) most: usize,
    /// The number in the store is this many GETs ahead; none if the region keeps no counters.
    pub(crate) reserve: Option<u64>,
}

/// The named counters of a region, in memory and, if it is to keep them, in its store.
#[derive(Debug, Default)]
pub(crate) struct NamedCounters {
    counters: Mutex<Counters>,
    /// Held during a write to the store, so that writes follow each other. Writes are rare.
    writing: Mutex<()>,
}

impl NamedCounters {
    fn counters(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alone(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins with the counters of the store, or goes on with other settings. All counters stay, even if
    /// there are more than `most`. Counters that are kept stay kept as long as the region lives: settings
    /// that say otherwise may still be refused. Blocks.
    ///
    /// # Errors
    /// Those of the store. If it cannot be read, all is as it was.
    pub(crate) fn keep(&self, keeping: Keeping, durable: &Durable) -> Result<(), Trouble> {
        let _one = self.alone();
        if self.counters().goes_on(keeping) {
            return Ok(());
        }
        let found = if durable.exists() { read_all(durable.open()?)? } else { Vec::new() };
        self.counters().begin(keeping, found);
        // Counters that a region had in memory before its settings kept them.
        self.settle_alone(durable)
    }

    /// True if the store has them, too, also if settings of now would not ask for that.
    pub(crate) fn are_kept(&self) -> bool {
        self.counters().reserve.is_some()
    }

    /// Carries a command out; none if the store must be written before.
    pub(crate) fn carry_out(&self, ask: &CounterAsk) -> Option<Answer> {
        let mut counters = self.counters();
        let key = (ask.pool, ask.counter);
        if counters.writing == Some(key) || counters.lost.contains(&key) {
            return None;
        }
        let planned = counters.plan(ask);
        if let Ok(plan) = &planned {
            if !counters.is_covered(plan) {
                return None;
            }
            counters.apply(plan, None);
        }
        Some(answer(planned.as_ref().map_err(|refusal| *refusal)))
    }

    /// Carries a command out, and writes to the store before the answer. Blocks, and goes on to its end once
    /// it has begun.
    pub(crate) fn carry_out_with_store(&self, durable: &Durable, ask: &CounterAsk) -> Answer {
        let _one = self.alone();
        let (plan, next) = {
            let mut counters = self.counters();
            let key = (ask.pool, ask.counter);
            if counters.lost.contains(&key) {
                return refused(&INVREQ, RESP2_STORE_FAILED);
            }
            let plan = match counters.plan(ask) {
                Ok(plan) => plan,
                Err(refusal) => return answer(Err(refusal)),
            };
            if counters.is_covered(&plan) {
                counters.apply(&plan, None);
                return answer(Ok(&plan));
            }
            counters.writing = Some(key);
            (plan, counters.next_in_store(&plan))
        };
        let written = write(durable, [(plan.key, next)]);
        let mut counters = self.counters();
        counters.writing = None;
        match written {
            Ok(()) => {
                counters.apply(&plan, next.map(|next| next.next));
                answer(Ok(&plan))
            }
            Err(Trouble { kind, message }) => {
                tracing::error!("a named counter: {message}");
                if kind == ErrorKind::Unknown {
                    counters.lost.insert(plan.key);
                }
                refused(&INVREQ, RESP2_STORE_FAILED)
            }
        }
    }

    /// Writes to the store how far each counter has gone, so that the next start finds no gap. Blocks.
    ///
    /// # Errors
    /// Those of the store; then there are gaps.
    pub(crate) fn settle(&self, durable: &Durable) -> Result<(), Trouble> {
        let _one = self.alone();
        self.settle_alone(durable)
    }

    fn settle_alone(&self, durable: &Durable) -> Result<(), Trouble> {
        let behind: Vec<(Key, Option<Counter>)> = {
            let mut counters = self.counters();
            let Counters { all, reserve, lost, .. } = &mut *counters;
            if reserve.is_none() {
                return Ok(());
            }
            let behind = all
                .iter_mut()
                .filter(|(key, entry)| entry.reserved != Some(entry.counter.next) && !lost.contains(*key));
            // From now on every number needs a write to the store, until the store has the new values.
            behind
                .map(|(key, entry)| {
                    entry.reserved = entry.reserved.map(|_| entry.counter.next);
                    (*key, Some(entry.counter))
                })
                .collect()
        };
        for some in behind.chunks(SETTLED_TOGETHER) {
            write(durable, some.iter().copied())?;
        }
        let mut counters = self.counters();
        for (key, counter) in behind {
            if let (Some(entry), Some(counter)) = (counters.all.get_mut(&key), counter) {
                entry.reserved = entry.reserved.or(Some(counter.next));
            }
        }
        Ok(())
    }
}

impl Counters {
    /// Goes on with these settings. False, without a change, if the store must be read before.
    fn goes_on(&mut self, keeping: Keeping) -> bool {
        if self.reserve.is_none() && keeping.reserve.is_some() {
            return false;
        }
        self.most = keeping.most;
        self.reserve = keeping.reserve.or(self.reserve);
        true
    }

    /// Begins to keep counters, with those of the store. If a counter is in memory too, the one that has gone
    /// further counts, so that no number is given twice.
    fn begin(&mut self, keeping: Keeping, found: Vec<(Key, Entry)>) {
        for (key, entry) in found {
            let known = self.all.entry(key).or_insert(entry);
            if known.counter.next <= entry.counter.next {
                *known = entry;
            }
        }
        self.most = keeping.most;
        self.reserve = keeping.reserve;
    }

    /// True if the plan needs no write to the store.
    fn is_covered(&self, plan: &Plan) -> bool {
        let reserved = || self.all.get(&plan.key).and_then(|entry| entry.reserved);
        match plan.change {
            Change::None => true,
            _ if self.reserve.is_none() => true,
            Change::Advance(counter) => reserved().is_some_and(|reserved| counter.next <= reserved),
            Change::Set(_) | Change::Delete => false,
        }
    }

    /// The counter as the store will have it; none if it is deleted.
    fn next_in_store(&self, plan: &Plan) -> Option<Counter> {
        match plan.change {
            Change::Advance(counter) => {
                let before = self.all.get(&plan.key).map_or(counter.next, |entry| entry.counter.next);
                let wanted = (counter.next - before).saturating_mul(self.reserve.unwrap_or(0).into());
                let ahead = wanted.min(counter.left() / RESERVED_OF_LEFT);
                Some(Counter { next: counter.next + ahead, ..counter })
            }
            Change::Set(counter) => Some(counter),
            Change::Delete | Change::None => None,
        }
    }
}

impl Counter {
    fn encode(self) -> Vec<u8> {
        let mut to = vec![VERSION];
        to.extend(self.next.to_le_bytes());
        to.extend(self.minimum.to_le_bytes());
        to.extend(self.maximum.to_le_bytes());
        to
    }

    fn decode(bytes: &[u8]) -> Result<Self, BadMessage> {
        let mut from = Reader(bytes);
        if from.byte()? != VERSION {
            return Err(BadMessage("expected a counter of version 1"));
        }
        let next = u128::from_le_bytes(from.array()?);
        let counter = Self { next, minimum: from.u64()?, maximum: from.u64()? };
        if !(u128::from(counter.minimum)..=u128::from(counter.maximum) + 1).contains(&next) {
            return Err(BadMessage("expected a number of the counter's range"));
        }
        from.end(counter)
    }
}

/// Writes counters to the store, all or none. Without a value the counter is deleted.
fn write(
    durable: &Durable,
    counters: impl IntoIterator<Item = (Key, Option<Counter>)>,
) -> Result<(), Trouble> {
    let mut counters = counters.into_iter().peekable();
    if counters.peek().is_none() {
        return Ok(());
    }
    let opened = durable.open()?;
    let mut unit = opened.store.unit()?;
    for (key, counter) in counters {
        put(opened, &mut unit, &record_key(&key), counter)?;
    }
    Ok(unit.syncpoint()?)
}

fn put(opened: &Opened, unit: &mut Unit, key: &[u8], counter: Option<Counter>) -> store::Result<()> {
    let is_there = unit.read(&opened.counters, key)?.is_some();
    match counter.map(Counter::encode) {
        Some(value) if is_there => unit.rewrite(&opened.counters, key, value),
        Some(value) => unit.insert(&opened.counters, key, value),
        None if is_there => unit.delete(&opened.counters, key),
        None => Ok(()),
    }
}

fn record_key((pool, name): &Key) -> Vec<u8> {
    [pool.as_slice(), name].concat()
}

/// All counters of the store.
fn read_all(opened: &Opened) -> Result<Vec<(Key, Entry)>, Trouble> {
    let unit = opened.store.unit()?;
    let (mut all, mut last) = (Vec::new(), None::<Vec<u8>>);
    loop {
        let from = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let Some(found) = unit.browse(&opened.counters, from, Direction::Forward)? else { return Ok(all) };
        let counter = Counter::decode(&found.value).and_then(|counter| Ok((key_of(&found.key)?, counter)));
        let (key, counter) =
            counter.map_err(|error| Trouble::disk(format!("a named counter in the store: {error}")))?;
        all.push((key, Entry { counter, reserved: Some(counter.next) }));
        last = Some(found.key);
    }
}

fn key_of(record: &[u8]) -> Result<Key, BadMessage> {
    let mut from = Reader(record);
    let key = (from.array()?, from.array()?);
    from.end(key)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use wire::{CompareRange, CounterAction, name};

    fn kept(store: &std::path::Path, reserve: u64) -> (NamedCounters, Durable) {
        let (counters, durable) = (NamedCounters::default(), Durable::new(store.to_owned()));
        counters.keep(Keeping { most: 9, reserve: Some(reserve) }, &durable).expect("the store");
        (counters, durable)
    }

    /// Copies a store that is in use: its log first, so that the file is never older.
    fn copy_store(from: &std::path::Path, to: &std::path::Path) {
        for end in [".log1", ".log2", ""] {
            let named = |path: &std::path::Path| format!("{}{end}", path.display());
            std::fs::copy(named(from), named(to)).expect("a copy");
        }
    }

    fn done(kept: &(NamedCounters, Durable), action: CounterAction) -> Result<u64, (u16, u32)> {
        let ask = CounterAsk { pool: name(""), counter: name("ORDERS"), action };
        let (counters, durable) = kept;
        match counters.carry_out(&ask).unwrap_or_else(|| counters.carry_out_with_store(durable, &ask)) {
            Answer::Counter(answer) => Ok(answer.value),
            Answer::Condition { resp, resp2 } => Err((resp, resp2)),
            other => panic!("unexpected: {other:?}"),
        }
    }

    fn get(increment: u64) -> CounterAction {
        CounterAction::Get { increment, reduce: false, wrap: false, range: CompareRange::default() }
    }

    fn define(value: u64) -> CounterAction {
        CounterAction::Define { value: Some(value), minimum: 0, maximum: 1_000_000 }
    }

    #[derive(Clone, Debug)]
    enum Op {
        Get(u64),
        Update(u64),
        Crash,
        Stop,
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            8 => (1..5_u64).prop_map(Op::Get),
            1 => (0..2_000_u64).prop_map(Op::Update),
            1 => Just(Op::Crash),
            1 => Just(Op::Stop),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn a_crash_gives_nothing_twice_and_a_stop_leaves_nothing_out(
            reserve in 0..20_u64, ops in proptest::collection::vec(op(), 1..40)
        ) {
            let folder = tempfile::tempdir().expect("a folder");
            let mut path = folder.path().join("0.store");
            let mut counters = kept(&path, reserve);
            prop_assert_eq!(done(&counters, define(7)), Ok(7));
            // The lowest number that may come, and the highest.
            let (mut next, mut highest) = (7, 7);
            for (number, op) in ops.into_iter().enumerate() {
                match op {
                    Op::Get(increment) => {
                        let value = done(&counters, get(increment)).expect("there are enough");
                        prop_assert!((next..=highest).contains(&value), "{value} is not in {next}..={highest}");
                        (next, highest) = (value + increment, value + increment);
                    }
                    Op::Update(value) => {
                        let range = CompareRange::default();
                        prop_assert_eq!(done(&counters, CounterAction::Update { value, range }), Ok(value));
                        (next, highest) = (value, value);
                    }
                    Op::Crash => {
                        // Another region finds the bytes that are on disk now.
                        let copy = folder.path().join(format!("{}.store", number + 1));
                        copy_store(&path, &copy);
                        path = copy;
                        counters = kept(&path, reserve);
                        highest += 4 * reserve;
                    }
                    Op::Stop => {
                        counters.0.settle(&counters.1).expect("the store");
                        drop(counters);
                        counters = kept(&path, reserve);
                    }
                }
            }
        }

        #[test]
        fn records_of_counters_come_back(minimum: u64, size: u64, at: u64, noise: Vec<u8>) {
            let maximum = minimum.saturating_add(size);
            let next = u128::from(minimum) + u128::from(at) % (u128::from(maximum - minimum) + 2);
            let counter = Counter { next, minimum, maximum };
            let bytes = counter.encode();
            prop_assert_eq!(Counter::decode(&bytes), Ok(counter));
            for length in 0..bytes.len() {
                prop_assert!(Counter::decode(&bytes[..length]).is_err());
            }
            // Any bytes give an error or a counter, without a panic.
            if let Ok(read) = Counter::decode(&noise) {
                prop_assert!(read.encode() == noise);
            }
        }
    }

    #[test]
    fn a_short_range_is_not_used_up_by_a_crash() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, copy) = (folder.path().join("a"), folder.path().join("b"));
        let counters = kept(&path, 1_000);
        let short = CounterAction::Define { value: None, minimum: 1, maximum: 5 };
        assert_eq!(done(&counters, short), Ok(1));
        assert_eq!(done(&counters, get(1)), Ok(1));
        copy_store(&path, &copy);
        assert_eq!(done(&kept(&copy, 1_000), get(1)), Ok(2));
    }

    /// Counters in memory, of a region that may have a store.
    fn in_memory(store: &std::path::Path) -> (NamedCounters, Durable) {
        let (counters, durable) = (NamedCounters::default(), Durable::new(store.to_owned()));
        counters.keep(IN_MEMORY, &durable).expect("no store is needed");
        (counters, durable)
    }

    const IN_MEMORY: Keeping = Keeping { most: 9, reserve: None };
    const KEPT: Keeping = Keeping { most: 9, reserve: Some(10) };

    #[test]
    fn counters_that_are_kept_stay_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let counters = kept(&path, 10);
        counters.0.keep(IN_MEMORY, &counters.1).expect("the store");
        assert_eq!(done(&counters, define(7)), Ok(7));
        drop(counters);
        assert_eq!(done(&kept(&path, 10), get(1)), Ok(7));
    }

    #[test]
    fn of_a_counter_in_memory_and_one_in_the_store_the_larger_number_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        assert_eq!(done(&kept(&path, 10), define(7)), Ok(7));
        for (in_the_memory, next) in [(3, 7), (90, 90)] {
            let counters = in_memory(&path);
            assert_eq!(done(&counters, define(in_the_memory)), Ok(in_the_memory));
            counters.0.keep(KEPT, &counters.1).expect("the store");
            assert_eq!(done(&counters, get(1)), Ok(next));
            counters.0.settle(&counters.1).expect("the store");
        }
        assert_eq!(done(&kept(&path, 10), get(1)), Ok(91));
    }

    #[test]
    fn counters_whose_store_cannot_be_read_stay_in_memory() {
        let folder = tempfile::tempdir().expect("a folder");
        // A folder is not a store.
        let counters = in_memory(folder.path());
        assert!(counters.0.keep(KEPT, &counters.1).is_err());
        assert_eq!(done(&counters, define(7)), Ok(7));
        assert_eq!(done(&counters, get(1)), Ok(7));
    }

    #[test]
    fn a_counter_that_is_deleted_is_gone_from_the_store() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let counters = kept(&path, 10);
        assert_eq!(done(&counters, define(7)), Ok(7));
        assert_eq!(done(&counters, CounterAction::Delete), Ok(7));
        drop(counters);
        let counters = kept(&path, 10);
        assert_eq!(done(&counters, get(1)), Err((16, 201)));
        assert_eq!(done(&counters, define(3)), Ok(3));
    }
}
