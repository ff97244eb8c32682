//! ENQ and DEQ: who holds a name, for how long, and who waits.

use std::time::Duration;

use region::{Limits, Region, Settings};

use crate::region::settings;
use crate::steps::{Step, abend, resps, results, run, step};

const ENQBUSY: u16 = 55;

fn with_store(folder: &tempfile::TempDir) -> Settings {
    let limits = Limits { workers: 2, lock_wait_max: Duration::from_millis(200), ..Limits::default() };
    Settings { store: folder.path().join("region.store"), limits, ..settings() }
}

fn on(op: &'static str, name: &str) -> Step {
    step(op, name).length(4)
}

/// Runs steps that end by writing to the queue HELD and waiting, and others while they wait.
async fn while_held<T>(region: &Region, mut held: Vec<Step>, others: impl Future<Output = T>) -> T {
    held.extend([step("WQ", "HELD"), step("WAIT", "").number(1_000)]);
    let others = async {
        while resps(region, &[step("RQI", "HELD").number(1)]).await != [0] {}
        let told = others.await;
        resps(region, &[step("DQ", "HELD")]).await;
        told
    };
    let (held, told) = tokio::join!(run(region, &held), others);
    held.expect("the holder ends as it should");
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_is_held_until_it_is_given_up_as_often_as_it_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_store(&folder)).expect("a region");
    let twice = vec![on("ENQ", "NAME"), on("ENQ", "NAME"), on("DEQ", "NAME")];
    let others = async {
        assert_eq!(resps(&region, &[on("ENQN", "NAME"), on("ENQN", "FREE")]).await, [ENQBUSY, 0]);
        assert_eq!(results(&region, &[on("ENQH", "NAME")]).await, [(0, "HANDLED".to_owned())]);
        assert_eq!(abend(&region, &[on("ENQ", "NAME")]).await, "AKCS");
    };
    while_held(&region, twice, others).await;
    // The end of the task gives it up, and so does DEQ.
    let free = async { resps(&region, &[on("ENQN", "NAME")]).await };
    let given_up = vec![on("ENQ", "NAME"), on("ENQ", "NAME"), on("DEQ", "NAME"), on("DEQ", "NAME")];
    assert_eq!(while_held(&region, given_up, free).await, [0]);
    assert_eq!(results(&region, &[on("ENQH", "NAME")]).await, [(0, "GRANTED".to_owned())]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_syncpoint_ends_what_is_held_for_the_unit_of_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_store(&folder)).expect("a region");
    for end in ["SYNC", "BACK"] {
        let others = async { resps(&region, &[on("ENQN", "TASK"), on("ENQN", "UOW1")]).await };
        let held = vec![on("ENQT", "TASK"), on("ENQ", "UOW1"), step(end, "")];
        assert_eq!(while_held(&region, held, others).await, [ENQBUSY, 0], "{end}");
    }
    let ended = async { resps(&region, &[on("ENQN", "TASK")]).await };
    assert_eq!(while_held(&region, vec![on("ENQT", "TASK"), on("DEQ", "TASK")], ended).await, [0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_tasks_that_wait_for_each_other_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { workers: 2, lock_wait_max: Duration::from_secs(60), ..Limits::default() };
    let region = Region::start(Settings { limits, ..with_store(&folder) }).expect("a region");
    // Both hold one name when they ask for the other's: each waits until the other's first item is there.
    let one = |mine: &'static str, other: &'static str| {
        [on("ENQ", mine), step("WAIT", "").number(500), on("ENQ", other)]
    };
    let (ab, ba) = (one("AAAA", "BBBB"), one("BBBB", "AAAA"));
    let ended = tokio::join!(run(&region, &ab), run(&region, &ba));
    let failed = [ended.0.is_err(), ended.1.is_err()];
    assert_eq!(failed.iter().filter(|failed| **failed).count(), 1, "one is the victim, the other goes on");
}

#[tokio::test]
async fn names_and_lifetimes_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(with_store(&folder)).expect("a region");
    let steps = [
        step("ENQ", "X").length(0),
        step("ENQ", "X").length(256),
        on("ENQL", "X").number(7),
        on("DEQ", "NONE"),
    ];
    let done = run(&region, &steps).await.expect("an answer");
    let told: Vec<_> = done.iter().map(|done| (done.resp, done.resp2)).collect();
    assert_eq!(told, [(22, 1), (22, 1), (16, 2), (0, 0)]);
    // By its address, and of the longest length.
    assert_eq!(resps(&region, &[step("ENQA", "X"), step("ENQ", "X").length(255)]).await, [0, 0]);
}
