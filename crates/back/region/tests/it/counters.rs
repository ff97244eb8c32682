//! Named counters in real workers, and what is left of them when a region stops or is killed.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use region::{Limits, Region, Settings};
use wire::{Interface, name};

use crate::crash::Process;
use crate::kept_starts::until_free;
use crate::kill::own_applid;
use crate::programs::{example, folder};
use crate::region::{request, settings, text};
use crate::steps::{results, run, step};

/// A region that keeps counters, as soon as nobody else has its store.
async fn keeping(at: &Path, counter_reserve: u64) -> std::sync::Arc<Region> {
    let store = at.join("region.store");
    if store.exists() {
        until_free(at).await;
    }
    let limits = Limits { workers: 1, counter_reserve, ..Limits::default() };
    Region::start(Settings { store, keeps_counters: true, limits, ..settings() }).expect("a region")
}

async fn next(region: &Region) -> u64 {
    let done = results(region, &[step("GETC", "TICKET")]).await;
    assert_eq!(done[0].0, 0);
    done[0].1.parse().expect("a number")
}

#[tokio::test]
async fn a_region_that_stops_leaves_no_gap() {
    let at = tempfile::tempdir().expect("a folder");
    for round in 0..3 {
        let region = keeping(at.path(), 100).await;
        if round == 0 {
            assert!(!at.path().join("region.store").exists(), "nothing is made before it is needed");
            assert_eq!(results(&region, &[step("DEFC", "TICKET")]).await[0].0, 0);
        }
        for number in 0..5 {
            assert_eq!(next(&region).await, round * 5 + number);
        }
        assert!(region.keeps_counters());
    }
}

#[tokio::test]
async fn a_store_that_is_given_later_has_the_counters_of_before() {
    let at = tempfile::tempdir().expect("a folder");
    let store = at.path().join("region.store");
    let first = Region::start(Settings { store: store.clone(), ..settings() }).expect("a region");
    assert_eq!(results(&first, &[step("DEFC", "TICKET")]).await[0].0, 0);
    assert_eq!((next(&first).await, next(&first).await), (0, 1));
    assert!(!store.exists() && !first.keeps_counters());
    let without = Settings { store, ..settings() };
    let kept = Settings { keeps_counters: true, ..without.clone() };
    let second = first.successor(kept).expect("another region");
    // They stay kept, whatever settings of later say.
    let third = second.successor(without).expect("a third one");
    assert!(second.keeps_counters() && third.keeps_counters());
    drop((first, second, third));
    let region = keeping(at.path(), 100).await;
    assert_eq!(next(&region).await, 2);
}

#[tokio::test]
async fn counters_without_a_disk_say_so() {
    // Nobody can make the store of these settings.
    let region = Region::start(Settings { keeps_counters: true, ..settings() }).expect("a region");
    let done = run(&region, &[step("DEFC", "TICKET"), step("GETC", "TICKET")]).await.expect("an answer");
    assert_eq!((done[0].resp, done[0].resp2), (16, 303));
    assert_eq!((done[1].resp, done[1].resp2), (16, 201));
}

/// Takes numbers from a region in a process of its own. After `count` numbers it kills the process in the
/// middle of more.
fn numbers_until_killed(at: &Path, applid: &str, count: usize) -> Vec<u64> {
    let counted = Command::new(example("counted"))
        .args([folder().as_os_str(), at.join("region.store").as_os_str()])
        .arg(applid)
        .stdout(Stdio::piped())
        .spawn();
    let mut process = Process(counted.expect("the example"));
    let mut numbers = Vec::new();
    for line in BufReader::new(process.0.stdout.take().expect("its output")).lines() {
        let line = line.expect("a line");
        numbers.push(line.parse().unwrap_or_else(|_| panic!("{line}")));
        if numbers.len() == count {
            process.0.kill().expect("it runs");
        }
    }
    numbers
}

#[tokio::test]
async fn no_number_is_given_twice_though_regions_are_killed() {
    let (at, applid) = (tempfile::tempdir().expect("a folder"), own_applid('N'));
    let mut given = BTreeSet::new();
    for round in 0..5 {
        for number in numbers_until_killed(at.path(), &applid, 40 + round * 17) {
            assert!(given.insert(number), "{number} was given before");
        }
    }
    let last = given.last().copied().expect("numbers");
    let region = keeping(at.path(), 8).await;
    assert!(next(&region).await > last);
    // What was written ahead, and what the callers had not told yet.
    assert!(last < given.len() as u64 + 5 * (8 + 4), "{last} is the last of {}", given.len());
    assert_eq!(region.settings().applid, name("TESTREG"));
}

#[tokio::test]
async fn counters_say_what_they_should() {
    let region = Region::start(settings()).expect("a region");
    let answer = region.run(request("COUNTS", Interface::Commarea(vec![b' '; 1000]))).await;
    let expected = [
        "DEFINE 000 000",
        "TWICE 016 202",
        "MINUS 016 405",
        "GET 000 000",
        "000000000000000010",
        "REDUCE 000 000",
        "000000000000000012",
        "LIMIT 072 101",
        "REWIND 000 000",
        "QUERY 000 000",
        "000000000000000010",
        "000000000000000012",
        "UPDATE 072 103",
        "DELETE 000 000",
        "GONE 016 201",
        "BIG 000 000",
        "000000005000000000",
        "LENGTH 022 001",
        "",
    ];
    assert_eq!(text(answer.expect("an answer")).trim_end(), expected.join(";"));
}
