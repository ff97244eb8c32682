//! Browses of a file against a model: a sorted list of keys and a finger between two of them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use program::conditions::{DUPREC, ENDFILE, INVREQ, NOTFND};
use proptest::prelude::*;
use store::Collation;
use wire::{Addressing, Answer, Ask, FileAnswer, FileAsk, FileRequest, Hold, RecordAt};

use super::browse::BROWSES_MAX;
use super::{Allowed, FileDefinition, FileOrganization, FileStatus};
use crate::definitions::{Defined, Definitions};
use crate::resources::Resources;
use crate::settings::{Limits, Settings};
use crate::starts::children::Parents;
use crate::work::{TaskContext, Work};

const FILE: [u8; 8] = *b"PROPERTY";

#[derive(Clone, Debug)]
enum Op {
    Write(u8),
    Delete(u8),
    Start {
        key: u8,
        exact: bool,
    },
    Next,
    Previous,
    /// The program has changed RIDFLD before.
    NextFrom(u8),
    PreviousFrom(u8),
}

fn op() -> impl Strategy<Value = Op> {
    // Few keys, so that browses meet records that were written and deleted; the highest is the end of the
    // file.
    let key = || prop_oneof![8 => 0..12_u8, 1 => Just(u8::MAX)];
    prop_oneof![
        (0..12_u8).prop_map(Op::Write),
        (0..12_u8).prop_map(Op::Delete),
        (key(), any::<bool>()).prop_map(|(key, exact)| Op::Start { key, exact }),
        Just(Op::Next),
        Just(Op::Next),
        Just(Op::Previous),
        Just(Op::Previous),
        key().prop_map(Op::NextFrom),
        key().prop_map(Op::PreviousFrom),
    ]
}

/// The outcome of a step: a key, or the number of a condition.
type Outcome = Result<Option<u8>, u16>;

/// Where the model's browse is.
#[derive(Clone, Copy, Debug)]
enum Finger {
    /// Set to a key; nothing has been read.
    Set(u8),
    /// The record of this key was read last, going forwards or not.
    Read(u8, bool),
}

#[derive(Default)]
struct Model {
    keys: BTreeSet<u8>,
    browse: Option<(Finger, bool)>,
    ridfld: u8,
}

impl Model {
    fn run(&mut self, op: &Op) -> Outcome {
        match *op {
            Op::Write(key) => self.keys.insert(key).then_some(None).ok_or(DUPREC.number),
            Op::Delete(key) => self.keys.remove(&key).then_some(None).ok_or(NOTFND.number),
            Op::Start { key, exact } => {
                let there = match exact {
                    true => self.keys.contains(&key),
                    false => self.keys.range(key..).next().is_some(),
                };
                if !there && key != u8::MAX {
                    self.browse = None;
                    return Err(NOTFND.number);
                }
                (self.browse, self.ridfld) = (Some((Finger::Set(key), exact)), key);
                Ok(None)
            }
            Op::Next => self.step(true),
            Op::Previous => self.step(false),
            Op::NextFrom(key) => self.step_from(key, true),
            Op::PreviousFrom(key) => self.step_from(key, false),
        }
    }

    fn step_from(&mut self, key: u8, forward: bool) -> Outcome {
        let before = self.browse;
        if let Some((finger, _)) = &mut self.browse
            && key != self.ridfld
        {
            *finger = Finger::Set(key);
        }
        let outcome = self.step(forward);
        if outcome.is_err() {
            self.browse = before;
        }
        outcome
    }

    fn step(&mut self, forward: bool) -> Outcome {
        let Some((finger, exact)) = self.browse else { return Ok(None) };
        let key = match (finger, forward) {
            (Finger::Set(key), true) if exact => self.keys.get(&key).copied(),
            (Finger::Set(key), true) => self.keys.range(key..).next().copied(),
            (Finger::Set(u8::MAX), false) => self.keys.last().copied(),
            (Finger::Set(key), false) => self.keys.get(&key).copied(),
            (Finger::Read(key, true), true) => self.keys.range(key + 1..).next().copied(),
            (Finger::Read(key, false), true) => self.keys.range(key..).next().copied(),
            (Finger::Read(key, true), false) => self.keys.range(..=key).next_back().copied(),
            (Finger::Read(key, false), false) => self.keys.range(..key).next_back().copied(),
        };
        match (key, finger) {
            (Some(key), _) => {
                (self.browse, self.ridfld) = (Some((Finger::Read(key, forward), exact)), key);
                Ok(Some(key))
            }
            (None, Finger::Set(key)) if key != u8::MAX => Err(NOTFND.number),
            _ => Err(ENDFILE.number),
        }
    }
}

/// The file of the region, and the program's RIDFLD.
struct Real {
    work: Work,
    browses: bool,
    ridfld: u8,
}

impl Real {
    fn at(key: u8, exact: bool) -> RecordAt {
        let id = vec![key];
        RecordAt { id, addressing: Addressing::Key, key_length: None, generic: false, or_after: !exact }
    }

    async fn ask(&mut self, request: FileRequest) -> Result<FileAnswer, u16> {
        match self.work.carry_out(Ask::File(FileAsk { file: FILE, request, waits: true })).await {
            Answer::File(answer) => Ok(answer),
            Answer::Condition { resp, .. } => Err(resp),
            other => panic!("{other:?}"),
        }
    }

    async fn run(&mut self, op: &Op) -> Outcome {
        match *op {
            Op::Write(key) => {
                let request = FileRequest::Write { at: Self::at(key, true), data: vec![key, b'.'] };
                self.ask(request).await.map(|_| None)
            }
            Op::Delete(key) => {
                let request = FileRequest::Delete { at: Some(Self::at(key, true)), token: None };
                self.ask(request).await.map(|_| None)
            }
            Op::Start { key, exact } => {
                if std::mem::take(&mut self.browses) {
                    self.ask(FileRequest::EndBrowse { browse: 0 }).await?;
                }
                let request = FileRequest::Browse { browse: 0, at: Self::at(key, exact), reset: false };
                self.ask(request).await?;
                (self.browses, self.ridfld) = (true, key);
                Ok(None)
            }
            Op::Next => self.step(self.ridfld, false).await,
            Op::Previous => self.step(self.ridfld, true).await,
            Op::NextFrom(key) => self.step(key, false).await,
            Op::PreviousFrom(key) => self.step(key, true).await,
        }
    }

    async fn step(&mut self, key: u8, back: bool) -> Outcome {
        if !self.browses {
            return Ok(None);
        }
        let at = Self::at(key, true);
        let answer = self.ask(FileRequest::ReadOn { browse: 0, at, back, hold: Hold::No }).await?;
        assert_eq!(answer.data, [answer.id[0], b'.']);
        self.ridfld = answer.id[0];
        Ok(Some(answer.id[0]))
    }
}

fn file() -> FileDefinition {
    FileDefinition {
        name: FILE,
        organization: FileOrganization::KeySequenced {
            key_offset: 0,
            key_bytes: 1,
            collation: Collation::Binary,
        },
        record_bytes: 2,
        fixed: true,
        recoverable: true,
        allowed: Allowed::ALL,
        status: FileStatus::Open,
        initial: None,
        path: None,
    }
}

/// The settings of a region with these files.
pub(crate) fn settings(folder: &std::path::Path, files: Vec<FileDefinition>) -> Settings {
    Settings {
        applid: [b' '; 8],
        sysid: [b' '; 4],
        default_user: [b' '; 8],
        ccsid: 819,
        work_area_bytes: 0,
        rights: crate::rights::Rights::default(),
        programs: folder.to_owned(),
        command: Vec::new(),
        transactions: Default::default(),
        start_users: Default::default(),
        programs_limits: Default::default(),
        user: None,
        limits: Limits::default(),
        store: folder.join("property.store"),
        keeps_counters: false,
        definitions: Definitions { files, ..Definitions::default() },
        links: crate::link::definition::Links::default(),
        dumps: crate::watching::dumps::DumpSettings::default(),
        callable: Vec::new(),
    }
}

/// A task that nobody else knows of.
pub(crate) fn context(settings: &Arc<Settings>) -> TaskContext {
    TaskContext {
        settings: settings.clone(),
        parents: Arc::new(Parents::new(1)),
        number: 1,
        transaction: *b"TEST",
        user: settings.default_user,
        caller: None,
        refused_programs: Vec::new(),
        began: Instant::now(),
        wall_max: settings.limits.wall_max,
        until: None,
    }
}

#[test]
fn browses_do_what_the_model_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Arc::new(settings(folder.path(), vec![file()]));
    let resources = Arc::new(Resources::new(&settings));
    let defined = Defined::open(&settings, &resources.durable).expect("a store");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    proptest!(|(committed in proptest::collection::vec(op(), 0..10), ops in proptest::collection::vec(op(), 0..40))| {
        runtime.block_on(async {
            let work = || Work::new(resources.clone(), &defined, context(&settings));
            let (mut model, mut real) = (Model::default(), Real { work: work(), browses: false, ridfld: 0 });
            // Some records are committed; the others belong to the unit of work.
            for op in committed.iter().filter(|op| matches!(op, Op::Write(_) | Op::Delete(_))) {
                prop_assert_eq!(real.run(op).await, model.run(op), "{:?}", op);
            }
            real.work.carry_out(Ask::Syncpoint { rollback: false }).await;
            for op in &ops {
                prop_assert_eq!(real.run(op).await, model.run(op), "{:?}", op);
            }
            real.work.carry_out(Ask::Syncpoint { rollback: true }).await;
            for key in 0..12 {
                // Whether it is there or not, afterwards it is not.
                let _ = real.run(&Op::Delete(key)).await;
            }
            real.work.carry_out(Ask::Syncpoint { rollback: false }).await;
            Ok(())
        })?;
    });
}

#[tokio::test]
async fn a_task_has_a_number_of_browses_at_most() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Arc::new(settings(folder.path(), vec![file()]));
    let resources = Arc::new(Resources::new(&settings));
    let defined = Defined::open(&settings, &resources.durable).expect("a store");
    let work = Work::new(resources.clone(), &defined, context(&settings));
    let mut real = Real { work, browses: false, ridfld: 0 };
    // At the end of the file, for which no record is needed.
    let begin = |browse| FileRequest::Browse { browse, at: Real::at(u8::MAX, true), reset: false };
    for browse in 0..BROWSES_MAX as i64 {
        real.ask(begin(browse)).await.expect("a browse");
    }
    assert_eq!(real.ask(begin(-1)).await, Err(INVREQ.number));
    real.ask(FileRequest::EndBrowse { browse: 7 }).await.expect("it is there");
    real.ask(begin(-1)).await.expect("there is room");
}
