//! Workers that lie, are silent, or outlive their region.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use region::{Failure, Limits, Region, Settings};
use wire::{Interface, name};

use crate::kill::workers;
use crate::programs::{example, folder};
use crate::region::{request, settings};

pub(crate) fn hostile(how: &str) -> Settings {
    let limits = Limits { workers: 1, start_max: Duration::from_millis(300), ..Limits::default() };
    Settings { command: vec![example("hostile").into(), how.into()], limits, ..settings() }
}

#[tokio::test]
async fn lies_of_a_worker_are_the_abend_of_its_task() {
    for (how, expected) in [
        ("shrinks", "the message ends before its time"),
        ("length", "a length that does not fit the shared memory"),
        ("garbage", "the message ends before its time"),
        ("ready", "the worker sent an unexpected message"),
        ("often", "expected a message of a worker"),
        ("dies", "the worker is gone"),
    ] {
        let region = Region::start(hostile(how)).expect("a region");
        // The worker that lied is gone; the next one, which lies too, takes the next task.
        for _ in 0..2 {
            let failure = region.run(request("ANY", Interface::Commarea(vec![1; 100]))).await;
            let Err(Failure::Abend { code, message, .. }) = failure else { panic!("{how}: {failure:?}") };
            assert_eq!((code.as_str(), message.starts_with(expected)), ("ASRA", true), "{how}: {message}");
        }
    }
}

#[tokio::test]
async fn a_bell_is_not_believed() {
    // The first task of a program is waited for at the bell; on a slow machine the byte on the socket is what is heard.
    let region = Region::start(hostile("bell")).expect("a region");
    let failure = region.run(request("ANY", Interface::Commarea(vec![1; 100]))).await;
    let Err(Failure::Abend { code, message, .. }) = failure else { panic!("{failure:?}") };
    let reasons = ["a bell with a value that means nothing", "expected a message of a worker"];
    assert!(code == "ASRA" && reasons.iter().any(|reason| message.starts_with(reason)), "{message}");
    // One that says that the region has not looked yet: it has, or looks, and then waits at the socket.
    let limits = Limits { wall_max: Duration::from_millis(200), ..hostile("unseen").limits };
    let region = Region::start(Settings { limits, ..hostile("unseen") }).expect("a region");
    match region.run(request("ANY", Interface::Commarea(vec![1; 100]))).await {
        Err(Failure::TimedOut) => {}
        Err(Failure::Abend { code, message, .. }) if code == "ASRA" && message.starts_with(reasons[0]) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_worker_that_never_answers_holds_up_nobody_but_its_task() {
    for how in ["unrung", "rattles"] {
        let limits = Limits { wall_max: Duration::from_millis(200), ..hostile(how).limits };
        let region = Region::start(Settings { limits, ..hostile(how) }).expect("a region");
        let other = async {
            // A single thread runs both, and this part gets its turns while the task has not ended.
            for _ in 0..3 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let task = region.run(request("ANY", Interface::Commarea(vec![1; 100])));
        tokio::pin!(task);
        tokio::select! {
            biased;
            ended = &mut task => panic!("{how}: {ended:?}"),
            () = other => {}
        }
        assert_eq!(task.await, Err(Failure::TimedOut), "{how}");
    }
}

#[tokio::test]
async fn a_task_that_only_tells_is_purged_and_holds_up_nobody() {
    let region = Region::start(hostile("tells")).expect("a region");
    let purge = async {
        // A single thread runs both, and this part gets its turns.
        let task = loop {
            tokio::task::yield_now().await;
            if let Some(task) = region.view().tasks.first() {
                break task.number;
            }
        };
        assert!(region.purge(task));
    };
    let task = region.run(request("ANY", Interface::Commarea(vec![1; 100])));
    let (ended, ()) = tokio::join!(task, purge);
    assert!(matches!(&ended, Err(Failure::Abend { code, .. }) if code == "AKC3"), "{ended:?}");
}

#[tokio::test]
async fn a_worker_that_goes_on_after_its_task_is_replaced() {
    let named = Settings { applid: name("GOESON"), ..hostile("goes-on") };
    let region = Region::start(named).expect("a region");
    let before = workers("GOESON");
    region.run(request("ANY", Interface::Commarea(vec![1; 100]))).await.expect("an answer");
    let begun = Instant::now();
    while workers("GOESON") == before || workers("GOESON").is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{before:?} goes on");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // The next worker has the next task.
    region.run(request("ANY", Interface::Commarea(vec![1; 100]))).await.expect("an answer");
}

#[test]
fn a_worker_that_cannot_start_is_told_at_once() {
    assert_eq!(Region::start(hostile("ends")).err().as_deref(), Some("it ended at once"));
    assert_eq!(Region::start(hostile("silent")).err().as_deref(), Some("it did not become ready in time"));
    let missing = Settings { command: vec!["/no/such/worker".into()], ..hostile("") };
    assert!(Region::start(missing).is_err_and(|reason| reason.contains("No such file")));
}

#[test]
fn workers_die_with_their_region() {
    // The other example has a region; it runs until somebody kills it.
    let mut region = Command::new(example("door"))
        .args([folder().as_os_str(), "1000000000".as_ref()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the example");
    let until = |what: &str, done: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !done() {
            assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    until("the region has no worker", &|| !workers("BENCH").is_empty());
    region.kill().expect("it runs");
    region.wait().expect("it ends");
    until("the worker has outlived its region", &|| workers("BENCH").is_empty());
}
