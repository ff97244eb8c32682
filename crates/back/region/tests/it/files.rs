//! Files: records by key, address and number, what locks them, and what is backed out.

use std::time::Duration;

use region::{
    Allowed, Collation, Definitions, FileDefinition, FileOrganization, FileStatus, Initial, Limits,
    RecordFormat, Region, Settings,
};
use wire::name;

use crate::region::settings;
use crate::steps::{Step, abend, resps, results, run, step};

/// The EBCDIC order of keys in CCSID 819.
const EBCDIC: Collation = Collation::Page { data_ccsid: 819, order_ccsid: 37 };

pub(crate) fn keyed(file: &str) -> FileDefinition {
    FileDefinition {
        name: name(file),
        organization: FileOrganization::KeySequenced { key_offset: 0, key_bytes: 6, collation: EBCDIC },
        record_bytes: 40,
        fixed: true,
        recoverable: true,
        allowed: Allowed::ALL,
        status: FileStatus::Open,
        initial: None,
        path: None,
    }
}

fn definitions() -> Vec<FileDefinition> {
    let limited = Allowed { read: true, add: false, update: false, delete: false, browse: false };
    vec![
        keyed("ACCT"),
        FileDefinition { recoverable: false, ..keyed("LOOSE") },
        FileDefinition { fixed: false, ..keyed("VARY") },
        FileDefinition { organization: FileOrganization::EntrySequenced, fixed: false, ..keyed("LOG") },
        FileDefinition { organization: FileOrganization::Relative, ..keyed("SLOT") },
        FileDefinition { status: FileStatus::Closed, ..keyed("CLOSED") },
        FileDefinition { status: FileStatus::Disabled, ..keyed("OFF") },
        FileDefinition { allowed: limited, ..keyed("READONLY") },
    ]
}

fn with_files(folder: &tempfile::TempDir) -> Settings {
    let limits = Limits { workers: 2, lock_wait_max: Duration::from_millis(300), ..Limits::default() };
    let definitions = Definitions { files: definitions(), ..Definitions::default() };
    Settings { store: folder.path().join("region.store"), definitions, limits, ..settings() }
}

fn on(op: &'static str, file: &str, key: &str) -> Step {
    step(op, file).key(key)
}

fn record(key: &str, text: &str) -> String {
    format!("{key:6}{text}")
}

fn write(file: &str, key: &str, text: &str) -> Step {
    on("WR", file, key).text(&record(key, text))
}

async fn told(region: &Region, steps: &[Step]) -> Vec<(u16, u32)> {
    let done = run(region, steps).await.expect("the task ends as it should");
    done.into_iter().map(|done| (done.resp, done.resp2)).collect()
}

#[tokio::test]
async fn records_are_written_read_changed_and_deleted() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_files(&folder)).expect("a region");
    for file in ["ACCT", "LOOSE"] {
        let steps = [
            write(file, "A1", "first"),
            write(file, "A1", "again"),
            on("RD", file, "A1"),
            on("RD", file, "A2"),
            on("RDU", file, "A1"),
            step("RW", file).text(&record("A1", "changed")),
            step("RW", file).text(&record("A1", "twice")),
            on("RD", file, "A1"),
            on("RDU", file, "A1"),
            step("DLU", file),
            on("RD", file, "A1"),
            on("DL", file, "A1"),
            step("DLU", file),
            step("UL", file),
            step("ULT", file).number(99),
        ];
        let done = run(&region, &steps).await.expect("an answer");
        let told: Vec<_> = done.iter().map(|done| (done.resp, done.resp2)).collect();
        let expected = [
            (0, 0),
            (14, 150),
            (0, 0),
            (13, 80),
            (0, 0),
            (0, 0),
            (16, 30),
            (0, 0),
            (0, 0),
            (0, 0),
            (13, 80),
            (13, 80),
            (16, 31),
            (0, 0),
            (16, 47),
        ];
        assert_eq!(told, expected, "{file}");
        assert_eq!((done[2].text.as_str(), done[2].length), ("A1    first", 40), "{file}");
        assert_eq!(done[7].text, "A1    changed", "{file}");
    }
}

#[tokio::test]
async fn what_a_file_does_not_allow_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_files(&folder)).expect("a region");
    let steps = [
        on("RD", "NOFILE", "A"),
        on("RD", "CLOSED", "A"),
        on("RD", "OFF", "A"),
        on("RDFAR", "ACCT", "A"),
        on("RD", "READONLY", "A"),
        on("RDU", "READONLY", "A"),
        write("READONLY", "A", ""),
        step("RW", "READONLY"),
        on("DL", "READONLY", "A"),
        on("SB", "READONLY", "A"),
        on("RDR", "ACCT", "").number(1),
        on("RD", "LOG", "A"),
        on("RDN", "ACCT", "A").number(6),
        on("RDN", "SLOT", "A").number(2),
        step("DLR", "LOG").number(1),
        on("DL", "LOG", "A"),
        on("WR", "ACCT", "A").text("B"),
        write("ACCT", "A", "").length(39),
        on("WR", "VARY", "A").text("A").length(5),
        on("WR", "VARY", "A").text("A").length(41),
        write("VARY", "A", "").length(0),
    ];
    let expected = [
        (12, 1),
        (19, 60),
        (84, 50),
        (53, 130),
        (13, 80),
        (16, 20),
        (16, 20),
        (16, 20),
        (16, 20),
        (16, 20),
        (16, 44),
        (16, 44),
        (16, 25),
        (16, 44),
        (16, 21),
        (16, 21),
        (16, 23),
        (22, 14),
        (22, 12),
        (22, 12),
        (22, 12),
    ];
    assert_eq!(told(&region, &steps).await, expected);
}

#[tokio::test]
async fn areas_that_are_too_short_get_what_fits() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_files(&folder)).expect("a region");
    let steps = [
        write("ACCT", "A", "0123456789"),
        on("RD", "ACCT", "A").length(10),
        on("RDI", "ACCT", "A"),
        write("VARY", "A", "0123456789").length(16),
        on("RD", "VARY", "A"),
        on("RD", "VARY", "A").length(8),
        on("RDS", "VARY", "A"),
    ];
    let done = run(&region, &steps).await.expect("an answer");
    let told: Vec<_> = done.iter().map(|done| (done.resp, done.resp2, done.length)).collect();
    assert_eq!(told[1..3], [(22, 13, 40), (0, 0, 40)]);
    assert_eq!(told[4..], [(0, 0, 16), (22, 11, 16), (0, 0, 16)]);
    assert_eq!((done[1].text.as_str(), done[5].text.as_str()), ("A     0123", "A     01"));
    assert!(done[6].text.starts_with("A     0123456789"));
}

#[tokio::test]
async fn keys_are_in_ebcdic_order_and_may_be_generic() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_files(&folder)).expect("a region");
    let keys = ["AB1", "ABC", "B1", "1A", "abc"];
    resps(&region, &keys.map(|key| write("ACCT", key, key))).await;
    let steps = [
        on("RDG", "ACCT", "AB2"),
        on("RDG", "ACCT", "C"),
        on("RDG", "ACCT", "2"),
        on("RDN", "ACCT", "AB").number(2),
        on("RDN", "ACCT", "AC").number(2),
        on("RDNG", "ACCT", "AC").number(2),
        on("RDNG", "ACCT", "").number(0),
    ];
    let done = run(&region, &steps).await.expect("an answer");
    let found: Vec<_> = done
        .iter()
        .map(|done| (done.resp, String::from_utf8_lossy(&done.key[..6]).trim_end().to_owned()))
        .collect();
    let found: Vec<_> = found.iter().map(|(resp, key)| (*resp, key.as_str())).collect();
    let expected = [(0, "B1"), (0, "1A"), (13, "2"), (0, "ABC"), (13, "AC"), (0, "B1"), (0, "abc")];
    assert_eq!(found, expected);
    // Generic deletes count.
    let done = run(&region, &[on("DLG", "ACCT", "AB").number(2), on("DLG", "ACCT", "AB").number(2)]).await;
    let done = done.expect("an answer");
    assert_eq!((done[0].resp, done[0].number, done[1].resp), (0, 2, 13));
}

#[tokio::test]
async fn browses_go_on_turn_round_and_are_set_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_files(&folder)).expect("a region");
    resps(&region, &["A1", "A2", "B1", "B2", "C1"].map(|key| write("ACCT", key, key))).await;
    let with = |op, key: &str, browse| on(op, "ACCT", key).number(browse);
    let steps = [
        with("RN", "", 0),
        with("SB", "A2", 0),
        with("SB", "A2", 0),
        with("SB", "B", 1),
        with("RN", "A2", 0),
        with("RN", "B", 1),
        with("RN", "A2", 0),
        with("RP", "B1", 0),
        with("RP", "B1", 0),
        with("RP", "A2", 0),
        with("RP", "A1", 0),
        // RIDFLD leads elsewhere, and so does RESETBR.
        with("RN", "B2", 0),
        with("RB", "B1", 0),
        with("RN", "B1", 0),
        with("RN", "B1", 1),
        with("RN", "B2", 1),
        with("RN", "C1", 1),
        with("EB", "", 1),
        with("EB", "", 1),
        with("RB", "A1", 1),
        with("SB", "C2", 2),
        with("SBE", "A", 2),
    ];
    let done = run(&region, &steps).await.expect("an answer");
    let found: Vec<_> = done.iter().map(|done| (done.resp, done.resp2, done.text.as_str())).collect();
    let read = |key: &'static str, text: &'static str| (0, 0, if key.is_empty() { "" } else { text });
    let expected = [
        (16, 34, ""),
        (0, 0, ""),
        (16, 33, ""),
        (0, 0, ""),
        read("A2", "A2    A2"),
        read("B1", "B1    B1"),
        read("B1", "B1    B1"),
        read("B1", "B1    B1"),
        read("A2", "A2    A2"),
        read("A1", "A1    A1"),
        (20, 90, ""),
        read("B2", "B2    B2"),
        (0, 0, ""),
        read("B1", "B1    B1"),
        read("B2", "B2    B2"),
        read("C1", "C1    C1"),
        (20, 90, ""),
        (0, 0, ""),
        (16, 35, ""),
        (16, 36, ""),
        (13, 80, ""),
        (13, 80, ""),
    ];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn browses_begin_at_the_end_or_with_a_part_of_a_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_files(&folder)).expect("a region");
    resps(&region, &["A1", "A2", "9Z"].map(|key| write("ACCT", key, key))).await;
    let high = |op| step(op, "ACCT").key([0xFF; 6]);
    let steps = [
        high("SB"),
        high("RN"),
        high("RP"),
        step("EB", "ACCT"),
        on("SB", "ACCT", "A3"),
        on("RP", "ACCT", "A3"),
        step("EB", "ACCT"),
        on("SBG", "ACCT", "A").length(1),
        on("RP", "ACCT", "A"),
        on("RN", "ACCT", "A"),
        step("SYNC", ""),
        on("RN", "ACCT", "A1"),
    ];
    let done = run(&region, &steps).await.expect("an answer");
    let found: Vec<_> = done.iter().map(|done| (done.resp, done.resp2, done.text.as_str())).collect();
    let expected = [
        (0, 0, ""),
        (20, 90, ""),
        (0, 0, "9Z    9Z"),
        (0, 0, ""),
        (0, 0, ""),
        (13, 80, ""),
        (0, 0, ""),
        (0, 0, ""),
        (16, 24, ""),
        (0, 0, "A1    A1"),
        (0, 0, ""),
        // A syncpoint ends browses.
        (16, 34, ""),
    ];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn records_have_addresses_or_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_files(&folder)).expect("a region");
    let log = |op: &'static str, number| step(op, "LOG").number(number);
    let steps = [
        log("WRB", 9).text("first").length(5),
        log("WRB", 9).text("second").length(6),
        log("RDB", 0),
        log("RDB", 5),
        log("RDB", 6),
        log("RDBU", 5),
        log("RW", 0).text("SECOND").length(6),
        log("RDBU", 5),
        log("RW", 0).text("longer").length(7),
        log("SBB", 0),
        log("RNB", 0),
        log("RNB", 0),
        log("RNB", 5),
        log("RPB", 5),
    ];
    let done = run(&region, &steps).await.expect("an answer");
    let resps: Vec<_> = done.iter().map(|done| done.resp).collect();
    assert_eq!(resps, [0, 0, 0, 0, 13, 0, 0, 0, 22, 0, 0, 0, 20, 0]);
    assert_eq!((done[0].number, done[1].number), (0, 5));
    assert_eq!((done[2].text.as_str(), done[3].text.as_str()), ("first", "second"));
    let browsed: Vec<_> = done[10..].iter().map(|done| (done.number, done.text.as_str())).collect();
    assert_eq!([browsed[0], browsed[1], browsed[3]], [(0, "first"), (5, "SECOND"), (5, "SECOND")]);
    let slot = |op: &'static str, number| step(op, "SLOT").number(number);
    let steps = [
        slot("WRR", 3).text("three"),
        slot("WRR", 1).text("one"),
        slot("WRR", 3).text("again"),
        slot("WRR", 0).text("none"),
        slot("RDR", 3),
        slot("RDR", 2),
        slot("RDR", 0),
        slot("SBR", 2),
        slot("RNR", 2),
        slot("RPR", 3),
        slot("RPR", 3),
        slot("DLR", 3),
        slot("RDR", 3),
    ];
    let done = run(&region, &steps).await.expect("an answer");
    let found: Vec<_> = done.iter().map(|done| (done.resp, done.number, done.text.as_str())).collect();
    let resps: Vec<_> = found.iter().map(|(resp, ..)| *resp).collect();
    assert_eq!(resps, [0, 0, 14, 21, 0, 13, 13, 0, 0, 0, 0, 0, 13]);
    assert_eq!(found[8..11], [(0, 3, "three"), (0, 3, "three"), (0, 1, "one")]);
}

#[tokio::test]
async fn a_unit_of_work_is_whole_or_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_files(&folder)).expect("a region");
    let both = |key: &str| vec![write("ACCT", key, "r"), write("LOOSE", key, "n")];
    let mut steps = both("A");
    steps.push(step("SYNC", ""));
    steps.extend(both("B"));
    steps.push(step("BACK", ""));
    resps(&region, &steps).await;
    let mut steps = both("C");
    steps.push(step("ABEND", ""));
    assert_eq!(abend(&region, &steps).await, "STOP");
    let look = |key: &str| vec![on("RD", "ACCT", key), on("RD", "LOOSE", key)];
    let steps = [look("A"), look("B"), look("C")].concat();
    assert_eq!(resps(&region, &steps).await, [0, 0, 13, 0, 13, 0]);
    // After a syncpoint nothing is held for update, and tokens of before mean nothing.
    let steps = [
        on("RDT", "ACCT", "A"),
        on("RDT", "ACCT", "B"),
        step("RWT", "ACCT").number(1).text(&record("A", "x")),
        on("RDT", "ACCT", "A"),
        step("SYNC", ""),
        step("RWT", "ACCT").number(2).text(&record("A", "y")),
        on("RDU", "ACCT", "A"),
        step("RW", "ACCT").text(&record("Z", "another key")),
        on("RDU", "ACCT", "A"),
    ];
    let told = told(&region, &steps).await;
    assert_eq!(told[2..], [(0, 0), (0, 0), (0, 0), (16, 47), (0, 0), (21, 110), (16, 28)]);
    assert_eq!(abend(&region, &[on("RDT", "ACCT", "A"), on("RDT", "ACCT", "A")]).await, "AFCG");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_that_another_task_has_is_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_files(&folder)).expect("a region");
    resps(&region, &[write("ACCT", "A", "old"), write("ACCT", "B", "old")]).await;
    let holder = [
        on("RDU", "ACCT", "A"),
        step("RW", "ACCT").text(&record("A", "new")),
        write("ACCT", "C", "new"),
        step("WQ", "HELD"),
        step("WAIT", "").number(1_500),
    ];
    let others = async {
        while resps(&region, &[step("RQI", "HELD").number(1)]).await != [0] {}
        // Who only reads sees what is committed; who would change does not wait for ever, nor at all.
        assert_eq!(results(&region, &[on("RD", "ACCT", "A")]).await, [(0, record("A", "old"))]);
        assert_eq!(told(&region, &[on("RDX", "ACCT", "A")]).await, [(101, 107)]);
        assert_eq!(resps(&region, &[on("RD", "ACCT", "C"), on("RDU", "ACCT", "B")]).await, [13, 0]);
        for waits in [on("RDU", "ACCT", "A"), on("RDC", "ACCT", "A"), write("ACCT", "C", "other")] {
            assert_eq!(abend(&region, &[waits]).await, "AFCV");
        }
    };
    let (held, ()) = tokio::join!(run(&region, &holder), others);
    held.expect("the holder ends as it should");
    assert_eq!(results(&region, &[on("RD", "ACCT", "A")]).await, [(0, record("A", "new"))]);
    let free = [on("RDU", "ACCT", "A"), step("UL", "ACCT"), on("RDP", "ACCT", "A"), on("RDC", "ACCT", "A")];
    assert_eq!(resps(&region, &free).await, [0; 4]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_tasks_that_wait_for_each_other_one_ends_with_afcf() {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { workers: 2, lock_wait_max: Duration::from_secs(60), ..Limits::default() };
    let region = Region::start(Settings { limits, ..with_files(&folder) }).expect("a region");
    resps(&region, &[write("ACCT", "A", ""), write("ACCT", "B", "")]).await;
    let one = |mine: &str, other: &str| {
        [on("RDT", "ACCT", mine), step("WAIT", "").number(500), on("RDT", "ACCT", other)]
    };
    let (ab, ba) = (one("A", "B"), one("B", "A"));
    let ended = tokio::join!(run(&region, &ab), run(&region, &ba));
    let failed = [ended.0, ended.1].into_iter().filter_map(Result::err).map(|failure| failure.to_string());
    let failed: Vec<_> = failed.collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0].starts_with("abend AFCF"), "{failed:?}");
}

#[tokio::test]
async fn a_new_file_gets_its_first_records_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let flat = folder.path().join("first.txt");
    std::fs::write(&flat, "A1    one\nB1    two\r\n").expect("a file");
    let with = |file: FileDefinition| {
        let definitions = Definitions { files: vec![file], ..Definitions::default() };
        Settings { definitions, ..with_files(&folder) }
    };
    let initial = Some(Initial { path: flat.clone(), format: RecordFormat::Lines });
    let first = || FileDefinition { initial: initial.clone(), ..keyed("FIRST") };
    let region = Region::start(with(first())).expect("a region");
    assert_eq!(results(&region, &[on("RD", "FIRST", "B1"), on("DL", "FIRST", "B1")]).await[0].1, "B1    two");
    drop(region);
    let region = Region::start(with(first())).expect("a region");
    assert_eq!(resps(&region, &[on("RD", "FIRST", "A1"), on("RD", "FIRST", "B1")]).await, [0, 13]);
    // Another definition of the same file is refused, and says why.
    let longer = region.successor(with(FileDefinition { record_bytes: 41, ..first() })).expect_err("another");
    let expected = "file FIRST: the file is defined with records of 41 bytes, but record 1 has 40";
    assert!(longer.contains(expected), "{longer}");
    let other = FileDefinition { recoverable: false, ..first() };
    assert!(region.successor(with(other)).is_err_and(|reason| reason.starts_with("file FIRST: ")));
    // Records that cannot be are told with their number, and the file is not made.
    std::fs::write(&flat, "A1\nA1\n").expect("a file");
    let twice = FileDefinition { initial: initial.clone(), ..keyed("TWICE") };
    let told = region.successor(with(twice.clone())).expect_err("twice the same key");
    assert!(told.contains("first.txt: record 2: "), "{told}");
    std::fs::write(&flat, "A1\nA2\n").expect("a file");
    let next = region.successor(with(twice)).expect("a region");
    assert_eq!(resps(&next, &[on("RD", "TWICE", "A2")]).await, [0]);
}

#[tokio::test]
async fn a_changed_status_counts_once_its_configuration_serves() {
    let folder = tempfile::tempdir().expect("a folder");
    let with = |files: Vec<FileDefinition>| {
        let definitions = Definitions { files, ..Definitions::default() };
        Settings { definitions, ..with_files(&folder) }
    };
    let closed = || FileDefinition { status: FileStatus::Closed, ..keyed("ACCT") };
    let region = Region::start(with(vec![keyed("ACCT")])).expect("a region");
    let read = async || resps(&region, &[on("RD", "ACCT", "A1")]).await;
    assert_eq!(read().await, [13]);
    let initial = Initial { path: folder.path().join("no-such-file"), format: RecordFormat::Lines };
    let faulty = FileDefinition { initial: Some(initial), ..keyed("FAULTY") };
    region.successor(with(vec![closed(), faulty])).expect_err("no first records");
    assert_eq!(read().await, [13], "a configuration that is refused changes nothing");
    let next = region.successor(with(vec![closed()])).expect("a region");
    assert_eq!(read().await, [13], "nor does one that may still be refused");
    next.begin_serving();
    assert_eq!(read().await, [19], "tasks of the region before see it, too");
    assert_eq!(resps(&next, &[on("RD", "ACCT", "A1")]).await, [19]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_see_the_files_with_their_locks_and_waiters() {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { workers: 2, lock_wait_max: Duration::from_secs(60), ..Limits::default() };
    let region = Region::start(Settings { limits, ..with_files(&folder) }).expect("a region");
    run(&region, &[write("ACCT", "A1", "first"), step("WRB", "LOG").text("line")])
        .await
        .expect("they are written");
    let holder = {
        let region = region.clone();
        tokio::spawn(async move {
            run(&region, &[on("RDU", "ACCT", "A1"), step("WAIT", "").number(60_000)]).await
        })
    };
    let seen = async |is_so: &dyn Fn(&region::FileView) -> bool| loop {
        let files = region.files().await.expect("the files");
        if let Some(file) = files.into_iter().find(|file| is_so(file)) {
            break file;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    let file = seen(&|file| file.locked == 1).await;
    assert_eq!((file.definition.name, file.waiting, file.records), (name("ACCT"), 0, None));
    let waiter = {
        let region = region.clone();
        tokio::spawn(async move { run(&region, &[on("RDU", "ACCT", "A1")]).await })
    };
    let file = seen(&|file| file.waiting == 1).await;
    assert_eq!((file.definition.name, file.locked), (name("ACCT"), 1));
    let files = region.files().await.expect("the files");
    let names: Vec<String> = files.iter().map(|file| wire::shown(&file.definition.name)).collect();
    assert_eq!(names, ["ACCT", "CLOSED", "LOG", "LOOSE", "OFF", "READONLY", "SLOT", "VARY"]);
    assert_eq!((files[2].records, files[2].locked), (Some(1), 0));
    for task in region.view().tasks {
        region.purge(task.number);
    }
    assert!(holder.await.expect("a task").is_err());
    drop(waiter);
}
