//! Limits of single programs: who exceeds them fails alone, and other programs have theirs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use region::{Failure, Limits, ProgramLimits, Region, Settings};
use wire::{Interface, name};

use crate::region::{request, settings, text};

fn with(program: &str, limits: ProgramLimits, workers: usize) -> Arc<Region> {
    let programs_limits = BTreeMap::from([(name(program), limits)]);
    let limits = Limits { workers, ..Limits::default() };
    // Root may not be allowed to set limits of another user's process; the last test is of that.
    Region::start(Settings { limits, programs_limits, user: None, ..settings() }).expect("a region")
}

async fn run(region: &Region, program: &str, how: &str) -> Result<String, Failure> {
    region.run(request(program, Interface::Commarea(format!("{how:8}").into_bytes()))).await.map(text)
}

fn code(ended: Result<String, Failure>) -> String {
    match ended {
        Err(Failure::Abend { code, .. }) => code,
        other => panic!("expected an abend, found {other:?}"),
    }
}

#[tokio::test]
async fn memory_is_that_of_the_program_that_the_task_begins_with() {
    let region = with("HOARD", ProgramLimits { memory_max_bytes: Some(64 << 20), ..Default::default() }, 1);
    for _ in 0..2 {
        assert_eq!(code(run(&region, "HOARD", "").await), "AEIA");
        // The same worker, and the same program behind a LINK.
        assert_eq!(run(&region, "HOARDER", "").await.as_deref(), Ok("DONE    "));
    }
    let more = with("HOARDER", ProgramLimits { memory_max_bytes: Some(512 << 20), ..Default::default() }, 1);
    // It takes about 96 MiB at a time, which both may.
    assert_eq!(run(&more, "HOARDER", "").await.as_deref(), Ok("DONE    "));
    assert_eq!(run(&more, "HOARD", "").await.as_deref(), Ok("DONE    "));
}

#[tokio::test]
async fn a_program_may_have_more_memory_than_others() {
    let limits = Limits { workers: 1, memory_max_bytes: 64 << 20, ..Limits::default() };
    let own = ProgramLimits { memory_max_bytes: Some(256 << 20), ..Default::default() };
    let programs_limits = BTreeMap::from([(name("HOARDER"), own)]);
    let region =
        Region::start(Settings { limits, programs_limits, user: None, ..settings() }).expect("a region");
    for _ in 0..2 {
        assert_eq!(code(run(&region, "HOARD", "").await), "AEIA");
        assert_eq!(run(&region, "HOARDER", "").await.as_deref(), Ok("DONE    "));
    }
}

#[tokio::test]
async fn processor_time_and_time_are_those_of_the_program() {
    let own = ProgramLimits { cpu_max: Some(Duration::from_millis(50)), ..Default::default() };
    let region = with("BAD", own, 2);
    let waits = tokio::spawn({
        let region = region.clone();
        async move { run(&region, "HOARDER", "WAIT").await }
    });
    assert_eq!(code(run(&region, "BAD", "LOOP").await), "AICA");
    assert_eq!(waits.await.expect("it ends").as_deref(), Ok("WAIT    "));
    let own = ProgramLimits { wall_max: Some(Duration::from_millis(100)), ..Default::default() };
    let region = with("BAD", own, 2);
    let waits = tokio::spawn({
        let region = region.clone();
        async move { run(&region, "HOARDER", "WAIT").await }
    });
    assert_eq!(run(&region, "BAD", "SLEEP").await, Err(Failure::TimedOut));
    assert_eq!(waits.await.expect("it ends").as_deref(), Ok("WAIT    "));
}

#[tokio::test]
async fn a_program_with_few_workers_leaves_the_others() {
    let own = ProgramLimits { workers_max: Some(1), ..Default::default() };
    let region = with("BAD", own, 2);
    // Each sleeps until its task is ended: together they would have both workers.
    let sleeping: Vec<_> = (0..3)
        .map(|_| {
            let region = region.clone();
            tokio::spawn(async move { run(&region, "BAD", "SLEEP").await })
        })
        .collect();
    tokio::task::yield_now().await;
    for _ in 0..3 {
        assert_eq!(run(&region, "HOARDER", "WAIT").await.as_deref(), Ok("WAIT    "));
    }
    // None has given a worker back before.
    for task in sleeping {
        assert!(!task.is_finished());
        task.abort();
    }
}

#[tokio::test]
async fn memory_of_another_users_worker_is_limited_or_watched() {
    let limits = Limits { workers: 1, memory_max_bytes: 64 << 20, ..Limits::default() };
    let own = ProgramLimits { memory_max_bytes: Some(4 << 30), ..Default::default() };
    let programs_limits = BTreeMap::from([(name("HOARDER"), own)]);
    let region = Region::start(Settings { limits, programs_limits, ..settings() }).expect("a region");
    for _ in 0..2 {
        // It takes memory until it gets no more, or is seen to have too much.
        let code = code(run(&region, "BAD", "MEMORY").await);
        assert!(["AEIA", "GMEM"].contains(&code.as_str()), "{code}");
        assert_eq!(run(&region, "HOARDER", "").await.as_deref(), Ok("DONE    "));
    }
}
