//! Alternate indexes against their base: whatever units of work do, and however they end, each record has its entries and no other
//! one has any.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use store::{Authority, Collation, Decision, GlobalId};
use wire::{Addressing, Answer, Ask, FileAnswer, FileAsk, FileRequest, Hold, Name, RecordAt};

use super::property::{context, settings};
use super::{Allowed, FileDefinition, FileOrganization, FileStatus, Files, PathDefinition};
use crate::definitions::Defined;
use crate::resources::Resources;
use crate::resources::durable::Durable;
use crate::work::Work;

const BASE: Name<8> = *b"BASE    ";
/// A path by the second byte, which several records may share.
const MANY: Name<8> = *b"MANY    ";
/// A path by the third byte, which is unique.
const ONE: Name<8> = *b"ONE     ";

#[derive(Clone, Debug)]
enum Op {
    Write([u8; 3]),
    Rewrite([u8; 3]),
    Delete(u8),
    DeleteMany(u8),
    Commit,
    BackOut,
}

fn op() -> impl Strategy<Value = Op> {
    let record = || (0..6_u8, 0..3_u8, 0..8_u8).prop_map(|(key, many, one)| [key, many, one]);
    prop_oneof![
        5 => record().prop_map(Op::Write),
        3 => record().prop_map(Op::Rewrite),
        1 => (0..6_u8).prop_map(Op::Delete),
        1 => (0..3_u8).prop_map(Op::DeleteMany),
        1 => Just(Op::Commit),
        1 => Just(Op::BackOut),
    ]
}

/// The records by their keys, with the number of the write that gave each its second byte.
type Model = BTreeMap<u8, ([u8; 3], u32)>;

fn is_taken(model: &Model, record: [u8; 3]) -> bool {
    model.values().any(|(other, _)| other[0] != record[0] && other[2] == record[2])
}

/// Applies a command to the model; false if it is refused.
fn run_model(model: &mut Model, op: &Op, number: u32) -> bool {
    match *op {
        Op::Write(record) => {
            let is_free = !model.contains_key(&record[0]) && !is_taken(model, record);
            if is_free {
                model.insert(record[0], (record, number));
            }
            is_free
        }
        Op::Rewrite(record) => {
            let is_free = !is_taken(model, record);
            match model.get_mut(&record[0]) {
                Some((known, made)) if is_free => {
                    *made = if known[1] == record[1] { *made } else { number };
                    *known = record;
                    true
                }
                _ => false,
            }
        }
        Op::Delete(key) => model.remove(&key).is_some(),
        Op::DeleteMany(many) => {
            // The first one that was entered.
            let first = model.values().filter(|(record, _)| record[1] == many).min_by_key(|(_, made)| *made);
            let first = first.map(|(record, _)| record[0]);
            first.is_some_and(|key| model.remove(&key).is_some())
        }
        Op::Commit | Op::BackOut => true,
    }
}

fn files() -> Vec<FileDefinition> {
    let base = FileDefinition {
        name: BASE,
        organization: FileOrganization::KeySequenced {
            key_offset: 0,
            key_bytes: 1,
            collation: Collation::Binary,
        },
        record_bytes: 3,
        fixed: true,
        recoverable: true,
        allowed: Allowed::ALL,
        status: FileStatus::Open,
        initial: None,
        path: None,
    };
    let path = |name, key_offset, unique| {
        let path =
            PathDefinition { base: BASE, key_offset, key_bytes: 1, collation: Collation::Binary, unique };
        FileDefinition { name, path: Some(path), ..base.clone() }
    };
    vec![path(MANY, 1, false), base.clone(), path(ONE, 2, true)]
}

fn at(key: u8, or_after: bool) -> RecordAt {
    RecordAt { id: vec![key], addressing: Addressing::Key, key_length: None, generic: false, or_after }
}

async fn ask(work: &mut Work, file: Name<8>, request: FileRequest) -> Option<FileAnswer> {
    match work.carry_out(Ask::File(FileAsk { file, request, waits: true })).await {
        Answer::File(answer) => Some(answer),
        Answer::Condition { .. } => None,
        other => panic!("{other:?}"),
    }
}

async fn run(work: &mut Work, op: &Op) -> bool {
    match *op {
        Op::Write(record) => {
            let request = FileRequest::Write { at: at(record[0], false), data: record.to_vec() };
            ask(work, BASE, request).await.is_some()
        }
        Op::Rewrite(record) => {
            let read = FileRequest::Read { at: at(record[0], false), hold: Hold::Update };
            if ask(work, BASE, read).await.is_none() {
                return false;
            }
            let rewrite = FileRequest::Rewrite { token: None, data: record.to_vec() };
            let is_done = ask(work, BASE, rewrite).await.is_some();
            ask(work, BASE, FileRequest::Unlock { token: None }).await;
            is_done
        }
        Op::Delete(key) => {
            let request = FileRequest::Delete { at: Some(at(key, false)), token: None };
            ask(work, BASE, request).await.is_some()
        }
        Op::DeleteMany(many) => {
            let request = FileRequest::Delete { at: Some(at(many, false)), token: None };
            ask(work, MANY, request).await.is_some()
        }
        Op::Commit | Op::BackOut => {
            work.carry_out(Ask::Syncpoint { rollback: matches!(op, Op::BackOut) }).await == Answer::Done
        }
    }
}

/// All records by a path, each with whether another one with its key follows; backwards if `back`.
async fn browsed(work: &mut Work, file: Name<8>, back: bool) -> Vec<(Vec<u8>, bool)> {
    let start = if back { u8::MAX } else { 0 };
    let mut found = Vec::new();
    let begin = FileRequest::Browse { browse: 0, at: at(start, true), reset: false };
    if ask(work, file, begin).await.is_none() {
        return found;
    }
    let mut key = start;
    loop {
        let next = FileRequest::ReadOn { browse: 0, at: at(key, true), back, hold: Hold::No };
        let Some(answer) = ask(work, file, next).await else { break };
        key = answer.id[0];
        found.push((answer.data, answer.more_follow));
    }
    ask(work, file, FileRequest::EndBrowse { browse: 0 }).await.expect("a browse");
    found
}

/// The model's records in the order of a path: by a byte of theirs, then as they were entered.
fn expected(model: &Model, byte: usize, back: bool) -> Vec<(Vec<u8>, bool)> {
    let mut records: Vec<_> = model.values().collect();
    records.sort_by_key(|(record, made)| (if back { u8::MAX - record[byte] } else { record[byte] }, *made));
    let follows = |number: usize| {
        records.get(number + 1).is_some_and(|(next, _)| next[byte] == records[number].0[byte])
    };
    records.iter().enumerate().map(|(number, (record, _))| (record.to_vec(), follows(number))).collect()
}

#[test]
fn indexes_follow_their_base_whatever_becomes_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Arc::new(settings(folder.path(), files()));
    let resources = Arc::new(Resources::new(&settings));
    let defined = Defined::open(&settings, &resources.durable).expect("a store");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    proptest!(ProptestConfig::with_cases(96), |(ops in proptest::collection::vec(op(), 0..30))| {
        runtime.block_on(async {
            let mut work = Work::new(resources.clone(), &defined, context(&settings));
            let (mut model, mut committed) = (Model::new(), Model::new());
            for (number, op) in ops.iter().enumerate() {
                prop_assert_eq!(run(&mut work, op).await, run_model(&mut model, op, number as u32), "{:?}", op);
                match op {
                    Op::Commit => committed = model.clone(),
                    Op::BackOut => model = committed.clone(),
                    _ => {}
                }
                for (file, byte) in [(MANY, 1), (ONE, 2)] {
                    for back in [false, true] {
                        let found = browsed(&mut work, file, back).await;
                        prop_assert_eq!(found, expected(&model, byte, back), "{:?} {}", op, back);
                    }
                }
            }
            let unit = resources.durable.get().expect("it is open").store.unit().expect("a unit");
            work.carry_out(Ask::Syncpoint { rollback: true }).await;
            for (file, byte) in [(MANY, 1_usize), (ONE, 2)] {
                let index = defined.files.get(file).and_then(|file| file.index()).expect("a path");
                let mut entries = index.all(&unit);
                entries.sort();
                let mut records: Vec<_> =
                    committed.values().map(|(record, _)| (vec![record[byte]], vec![record[0]])).collect();
                records.sort();
                prop_assert_eq!(entries, records);
            }
            for key in 0..6 {
                run(&mut work, &Op::Delete(key)).await;
            }
            run(&mut work, &Op::Commit).await;
            Ok(())
        })?;
    });
}

#[test]
fn a_record_that_an_index_cannot_follow_stays_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Arc::new(settings(folder.path(), files()));
    let resources = Arc::new(Resources::new(&settings));
    let defined = Defined::open(&settings, &resources.durable).expect("a store");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async {
        let mut work = Work::new(resources.clone(), &defined, context(&settings));
        let record = [1, 0, 5];
        for op in [Op::Write(record), Op::Commit] {
            assert!(run(&mut work, &op).await);
        }
        // The entry is lost, whatever has done that.
        let index = defined.files.get(ONE).and_then(|file| file.index()).expect("a path");
        let mut unit = resources.durable.get().expect("it is open").store.unit().expect("a unit");
        index.remove(&mut unit, &record, &record[..1]).expect("an entry");
        unit.syncpoint().expect("the store");
        let request = FileRequest::Delete { at: Some(at(1, false)), token: None };
        let answer = work.carry_out(Ask::File(FileAsk { file: BASE, request, waits: true })).await;
        assert!(matches!(answer, Answer::Abend { code, .. } if code == *b"GAIX"), "{answer:?}");
        // A program that handles the abend may do so.
        assert!(run(&mut work, &Op::Commit).await);
        assert_eq!(browsed(&mut work, MANY, false).await, [(record.to_vec(), false)]);
    });
}

#[test]
fn no_index_is_built_while_units_are_in_doubt() {
    let folder = tempfile::tempdir().expect("a folder");
    let durable = Durable::new(folder.path().join("doubts.store"));
    let opened = durable.open().expect("a store");
    let alone: Vec<_> = files().into_iter().filter(|file| file.path.is_none()).collect();
    let before = Files::open(&alone, opened).expect("a file");
    let mut unit = opened.store.unit().expect("a unit");
    let base = before.get(BASE).expect("the file");
    base.records.insert(&mut unit, &[1], vec![1, 0, 5]).expect("a record");
    let id = GlobalId::new(b"UNIT").expect("an id");
    drop(unit.prepare(&id, "REGB").expect("a vote"));
    let refused = Files::open(&files(), opened).expect_err("the record would have no entries");
    assert!(refused.starts_with("file MANY: ") && refused.contains("in doubt"), "{refused}");
    opened.store.resolve(&id, Decision::Commit, Authority::Operator).expect("the store");
    let after = Files::open(&files(), opened).expect("all files");
    let index = after.get(ONE).and_then(|file| file.index()).expect("a path");
    assert_eq!(index.all(&opened.store.unit().expect("a unit")), [(vec![5], vec![1])]);
}

#[test]
fn a_file_and_a_path_of_one_name_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let durable = Durable::new(folder.path().join("names.store"));
    let opened = durable.open().expect("a store");
    let file = |name| FileDefinition { name, path: None, ..files()[1].clone() };
    Files::open(&[file(ONE)], opened).expect("a file");
    let refused = Files::open(&files(), opened).expect_err("there is a file of that name");
    assert!(refused.starts_with("file ONE: the store has it as key-sequenced"), "{refused}");
    // MANY was a path, which no longer exists.
    Files::open(&[file(MANY)], opened).expect("another file");
}
