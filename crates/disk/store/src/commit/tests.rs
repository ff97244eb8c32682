//! Outcomes of units whose batch was applied although the engine had no room.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::*;
use crate::engine::{Each, Pairs, Span};

/// An engine in memory. The failures of the next commits come from a list; each says whether the batch is applied.
#[derive(Default)]
struct Failing {
    pairs: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
    failures: Mutex<VecDeque<Option<Failure>>>,
    /// Failures of the reads behind a failed commit.
    unreadable: Mutex<bool>,
    closed: Mutex<bool>,
}

#[derive(Clone, Copy)]
struct Failure {
    kind: ErrorKind,
    applied: bool,
}

const FULL: Failure = Failure { kind: ErrorKind::NoSpace, applied: false };
const FULL_BEHIND: Failure = Failure { kind: ErrorKind::NoSpace, applied: true };

fn failed(kind: ErrorKind) -> Error {
    Error::new(kind, "store: as the test says")
}

impl Engine for Failing {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        match *self.unreadable.lock().unwrap() {
            true => Err(failed(ErrorKind::Io)),
            false => Ok(self.pairs.lock().unwrap().get(key).cloned()),
        }
    }

    fn length(&self, _: &[u8]) -> Result<Option<u64>> {
        Ok(None)
    }

    fn scan(&self, _: Span<'_>, _: &mut Each<'_>) -> Result<()> {
        Ok(())
    }

    fn first(&self, span: Span<'_>) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let pairs = self.pairs.lock().unwrap();
        let found = pairs.range::<[u8], (Bound<&[u8]>, Bound<&[u8]>)>((span.from, span.to)).next();
        Ok(found.map(|(key, value)| (key.clone(), value.clone())))
    }

    fn commit(&self, batch: Vec<Change>, _: Force) -> Result<()> {
        if *self.closed.lock().unwrap() {
            return Err(failed(ErrorKind::Stopped));
        }
        let failure = self.failures.lock().unwrap().pop_front().flatten();
        if failure.is_none_or(|failure| failure.applied) {
            for change in batch {
                if let Change::Put { key, value } | Change::Add { key, value } = change {
                    self.pairs.lock().unwrap().insert(key, value);
                }
            }
        }
        failure.map_or(Ok(()), |failure| Err(failed(failure.kind)))
    }

    fn snapshot(&self) -> Result<Box<Pairs>> {
        Err(failed(ErrorKind::Misuse))
    }

    fn tidy(&self, _: u64) -> Result<()> {
        Ok(())
    }

    fn free_reserve(&self) -> bool {
        true
    }

    fn keep_reserve(&self) -> bool {
        true
    }

    fn close(&self) {
        *self.closed.lock().unwrap() = true;
    }
}

/// The outcome of a unit that adds an item, and the number of items that the engine then counts.
fn outcome(failures: &[Option<Failure>], unreadable: bool) -> (Result<()>, u64, bool) {
    let engine = Arc::new(Failing::default());
    let options = Options { drive: Drive::Caller, ..Options::default() };
    let committer =
        Committer::new(Arc::clone(&engine) as Arc<dyn Engine>, options, State::read(&*engine).unwrap());
    *engine.failures.lock().unwrap() = failures.iter().copied().collect();
    *engine.unreadable.lock().unwrap() = unreadable;
    let log = crate::keys::log(1, b"Q");
    let item = || {
        let mut writes = Writes::default();
        writes.put(crate::keys::item(1, b"Q", 1), b"item".to_vec(), 0);
        writes.appended(&log, crate::space::Positions::Unique, 2);
        writes
    };
    let told = Outcome::default();
    let tell = told.clone();
    let put = vec![Change::Put { key: log.clone(), value: Vec::new() }];
    // A unit without a log reads nothing before the commit.
    let writes = if unreadable { Writes::default() } else { item() };
    let system = if unreadable { put } else { Vec::new() };
    committer.submit(Submission::of_unit(writes, system, move |result| tell.tell(result)));
    let outcome = committer.wait(&told);
    *engine.unreadable.lock().unwrap() = false;
    let count = if unreadable { 0 } else { read_header(&*engine, &log).unwrap().count };
    let closed = *engine.closed.lock().unwrap();
    (outcome, count, closed)
}

#[test]
fn a_unit_that_may_be_on_disk_is_neither_backed_out_nor_applied_twice() {
    let kind = |failures: &[Option<Failure>], unreadable| {
        let (outcome, count, closed) = outcome(failures, unreadable);
        (outcome.map_err(|error| error.kind()), count, closed)
    };
    assert_eq!(kind(&[], false), (Ok(()), 1, false));
    assert_eq!(kind(&[Some(FULL_BEHIND)], false), (Ok(()), 1, false), "it is on disk after the next sync");
    let unknown = Err(ErrorKind::Unknown);
    assert_eq!(kind(&[Some(FULL_BEHIND), Some(FULL)], false), (unknown, 1, true));
    let broken = Failure { kind: ErrorKind::Io, applied: false };
    assert_eq!(kind(&[Some(FULL_BEHIND), Some(broken)], false), (unknown, 1, true));
    assert_eq!(kind(&[Some(FULL_BEHIND)], true), (unknown, 0, true), "the engine does not say");
}
