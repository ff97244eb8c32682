//! Files whose definitions change while they have records, and starts that are cut short on the way.

use std::path::Path;

use store::{Collation, Definition, Organization, Recovery};

use super::*;
use crate::resources::durable::Durable;

const EBCDIC: Collation = Collation::Page { data_ccsid: 819, order_ccsid: 37 };

fn keyed(key_offset: usize, key_bytes: usize, collation: Collation) -> FileDefinition {
    FileDefinition {
        name: *b"ACCT    ",
        organization: FileOrganization::KeySequenced { key_offset, key_bytes, collation },
        record_bytes: 6,
        fixed: false,
        recoverable: true,
        allowed: Allowed::ALL,
        status: FileStatus::Open,
        initial: None,
        path: None,
    }
}

fn path(key_offset: usize, collation: Collation) -> FileDefinition {
    let path = PathDefinition { base: *b"ACCT    ", key_offset, key_bytes: 2, collation, unique: false };
    FileDefinition { name: *b"BYNAME  ", path: Some(path), ..keyed(0, 2, EBCDIC) }
}

/// A store that is opened by a process of its own each time.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn store(&self) -> Durable {
        Durable::new(Path::new(self.0.path()).join("region.store"))
    }

    /// Opens files as a gateway that starts does; the records in the order of each.
    fn start(&self, files: &[FileDefinition]) -> Result<Vec<Vec<String>>, String> {
        let durable = self.store();
        let opened = durable.open().expect("a store");
        let known = Files::open(files, opened)?;
        let unit = opened.store.unit().expect("a unit");
        let all = files.iter().map(|file| {
            let file = known.get(file.name).expect("a file");
            let (mut all, mut from) = (Vec::new(), Bound::Unbounded);
            while let Some(found) =
                file.browse(&unit, from.as_ref().map(Vec::as_slice), Direction::Forward).expect("the store")
            {
                from = Bound::Excluded(found.place().to_vec());
                all.push(String::from_utf8_lossy(&found.record).into_owned());
            }
            all
        });
        Ok(all.collect())
    }

    /// Makes a file with records.
    fn filled(files: &[FileDefinition], records: &[&str]) -> Self {
        let place = Self::new();
        let flat = place.0.path().join("first.txt");
        std::fs::write(&flat, records.join("\n")).expect("a file");
        let initial = Some(Initial { path: flat, format: RecordFormat::Lines });
        let base = FileDefinition { initial, ..files[0].clone() };
        place.start(&[&[base], &files[1..]].concat()).expect("a new file");
        place
    }
}

#[test]
fn records_go_into_the_order_of_another_key() {
    let place = Place::filled(&[keyed(0, 2, EBCDIC)], &["A1zz99", "B2yy88", "C3xx"]);
    assert_eq!(
        place.start(&[keyed(2, 2, EBCDIC)]),
        Ok(vec![vec!["C3xx".into(), "B2yy88".into(), "A1zz99".into()]])
    );
    // It is done once, and back again.
    for (offset, first) in [(2, "C3xx"), (0, "A1zz99")] {
        assert_eq!(place.start(&[keyed(offset, 2, EBCDIC)]).expect("a file")[0][0], first);
    }
    assert_eq!(
        place.store().open().expect("a store").store.definitions().len(),
        6,
        "nothing is left beside it"
    );
}

#[test]
fn records_go_into_another_collation_or_organization() {
    let place = Place::filled(&[keyed(0, 2, EBCDIC)], &["1Azzzz", "A1yyyy", "a1xxxx"]);
    let order = |file| {
        place.start(&[file]).expect("a file")[0]
            .iter()
            .map(|record| record[..2].to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(order(keyed(0, 2, EBCDIC)), ["a1", "A1", "1A"]);
    assert_eq!(order(keyed(0, 2, Collation::Binary)), ["1A", "A1", "a1"]);
    let entries = FileDefinition { organization: FileOrganization::EntrySequenced, ..keyed(0, 2, EBCDIC) };
    assert_eq!(order(entries.clone()), ["1A", "A1", "a1"]);
    let loose = FileDefinition { recoverable: false, ..entries };
    assert_eq!(order(loose.clone()), ["1A", "A1", "a1"]);
    let slots = FileDefinition { organization: FileOrganization::Relative, fixed: true, ..loose };
    assert_eq!(order(slots), ["1A", "A1", "a1"]);
    assert_eq!(order(keyed(2, 4, EBCDIC)), ["a1", "A1", "1A"]);
}

#[test]
fn recovery_changes_and_the_records_stay() {
    let place = Place::filled(&[keyed(0, 2, EBCDIC)], &["A1zz99"]);
    for recoverable in [false, true, true] {
        let file = FileDefinition { recoverable, ..keyed(0, 2, EBCDIC) };
        assert_eq!(place.start(std::slice::from_ref(&file)), Ok(vec![vec!["A1zz99".into()]]));
        let recovery = if recoverable { Recovery::Recoverable } else { Recovery::NotRecoverable };
        let kept = place.store().open().expect("a store").store.definitions();
        assert!(kept.iter().any(|kept| kept.name == "file.ACCT" && kept.recovery == recovery), "{kept:?}");
    }
}

#[test]
fn paths_follow_the_file_and_their_own_order() {
    let files = |base, by, collation| [keyed(base, 2, EBCDIC), path(by, collation)];
    let place = Place::filled(&files(0, 4, EBCDIC), &["A1zz9x", "B2yyx9", "C3xxx1"]);
    let order = |files: [FileDefinition; 2]| place.start(&files).expect("files");
    let expected = |records: [&str; 3]| records.map(str::to_owned).to_vec();
    let by_key = expected(["A1zz9x", "B2yyx9", "C3xxx1"]);
    assert_eq!(order(files(0, 4, EBCDIC)), [by_key.clone(), expected(["C3xxx1", "B2yyx9", "A1zz9x"])]);
    assert_eq!(order(files(0, 4, Collation::Binary)), [by_key, expected(["A1zz9x", "C3xxx1", "B2yyx9"])]);
    let by_name = expected(["C3xxx1", "B2yyx9", "A1zz9x"]);
    assert_eq!(order(files(2, 4, Collation::Binary)), [by_name, expected(["A1zz9x", "C3xxx1", "B2yyx9"])]);
}

#[test]
fn records_that_would_have_one_key_are_named_and_the_file_stays() {
    let place = Place::filled(&[keyed(0, 2, EBCDIC)], &["A1zz99", "B2yy88", "C3zz77"]);
    let refused = place.start(&[keyed(2, 2, EBCDIC)]).expect_err("two of one key");
    assert_eq!(
        refused,
        "file ACCT: the record with the key 'A1' and the record with the key 'C3' would both have the key 'zz'; the file \
         stays as it was"
    );
    let short = place.start(&[keyed(2, 5, EBCDIC)]).expect_err("a key beyond the records");
    assert_eq!(short, "file ACCT: the record with the key 'A1': it ends before its key does, at byte 7 of 6");
    let small = FileDefinition { record_bytes: 5, ..keyed(4, 1, EBCDIC) };
    let small = place.start(&[small]).expect_err("longer records");
    assert_eq!(small, "file ACCT: the record with the key 'A1': expected at most 5 bytes, found 6");
    let expected: Vec<String> = ["A1zz99", "B2yy88", "C3zz77"].map(str::to_owned).to_vec();
    assert_eq!(place.start(&[keyed(0, 2, EBCDIC)]), Ok(vec![expected]));
}

#[test]
fn a_start_that_was_cut_short_is_made_good() {
    let place = Place::filled(&[keyed(0, 2, EBCDIC)], &["A1zz99", "B2yy88"]);
    // Before the step: a part of the copy is there, of a third definition.
    let copy = |organization| Definition {
        name: "rebuilt.file.ACCT".to_owned(),
        organization,
        recovery: Recovery::Recoverable,
    };
    {
        let durable = place.store();
        let opened = durable.open().expect("a store");
        let file = opened.store.keyed(&copy(Organization::KeySequenced(Collation::Binary))).expect("a copy");
        let mut unit = opened.store.unit().expect("a unit");
        unit.insert(&file, b"yy", b"of a third definition".to_vec()).expect("a record");
        unit.syncpoint().expect("the store");
    }
    let expected = Ok(vec![vec!["B2yy88".to_owned(), "A1zz99".to_owned()]]);
    assert_eq!(place.start(&[keyed(2, 2, EBCDIC)]), expected);
    // After it: what was the file is there still.
    {
        let durable = place.store();
        let opened = durable.open().expect("a store");
        opened.store.logs(&copy(Organization::EntrySequenced)).expect("what is left");
    }
    assert_eq!(place.start(&[keyed(2, 2, EBCDIC)]), expected);
    let kept = place.store().open().expect("a store").store.definitions();
    assert!(kept.iter().all(|kept| !kept.name.starts_with("rebuilt")), "{kept:?}");
}

#[test]
fn a_file_that_tasks_may_use_changes_only_with_a_restart() {
    let place = Place::filled(&[keyed(0, 2, EBCDIC)], &["A1zz99"]);
    let durable = place.store();
    let opened = durable.open().expect("a store");
    let _tasks = Files::open(&[keyed(0, 2, EBCDIC)], opened).expect("a file");
    let loose = FileDefinition { recoverable: false, ..keyed(0, 2, EBCDIC) };
    for other in [keyed(2, 2, EBCDIC), keyed(0, 2, Collation::Binary), loose] {
        let refused = Files::open(&[other], opened).expect_err("tasks may have it");
        assert!(refused.starts_with("file ACCT: ") && refused.contains("only after a restart"), "{refused}");
    }
}
