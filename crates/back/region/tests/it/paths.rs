//! Paths: the records of a file by an alternate key, in real workers.

use std::time::Duration;

use region::{
    Access, Allowed, Collation, Definitions, FileDefinition, FileOrganization, Limits, PathDefinition,
    RecordFormat, Region, Settings,
};
use wire::name;

use crate::files::keyed;
use crate::kept_starts::until_free;
use crate::region::settings;
use crate::steps::{Step, abend, resps, run, step};

/// The EBCDIC order of keys in CCSID 819.
const EBCDIC: Collation = Collation::Page { data_ccsid: 819, order_ccsid: 37 };

fn path(file: &str, base: &FileDefinition, key_offset: usize, unique: bool) -> FileDefinition {
    let path = PathDefinition { base: base.name, key_offset, key_bytes: 4, collation: EBCDIC, unique };
    FileDefinition { name: name(file), path: Some(path), ..base.clone() }
}

fn files() -> Vec<FileDefinition> {
    let base = keyed("ACCT");
    let log = FileDefinition { organization: FileOrganization::EntrySequenced, ..keyed("LOG") };
    let read_only = Allowed { read: true, add: false, update: false, delete: false, browse: true };
    vec![
        path("BYCITY", &base, 6, false),
        path("BYCARD", &base, 10, true),
        FileDefinition { allowed: read_only, ..path("LOOK", &base, 6, false) },
        path("LOGCITY", &log, 0, false),
        base,
        log,
    ]
}

fn with(folder: &tempfile::TempDir, files: Vec<FileDefinition>) -> Settings {
    let limits = Limits { workers: 2, lock_wait_max: Duration::from_millis(300), ..Limits::default() };
    let definitions = Definitions { files, ..Definitions::default() };
    Settings { store: folder.path().join("region.store"), definitions, limits, ..settings() }
}

fn record(key: &str, city: &str, card: &str) -> String {
    format!("{key:6}{city:4}{card:4}")
}

fn write(key: &str, city: &str, card: &str) -> Step {
    step("WR", "ACCT").key(key).text(&record(key, city, card))
}

fn on(op: &'static str, file: &str, key: &str) -> Step {
    step(op, file).key(key)
}

/// RESP, RESP2 and the record of each step.
async fn told(region: &Region, steps: &[Step]) -> Vec<(u16, u32, String)> {
    let done = run(region, steps).await.expect("the task ends as it should");
    done.into_iter().map(|done| (done.resp, done.resp2, done.text)).collect()
}

fn ok(text: &str) -> (u16, u32, String) {
    (0, 0, text.to_owned())
}

/// DUPKEY: it is there, and another one follows.
fn more(text: &str) -> (u16, u32, String) {
    (15, 140, text.to_owned())
}

async fn filled(folder: &tempfile::TempDir) -> std::sync::Arc<Region> {
    let region = Region::start(with(folder, files())).expect("a region");
    let steps = [write("C", "ROME", "0001"), write("A", "ROME", "0002"), write("B", "OSLO", "0003")];
    assert_eq!(resps(&region, &steps).await, [0; 3]);
    region
}

#[tokio::test]
async fn records_are_read_by_alternate_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = filled(&folder).await;
    let steps = [
        on("RD", "BYCITY", "OSLO"),
        on("RD", "BYCITY", "ROME"),
        on("RD", "BYCARD", "0002"),
        on("RD", "BYCITY", "BERN"),
        on("RDG", "BYCITY", "P"),
        on("RDN", "BYCITY", "OS").number(2),
        on("RDN", "BYCITY", "OS").number(4),
        step("RDB", "BYCITY").number(0),
    ];
    let (b, c, a) = (record("B", "OSLO", "0003"), record("C", "ROME", "0001"), record("A", "ROME", "0002"));
    let expected = [
        ok(&b),
        more(&c),
        ok(&a),
        (13, 80, String::new()),
        more(&c),
        ok(&b),
        (16, 25, String::new()),
        (16, 44, String::new()),
    ];
    let done = run(&region, &steps).await.expect("an answer");
    let found: Vec<_> = done.iter().map(|done| (done.resp, done.resp2, done.text.clone())).collect();
    assert_eq!(found, expected);
    // RIDFLD has the alternate key of what was found.
    assert_eq!((&done[4].key[..4], &done[5].key[..4]), (&b"ROME"[..], &b"OSLO"[..]));
}

#[tokio::test]
async fn a_browse_goes_by_alternate_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = filled(&folder).await;
    let (b, c, a) = (record("B", "OSLO", "0003"), record("C", "ROME", "0001"), record("A", "ROME", "0002"));
    let next = |key: &str| on("RN", "BYCITY", key);
    let previous = |key: &str| on("RP", "BYCITY", key);
    let steps = [
        on("SB", "BYCITY", "A"),
        next("A"),
        next("OSLO"),
        next("ROME"),
        next("ROME"),
        previous("ROME"),
        on("EB", "BYCITY", ""),
        step("SB", "BYCITY").key([0xFF; 4]),
        step("RP", "BYCITY").key([0xFF; 4]),
        previous("ROME"),
        previous("ROME"),
        previous("OSLO"),
    ];
    let found = told(&region, &steps).await;
    assert_eq!(found[1..4], [ok(&b), more(&c), ok(&a)]);
    assert_eq!((found[4].0, found[4].1), (20, 90));
    assert_eq!(found[5], ok(&a));
    // Backwards records of one key come as forwards: as they were entered.
    assert_eq!(found[8..11], [more(&c), ok(&a), ok(&b)]);
    assert_eq!((found[11].0, found[11].1), (20, 90));
}

#[tokio::test]
async fn unique_alternate_keys_stay_unique() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = filled(&folder).await;
    let steps = [
        write("D", "BONN", "0001"),
        on("RD", "ACCT", "D"),
        on("RD", "BYCITY", "BONN"),
        on("RDU", "ACCT", "A"),
        step("RW", "ACCT").text(&record("A", "BONN", "0003")),
        step("RW", "ACCT").text(&record("A", "BONN", "0009")),
        on("RD", "BYCITY", "BONN"),
        on("RD", "BYCARD", "0002"),
        write("D", "BONN", "0002"),
    ];
    let found: Vec<_> =
        told(&region, &steps).await.into_iter().map(|(resp, resp2, _)| (resp, resp2)).collect();
    let expected = [(14, 150), (13, 80), (13, 80), (0, 0), (14, 150), (0, 0), (0, 0), (13, 80), (0, 0)];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn records_change_through_a_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = filled(&folder).await;
    let steps = [
        // The alternate key is in RIDFLD, and must be that of the record.
        on("WR", "BYCITY", "BONN").text(&record("D", "BONN", "0004")),
        on("WR", "BYCITY", "BERN").text(&record("E", "BONN", "0005")),
        on("RDU", "BYCARD", "0004"),
        step("RW", "BYCARD").text(&record("D", "BERN", "0005")),
        step("RW", "BYCARD").text(&record("D", "BERN", "0004")),
        on("RD", "BYCITY", "BERN"),
        // Two of them: the first goes, and DUPKEY tells of the other.
        on("DL", "BYCITY", "ROME"),
        on("RD", "BYCITY", "ROME"),
        on("RD", "ACCT", "C"),
        on("RDU", "LOOK", "ROME"),
        on("DL", "LOOK", "ROME"),
    ];
    let found: Vec<_> =
        told(&region, &steps).await.into_iter().map(|(resp, resp2, _)| (resp, resp2)).collect();
    let expected = [
        (0, 0),
        (16, 23),
        (0, 0),
        (21, 110),
        (0, 0),
        (0, 0),
        (15, 140),
        (0, 0),
        (13, 80),
        (16, 20),
        (16, 20),
    ];
    assert_eq!(found, expected);
    // One record is held for update once, whatever the way to it.
    assert_eq!(abend(&region, &[on("RDT", "ACCT", "A"), on("RDT", "BYCITY", "ROME")]).await, "AFCG");
}

#[tokio::test]
async fn an_entry_sequenced_file_may_have_paths() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with(&folder, files())).expect("a region");
    let steps = [
        step("WRB", "LOG").text("OSLO first"),
        on("WR", "LOGCITY", "OSLO").text("OSLO second"),
        on("RD", "LOGCITY", "OSLO"),
        on("SB", "LOGCITY", "OSLO"),
        on("RN", "LOGCITY", "OSLO"),
        on("RN", "LOGCITY", "OSLO"),
    ];
    let found = told(&region, &steps).await;
    assert_eq!((found[0].0, found[1].0), (0, 0));
    assert_eq!(found[2], more("OSLO first"));
    assert_eq!(found[4..], [more("OSLO first"), ok("OSLO second")]);
}

#[tokio::test]
async fn what_is_backed_out_has_no_entries() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = filled(&folder).await;
    let change = [
        write("D", "BONN", "0004"),
        on("RDU", "ACCT", "B"),
        step("RW", "ACCT").text(&record("B", "BONN", "0008")),
        on("DL", "ACCT", "C"),
    ];
    let look = [
        on("RD", "BYCITY", "BONN"),
        on("RD", "BYCITY", "OSLO"),
        on("RD", "BYCITY", "ROME"),
        on("RD", "BYCARD", "0008"),
    ];
    let resps = resps(&region, &[&change[..], &look, &[step("BACK", "")], &look].concat()).await;
    assert_eq!(resps, [0, 0, 0, 0, 15, 13, 0, 0, 0, 13, 0, 15, 13]);
    assert_eq!(abend(&region, &[&change[..], &[step("ABEND", "")]].concat()).await, "STOP");
    assert_eq!(crate::steps::resps(&region, &look).await, [13, 0, 15, 13]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_wants_a_key_that_another_task_has_taken_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = filled(&folder).await;
    let holder = [write("D", "BONN", "0004"), step("WQ", "HELD"), step("WAIT", "").number(1_500)];
    let other = async {
        while resps(&region, &[step("RQI", "HELD").number(1)]).await != [0] {}
        assert_eq!(abend(&region, &[write("E", "BERN", "0004")]).await, "AFCV");
        // Keys that need not be unique are nobody's.
        assert_eq!(resps(&region, &[write("F", "BONN", "0006")]).await, [0]);
    };
    let (held, ()) = tokio::join!(run(&region, &holder), other);
    held.expect("the holder ends as it should");
    assert_eq!(resps(&region, &[write("E", "BERN", "0004")]).await, [14]);
    assert_eq!(resps(&region, &[on("RD", "BYCITY", "BONN")]).await, [15]);
}

#[tokio::test]
async fn an_index_is_built_for_records_that_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let alone = || files().into_iter().filter(|file| file.path.is_none()).collect::<Vec<_>>();
    let first = Region::start(with(&folder, alone())).expect("a region");
    resps(&first, &[write("C", "ROME", "0001"), write("A", "ROME", "0002")]).await;
    let while_it_runs = first.successor(with(&folder, files())).expect_err("tasks run that know of no index");
    assert!(while_it_runs.contains("only after a restart"), "{while_it_runs}");
    drop(first);
    drop(until_free(folder.path()).await);
    let second = Region::start(with(&folder, files())).expect("a region");
    // In the order of the file, whatever was written first.
    assert_eq!(told(&second, &[on("RD", "BYCITY", "ROME")]).await, [more(&record("A", "ROME", "0002"))][..]);
    drop(second);
    // What changes while there is no path is in the index that is there again.
    drop(until_free(folder.path()).await);
    let third = Region::start(with(&folder, alone())).expect("a region");
    resps(&third, &[on("DL", "ACCT", "C"), write("E", "OSLO", "0002")]).await;
    drop(third);
    drop(until_free(folder.path()).await);
    let told_why = Region::start(with(&folder, files())).expect_err("two cards are alike");
    assert_eq!(
        told_why,
        "file BYCARD: the record E has an alternate key that another one has, and those of the path BYCARD are unique"
    );
    let without_cards = files().into_iter().filter(|file| file.name != name("BYCARD")).collect();
    let fourth = Region::start(with(&folder, without_cards)).expect("a region");
    let found = told(&fourth, &[on("RD", "BYCITY", "ROME"), on("RD", "BYCITY", "OSLO")]).await;
    assert_eq!(found, [ok(&record("A", "ROME", "0002")), ok(&record("E", "OSLO", "0002"))]);
}

#[tokio::test]
async fn tools_load_the_indexes_with_the_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("region.store");
    let (paths, bases): (Vec<_>, Vec<_>) = files().into_iter().partition(|file| file.path.is_some());
    let own: Vec<_> = paths.into_iter().filter(|file| file.organization == bases[0].organization).collect();
    let access = Access::open(&store, &bases[0], &own).expect("a file");
    let lines = format!("{}\n{}\n", record("A", "ROME", "0001"), record("B", "ROME", "0002"));
    assert_eq!(access.load(lines.as_bytes(), RecordFormat::Lines), Ok(2));
    let twice = access.load(format!("{}\n", record("C", "OSLO", "0002")).as_bytes(), RecordFormat::Lines);
    assert!(twice.is_err_and(|message| message.contains("that is unique")));
    drop(access);
    let region = Region::start(with(&folder, files())).expect("a region");
    let found = told(&region, &[on("RD", "BYCITY", "ROME"), on("RD", "BYCARD", "0002")]).await;
    assert_eq!(found, [more(&record("A", "ROME", "0001")), ok(&record("B", "ROME", "0002"))]);
}
