//! A store beside a model of it, and random steps that are taken on both.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use store::{
    Authority, Decision, Direction, ErrorKind, GlobalId, Keyed, Logs, Preparation, Result, Store, Unit,
    Verdict, Vote,
};

use crate::setup::{accounts, items, messages, queues, records};

const QUEUES: [&[u8]; 2] = [b"QA", b"QB"];

/// One change, as the model knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Put(Vec<u8>, Vec<u8>),
    Delete(Vec<u8>),
    Item(Vec<u8>, u64, Vec<u8>),
    Clear(Vec<u8>),
    Message(u64, Vec<u8>),
    Taken(u64),
    /// Prepares, with the units below it, which get the decision of this store.
    Prepare(GlobalId, Vec<Effect>, Below),
    Resolve(GlobalId, bool),
}

/// The participants of a unit in the middle; none of another one.
type Below = Vec<String>;

/// The expected content of the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Model {
    records: BTreeMap<Vec<u8>, Vec<u8>>,
    queues: BTreeMap<Vec<u8>, BTreeMap<u64, Vec<u8>>>,
    messages: BTreeMap<u64, Vec<u8>>,
    in_doubt: BTreeMap<GlobalId, (Vec<Effect>, Below)>,
    decisions: BTreeMap<GlobalId, Below>,
}

impl Model {
    fn apply(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect.clone() {
                Effect::Put(key, value) => drop(self.records.insert(key, value)),
                Effect::Delete(key) => drop(self.records.remove(&key)),
                Effect::Item(name, position, value) => {
                    self.queues.entry(name).or_default().insert(position, value);
                }
                Effect::Clear(name) => drop(self.queues.remove(&name)),
                Effect::Message(position, value) => drop(self.messages.insert(position, value)),
                Effect::Taken(position) => drop(self.messages.remove(&position)),
                Effect::Prepare(id, effects, below) => drop(self.in_doubt.insert(id, (effects, below))),
                Effect::Resolve(id, commit) => {
                    let (effects, below) = self.in_doubt.remove(&id).unwrap_or_default();
                    if commit {
                        self.apply(&effects);
                    }
                    if commit && !below.is_empty() {
                        self.decisions.insert(id, below);
                    }
                }
            }
        }
    }

    /// What `unit` should see if it sees this.
    #[track_caller]
    fn check(&self, world: &World, unit: &Unit) {
        let expected: Vec<_> = self.records.clone().into_iter().collect();
        assert_eq!(records(unit, &world.file, Direction::Forward), expected);
        assert_eq!(
            records(unit, &world.file, Direction::Backward).into_iter().rev().collect::<Vec<_>>(),
            expected
        );
        for name in QUEUES {
            let expected: Vec<_> = self.queues.get(name).cloned().unwrap_or_default().into_iter().collect();
            assert_eq!(unit.extent(&world.queues, name).unwrap().count, expected.len() as u64);
            assert_eq!(items(unit, &world.queues, name), expected);
        }
        let expected: Vec<_> = self.messages.clone().into_iter().collect();
        assert_eq!(unit.extent(&world.messages, b"M").unwrap().count, expected.len() as u64);
        assert_eq!(items(unit, &world.messages, b"M"), expected);
    }

    /// The content of a store, without the changes of units in doubt.
    #[track_caller]
    pub(crate) fn of(store: &Store) -> Model {
        let unit = store.unit().unwrap();
        let (file, queues, messages) = (accounts(store), queues(store), messages(store));
        let mut model = Model {
            records: records(&unit, &file, Direction::Forward).into_iter().collect(),
            messages: items(&unit, &messages, b"M").into_iter().collect(),
            in_doubt: store
                .in_doubt()
                .into_iter()
                .map(|unit| (unit.id, (Vec::new(), unit.participants)))
                .collect(),
            decisions: store
                .decisions()
                .into_iter()
                .map(|decision| (decision.id, decision.participants))
                .collect(),
            ..Model::default()
        };
        assert_eq!(unit.extent(&messages, b"M").unwrap().count, model.messages.len() as u64);
        for name in QUEUES {
            let found: BTreeMap<_, _> = items(&unit, &queues, name).into_iter().collect();
            assert_eq!(unit.extent(&queues, name).unwrap().count, found.len() as u64);
            if !found.is_empty() {
                model.queues.insert(name.to_vec(), found);
            }
        }
        assert_eq!(store.used_bytes(), model.used_bytes());
        model
    }

    /// True if `found` in a store is this.
    pub(crate) fn is(&self, found: &Model) -> bool {
        self.records == found.records
            && self.queues == found.queues
            && self.messages == found.messages
            && self.below().eq(found.below())
            && self.decisions == found.decisions
    }

    /// The units in doubt, and whom they tell.
    fn below(&self) -> impl Iterator<Item = (&GlobalId, &Below)> {
        self.in_doubt.iter().map(|(id, (_, below))| (id, below))
    }

    /// Bytes of keys and values as the store counts them: 5 bytes before a key, 13 and the name around a position.
    fn used_bytes(&self) -> u64 {
        let records = self.records.iter().map(|(key, value)| 5 + key.len() + value.len());
        let queues = self
            .queues
            .iter()
            .flat_map(|(name, items)| items.values().map(|item| 14 + name.len() + item.len()));
        let messages = self.messages.values().map(|message| 15 + message.len());
        records.chain(queues).chain(messages).sum::<usize>() as u64
    }
}

/// A submission to the committer.
struct Submitted {
    effects: Vec<Effect>,
    /// An abort by the coordinator need not be on disk.
    forced: bool,
    outcome: Arc<Mutex<Option<Result<()>>>>,
}

struct OpenUnit {
    unit: Unit,
    effects: Vec<Effect>,
}

/// A store, its model, and the units that are open on both.
pub(crate) struct World {
    pub(crate) store: Store,
    file: Keyed,
    queues: Logs,
    messages: Logs,
    units: Vec<OpenUnit>,
    base: Model,
    visible: Model,
    submitted: Vec<Submitted>,
    counted: usize,
    next_id: u32,
    /// Whether each step is followed by a look at all that a unit sees.
    pub(crate) looks: bool,
}

impl World {
    /// A store that holds `base`.
    pub(crate) fn new(store: Store, base: Model) -> Self {
        let (file, queues, messages) = (accounts(&store), queues(&store), messages(&store));
        // Those that are known are in use.
        let number = |id: &GlobalId| id.to_string()[1..].parse::<u32>().unwrap();
        let next_id = base.in_doubt.keys().chain(base.decisions.keys()).map(number).max().unwrap_or(0);
        let (visible, units, submitted) = (base.clone(), Vec::new(), Vec::new());
        Self {
            store,
            file,
            queues,
            messages,
            units,
            base,
            visible,
            submitted,
            counted: 0,
            next_id,
            looks: false,
        }
    }

    /// Takes one step; `choose` gives numbers below its argument.
    pub(crate) fn step(&mut self, choose: &mut impl FnMut(usize) -> usize) {
        match choose(16) {
            0..=8 => self.change(choose),
            9 => {
                if !self.units.is_empty() {
                    let unit = self.units.remove(choose(self.units.len()));
                    unit.unit.backout();
                }
            }
            10..=12 => self.submit(choose),
            13 => self.prepare(choose),
            14 => self.resolve(choose),
            _ => while self.store.drive() {},
        }
        self.count();
        let mut walked = BTreeMap::new();
        let walk = self.store.walk(&self.messages, |item| {
            if item.log == b"M" {
                walked.insert(item.position, item.value.expect("no item is damaged").to_vec());
            }
            ControlFlow::Continue(())
        });
        // A store that has stopped shows nothing.
        assert!(walk.is_err() || walked == self.visible.messages, "a walk saw something else");
        if self.looks && !self.units.is_empty() {
            let open = &self.units[choose(self.units.len())];
            let mut expected = self.visible.clone();
            expected.apply(&open.effects);
            expected.check(self, &open.unit);
        }
    }

    fn change(&mut self, choose: &mut impl FnMut(usize) -> usize) {
        if self.units.len() < 3 && (self.units.is_empty() || choose(4) == 0) {
            let Ok(unit) = self.store.unit() else { return };
            self.units.push(OpenUnit { unit, effects: Vec::new() });
        }
        let number = choose(self.units.len());
        let open = &mut self.units[number];
        // Mostly small; sometimes beyond a page.
        let length = if choose(12) == 0 { 3_000 + choose(9_000) } else { choose(40) };
        let value = vec![choose(256) as u8; length];
        let key = vec![b'A' + choose(12) as u8];
        let name = QUEUES[choose(2)];
        let done = match choose(9) {
            0 | 1 => open.unit.insert(&self.file, &key, value.clone()).map(|()| Effect::Put(key, value)),
            2 => open.unit.rewrite(&self.file, &key, value.clone()).map(|()| Effect::Put(key, value)),
            3 => open.unit.delete(&self.file, &key).map(|()| Effect::Delete(key)),
            4 => open
                .unit
                .append(&self.queues, name, value.clone())
                .map(|position| Effect::Item(name.to_vec(), position, value)),
            5 if choose(3) == 0 => open.unit.clear(&self.queues, name).map(|()| Effect::Clear(name.to_vec())),
            5 => open
                .unit
                .replace(&self.queues, name, 1, value.clone())
                .map(|()| Effect::Item(name.to_vec(), 1, value)),
            6 | 7 => open
                .unit
                .append(&self.messages, b"M", value.clone())
                .map(|position| Effect::Message(position, value)),
            _ => match open.unit.take_first(&self.messages, b"M") {
                Ok(None) => return,
                taken => taken.map(|item| Effect::Taken(item.unwrap().position)),
            },
        };
        match done {
            Ok(effect) => open.effects.push(effect),
            Err(error) => {
                use ErrorKind::{Busy, Duplicate, Io, Locked, NotFound, Stopped};
                assert!(
                    matches!(error.kind(), Busy | Duplicate | Locked | NotFound | Stopped | Io),
                    "{:?}: {error}",
                    error.kind()
                );
            }
        }
    }

    fn submit(&mut self, choose: &mut impl FnMut(usize) -> usize) {
        if self.units.is_empty() {
            return;
        }
        let OpenUnit { unit, effects } = self.units.remove(choose(self.units.len()));
        let outcome = Arc::new(Mutex::new(None));
        let told = Arc::clone(&outcome);
        // A unit without changes is acknowledged even when the disk has gone, and says nothing about it.
        let lazy = choose(4) == 0;
        let forced = !unit.is_unchanged() && !lazy;
        let then = move |result| *told.lock().unwrap() = Some(result);
        if lazy {
            unit.syncpoint_lazily_then(then)
        } else {
            unit.syncpoint_then(then)
        }
        self.submitted.push(Submitted { effects, forced, outcome });
    }

    fn prepare(&mut self, choose: &mut impl FnMut(usize) -> usize) {
        if self.units.is_empty() {
            return;
        }
        let OpenUnit { mut unit, effects } = self.units.remove(choose(self.units.len()));
        self.next_id += 1;
        let id = GlobalId::new(format!("U{:08}", self.next_id).as_bytes()).unwrap();
        let below: Below = if choose(2) == 0 { vec!["REGC".to_owned()] } else { Vec::new() };
        if !below.is_empty() {
            unit.coordinate(&id).unwrap();
        }
        let vote = Arc::new(Mutex::new(None));
        let told = Arc::clone(&vote);
        let preparation = Preparation { id: &id, coordinator: "REGA", participants: &below };
        unit.prepare_then(preparation, move |given| *told.lock().unwrap() = Some(given));
        while self.store.drive() {}
        let outcome = match vote.lock().unwrap().take().expect("the store has done all it can") {
            Ok(Vote::ReadOnly) => return,
            Ok(Vote::Prepared(prepared)) => {
                drop(prepared);
                assert_eq!(self.store.verdict(&id), Verdict::Undecided);
                Ok(())
            }
            Err(error) => Err(error),
        };
        self.note(vec![Effect::Prepare(id, effects, below)], true, outcome);
    }

    fn resolve(&mut self, choose: &mut impl FnMut(usize) -> usize) {
        self.count();
        let doubt: Vec<GlobalId> = self.visible.in_doubt.keys().cloned().collect();
        if doubt.is_empty() {
            return;
        }
        let id = doubt[choose(doubt.len())].clone();
        let commit = choose(2) == 0;
        let decision = if commit { Decision::Commit } else { Decision::Abort };
        let outcome = self.store.resolve(&id, decision, Authority::Coordinator).map(|_| ());
        self.note(vec![Effect::Resolve(id, commit)], commit, outcome);
    }

    fn note(&mut self, effects: Vec<Effect>, forced: bool, outcome: Result<()>) {
        let outcome = Arc::new(Mutex::new(Some(outcome)));
        self.submitted.push(Submitted { effects, forced, outcome });
    }

    /// Makes visible what has been applied.
    fn count(&mut self) {
        while let Some(next) = self.submitted.get(self.counted) {
            match &*next.outcome.lock().unwrap() {
                None => return,
                Some(Ok(())) => self.visible.apply(&next.effects),
                Some(Err(_)) => {}
            }
            self.counted += 1;
        }
    }

    /// Applies what waits, and looks once more.
    pub(crate) fn finish(mut self) -> Model {
        while self.store.drive() {}
        self.count();
        self.units.clear();
        let found = Model::of(&self.store);
        assert!(self.visible.is(&found), "expected {:?}\nfound {found:?}", self.visible);
        self.visible
    }

    /// Ends without a syncpoint. What may be found on disk: everything that was acknowledged, in order, and behind
    /// that as much as got through.
    pub(crate) fn crash(self) -> Vec<Model> {
        let World { store, units, submitted, base, .. } = self;
        drop(units);
        std::mem::forget(store);
        let outcome = |submitted: &Submitted| submitted.outcome.lock().unwrap().clone();
        let possible = |submitted: &&Submitted| match outcome(submitted) {
            Some(Err(error)) => error.kind() == ErrorKind::Unknown,
            _ => true,
        };
        let possible: Vec<&Submitted> = submitted.iter().filter(possible).collect();
        let sure = possible.iter().rposition(|one| one.forced && matches!(outcome(one), Some(Ok(()))));
        let sure = sure.map_or(0, |last| last + 1);
        let mut model = base;
        let mut models = Vec::new();
        for (number, one) in possible.iter().enumerate() {
            if number >= sure {
                models.push(model.clone());
            }
            model.apply(&one.effects);
        }
        models.push(model);
        models
    }
}
