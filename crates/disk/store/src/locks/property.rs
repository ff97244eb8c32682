//! Random requests, releases and doubts of several units, and the rules that the table of locks must always
//! keep.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Answer, Locking, Locks, Mode, Patience, Request, Ticket, UnitId};
use crate::error::ErrorKind;

const UNITS: UnitId = 5;
const RESOURCES: [&[u8]; 4] = [b"A", b"B", b"C", b"D"];

#[derive(Clone, Debug)]
enum Step {
    Ask { unit: UnitId, resource: usize, mode: Mode, patience: Patience },
    Release { unit: UnitId, resource: usize },
    End { unit: UnitId },
    Cancel { unit: UnitId },
    Doubt { unit: UnitId },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let modes = prop_oneof![Just(Mode::Shared), Just(Mode::Exclusive)];
    let patience = prop_oneof![4 => Just(Patience::Wait), 1 => Just(Patience::Refuse)];
    let ask = (0..UNITS, 0..RESOURCES.len(), modes, patience);
    let step = prop_oneof![
        12 => ask.prop_map(|(unit, resource, mode, patience)| Step::Ask { unit, resource, mode, patience }),
        2 => (0..UNITS, 0..RESOURCES.len()).prop_map(|(unit, resource)| Step::Release { unit, resource }),
        3 => (0..UNITS).prop_map(|unit| Step::End { unit }),
        1 => (0..UNITS).prop_map(|unit| Step::Cancel { unit }),
        1 => (0..UNITS).prop_map(|unit| Step::Doubt { unit }),
    ];
    proptest::collection::vec(step, 0..120)
}

struct Crowd {
    locks: Arc<Locks>,
    waits: BTreeMap<UnitId, Ticket>,
}

impl Crowd {
    fn step(&mut self, step: Step) {
        match step {
            Step::Ask { unit, resource, mode, patience } => {
                let request = Request { unit, resource: RESOURCES[resource], mode };
                match self.locks.request(request, patience) {
                    Ok(Locking::Granted) => assert!(self.locks.holds(request)),
                    Ok(Locking::Waiting(ticket)) => {
                        assert!(patience == Patience::Wait && !self.locks.holds(request));
                        self.waits.insert(unit, ticket);
                    }
                    Err(error) => self.check_refusal(unit, error.kind()),
                }
            }
            Step::Release { unit, resource } => {
                if !self.waits.contains_key(&unit) {
                    self.locks.release(unit, RESOURCES[resource]);
                }
            }
            Step::End { unit } => {
                self.locks.release_all(unit);
                self.waits.remove(&unit);
            }
            Step::Cancel { unit } => {
                let waits = self.waits.remove(&unit);
                assert!(waits.is_none_or(|ticket| ticket.cancel()), "it was waiting");
            }
            Step::Doubt { unit } => {
                if !self.waits.contains_key(&unit) {
                    self.locks.retain(unit);
                }
            }
        }
        self.waits.retain(|_, ticket| matches!(ticket.answer(), Answer::Waiting));
    }

    fn check_refusal(&self, unit: UnitId, kind: ErrorKind) {
        match kind {
            ErrorKind::Misuse => assert!(self.waits.contains_key(&unit)),
            ErrorKind::Deadlock => assert!(!self.waits.is_empty(), "a circle has another unit that waits"),
            ErrorKind::Busy | ErrorKind::Locked => {}
            other => panic!("{other:?}"),
        }
    }

    /// No unit holds a lock that another holds alone. If a unit waits, another one does not.
    fn check(&self) {
        for resource in RESOURCES {
            let holds = |unit: &UnitId, mode| self.locks.holds(Request { unit: *unit, resource, mode });
            let holders = (0..UNITS).filter(|unit| holds(unit, Mode::Shared)).count();
            let alone = (0..UNITS).any(|unit| holds(&unit, Mode::Exclusive));
            assert!(!alone || holders == 1);
        }
        assert!(self.waits.len() < UNITS as usize, "all wait for each other");
        for ticket in self.waits.values() {
            assert!(matches!(ticket.answer(), Answer::Waiting));
        }
    }
}

proptest! {
    #[test]
    fn holders_agree_somebody_runs_and_nothing_is_left(steps in steps()) {
        let mut crowd = Crowd { locks: Arc::new(Locks::new(100)), waits: BTreeMap::new() };
        for step in steps {
            crowd.step(step);
            crowd.check();
        }
        // Units that do not wait end, and so let others go on. In the end no unit is left, so there was no
        // deadlock.
        while !crowd.waits.is_empty() {
            let waited = crowd.waits.len();
            let running: Vec<UnitId> = (0..UNITS).filter(|unit| !crowd.waits.contains_key(unit)).collect();
            running.into_iter().for_each(|unit| crowd.step(Step::End { unit }));
            prop_assert!(crowd.waits.len() < waited, "{} units wait for nobody who runs", waited);
        }
        (0..UNITS).for_each(|unit| crowd.locks.release_all(unit));
        prop_assert!(crowd.locks.is_empty());
    }
}
