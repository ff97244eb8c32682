//! Tasks of one program that go to a worker together: each has what it would have had alone, whatever the others do.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use region::{Failure, Limits, ProgramLimits, Region, Request, Settings, Transaction};
use tokio::task::JoinSet;
use wire::{Interface, name};

use crate::hostile::hostile;
use crate::region::{request, text};
use crate::steps::{Step, results, step};

/// How often the tasks of a program may go alone, because others did so before.
pub(crate) const ROUNDS_MAX: usize = 3_000;

/// A region that has no slow programs, however much else the machine has to do.
pub(crate) fn settings() -> Settings {
    let settings = crate::region::settings();
    let second = Duration::from_secs(1);
    let limits = Limits { quick_max: second, batch_time_max: second, ..settings.limits };
    Settings { limits, ..settings }
}

fn bytes(text: &str, count: usize) -> Interface {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(count, b' ');
    Interface::Commarea(bytes)
}

/// How many tasks of a program have gone together.
pub(crate) fn batched(region: &Region, program: &str) -> u64 {
    let programs = region.view().programs;
    programs.iter().find(|known| known.name == Some(name(program))).map_or(0, |known| known.batched)
}

/// Runs the program at one time for all of these; what each gives, in their order.
async fn together(
    region: &Arc<Region>,
    program: &'static str,
    all: &[Interface],
) -> Vec<Result<Interface, Failure>> {
    let mut tasks = JoinSet::new();
    for (number, interface) in all.iter().cloned().enumerate() {
        let region = region.clone();
        tasks.spawn(async move { (number, region.run(request(program, interface)).await) });
    }
    let mut ended = tasks.join_all().await;
    ended.sort_by_key(|(number, _)| *number);
    ended.into_iter().map(|(_, ended)| ended).collect()
}

/// Runs the program until some of its tasks have gone together, so that the next ones do so too, most likely.
async fn warm_up(region: &Arc<Region>, program: &'static str, how: &Interface) {
    let before = batched(region, program);
    for _ in 0..ROUNDS_MAX {
        together(region, program, &vec![how.clone(); 4]).await;
        if batched(region, program) >= before + 4 {
            return;
        }
    }
    panic!("the tasks of {program} do not go together");
}

fn code(ended: &Result<Interface, Failure>) -> &str {
    match ended {
        Ok(Interface::Commarea(bytes)) if bytes.starts_with(b"DONE") => "DONE",
        Err(Failure::Abend { code, .. }) => code,
        other => panic!("expected an end, found {other:?}"),
    }
}

#[tokio::test]
async fn each_has_its_own_answer_and_fresh_storage() {
    let region = Region::start(settings()).expect("a region");
    let all: Vec<Interface> = (0..70).map(|number| bytes("HELLO", 29 + number * 10)).collect();
    let mut went_together = false;
    for _ in 0..20 {
        warm_up(&region, "ECHO", &bytes("", 29)).await;
        let before = batched(&region, "ECHO");
        for (number, answer) in together(&region, "ECHO", &all).await.into_iter().enumerate() {
            let expected = format!("ANSWERED{:05}0001TRN1MAUDE   ", 29 + number * 10);
            assert_eq!(text(answer.expect("an answer"))[..29], expected);
        }
        went_together = batched(&region, "ECHO") > before;
        if went_together {
            break;
        }
    }
    assert!(went_together);
    let view = region.view();
    // All are counted, and nothing runs any more.
    let ended: u32 = view.workers.iter().map(|worker| worker.tasks_ended).sum();
    let echo = view.programs.iter().find(|known| known.name == Some(name("ECHO"))).expect("a program");
    assert_eq!((u64::from(ended), view.tasks.len()), (echo.tasks, 0));
    assert!(echo.cpu_nanoseconds_mean.is_some_and(|time| time > 1_000));
}

#[tokio::test]
async fn one_that_fails_fails_alone() {
    for how in ["NULL", "STOP", "LOOP", "TERMINAL"] {
        let own = ProgramLimits { cpu_max: Some(Duration::from_millis(60)), ..Default::default() };
        let programs_limits = BTreeMap::from([(name("BAD"), own)]);
        let region = Region::start(Settings { programs_limits, ..settings() }).expect("a region");
        let alone = region.run(request("BAD", bytes(how, 8))).await;
        let expected = code(&alone).to_owned();
        assert_ne!(expected, "DONE", "{how}");
        let mut went_together = false;
        for _ in 0..20 {
            warm_up(&region, "BAD", &bytes("", 8)).await;
            let before = batched(&region, "BAD");
            let all = ["", "", how, "", how, ""].map(|how| bytes(how, 8));
            let ended = together(&region, "BAD", &all).await;
            let codes: Vec<&str> = ended.iter().map(code).collect();
            assert_eq!(codes, ["DONE", "DONE", &expected, "DONE", &expected, "DONE"], "{how}");
            went_together = batched(&region, "BAD") >= before + 2;
            if went_together {
                break;
            }
        }
        assert!(went_together, "{how}");
    }
}

#[tokio::test]
async fn those_that_ask_go_on_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = Region::start(Settings { store: folder.path().join("region.store"), ..settings() })
        .expect("a region");
    // Those that ask for nothing go together, until one asks.
    warm_up(&region, "STATE", &bytes("000", 3)).await;
    let write = |number: usize| -> Vec<Step> {
        vec![step("WQ", &format!("Q{number}")).text(&format!("ITEM {number}"))]
    };
    let all: Vec<Vec<Step>> = (0..12).map(write).collect();
    let mut tasks = JoinSet::new();
    for steps in all {
        let region = region.clone();
        tasks.spawn(async move { results(&region, &steps).await });
    }
    for done in tasks.join_all().await {
        assert_eq!(done[0].0, 0);
    }
    for number in 0..12 {
        let read = results(
            &region,
            &[step("RQI", &format!("Q{number}")).number(1), step("RQI", &format!("Q{number}")).number(2)],
        )
        .await;
        let read: Vec<(u16, &str)> = read.iter().map(|(resp, text)| (*resp, text.trim_end())).collect();
        assert_eq!((read[0].0, read[0].1.starts_with(&format!("ITEM {number}")), read[1].0), (0, true, 26));
    }
}

#[tokio::test]
async fn what_a_user_may_not_run_is_known_of_each() {
    let echo = Transaction { program: name("ECHO"), enabled: true, tasks_max: None };
    let transactions = BTreeMap::from([(name("ECHO"), echo)]);
    let region = Region::start(Settings { transactions, ..settings() }).expect("a region");
    let commarea = |how: &str| bytes(&format!("{how:8}ECHO    000000"), 42);
    for refused in [vec![], vec![name("ECHO")]] {
        let expected = if refused.is_empty() { "000" } else { "070" };
        warm_up(&region, "RIGHTS", &commarea("")).await;
        let mut tasks = JoinSet::new();
        for how in ["", "START", "", "START"] {
            let refused_programs = refused.clone();
            let (region, request) =
                (region.clone(), Request { refused_programs, ..request("RIGHTS", commarea(how)) });
            tasks.spawn(async move { (how, region.run(request).await) });
        }
        for (how, ended) in tasks.join_all().await {
            let expected = if how.is_empty() { "000" } else { expected };
            assert_eq!(text(ended.expect("an answer"))[16..19], *expected, "{how:?} of {refused:?}");
        }
    }
}

#[tokio::test]
async fn a_worker_has_no_more_tasks_than_it_may() {
    let limits = Limits { workers: 1, tasks_max: 5, ..settings().limits };
    let region = Region::start(Settings { limits, ..settings() }).expect("a region");
    let mut most = 0;
    for _ in 0..12 {
        let ended = together(&region, "ECHO", &vec![bytes("", 29); 4]).await;
        assert!(ended.iter().all(Result::is_ok));
        let of_workers = region.view().workers.into_iter().map(|worker| worker.tasks_ended);
        most = most.max(of_workers.max().unwrap_or(0));
    }
    assert!((1..=5).contains(&most), "{most}");
}

#[tokio::test]
async fn answers_that_have_no_room_beside_each_other_come_one_by_one() {
    let limits = Limits { workers: 1, area_bytes: 40_000, ..settings().limits };
    let region = Region::start(Settings { limits, ..settings() }).expect("a region");
    warm_up(&region, "ECHO", &bytes("", 29)).await;
    for count in [9_000, 3_900, 39_000] {
        for answer in together(&region, "ECHO", &vec![bytes("", count); 9]).await {
            if count > 32_763 {
                assert!(matches!(answer, Err(Failure::NotBegun(_))), "{answer:?}");
                continue;
            }
            let answer = text(answer.expect("an answer"));
            assert_eq!((answer.len(), &answer[..17]), (count, format!("ANSWERED{count:05}0001").as_str()));
        }
    }
}

#[tokio::test]
async fn who_leaves_before_the_others_go_has_not_begun() {
    let region = Region::start(settings()).expect("a region");
    let tasks = || region.view().programs.iter().map(|program| program.tasks).sum::<u64>();
    for round in 0.. {
        assert!(round < 100, "the tasks do not wait for each other");
        warm_up(&region, "ECHO", &bytes("", 29)).await;
        let before = tasks();
        let run = || Box::pin(region.run(request("ECHO", bytes("", 29))));
        let (mut staying, mut leaving, mut last) = (run(), run(), run());
        let pending = std::future::poll_fn(|context| {
            let all = [&mut staying, &mut leaving, &mut last];
            Poll::Ready(all.map(|task| task.as_mut().poll(context).is_pending()))
        })
        .await;
        // On a machine that has much else to do they may count as slow, and go alone.
        if pending != [true; 3] || tasks() > before {
            continue;
        }
        drop(leaving);
        assert_eq!(text(staying.await.expect("an answer"))[..13], *"ANSWERED00029");
        assert_eq!(text(last.await.expect("an answer"))[..13], *"ANSWERED00029");
        assert_eq!(tasks(), before + 2);
        break;
    }
}

#[tokio::test]
async fn a_batch_of_one_is_no_batch_where_none_are_wanted() {
    let limits = Limits { batch_tasks_max: 1, ..settings().limits };
    let region = Region::start(Settings { limits, ..settings() }).expect("a region");
    for _ in 0..20 {
        let ended = together(&region, "ECHO", &vec![bytes("", 29); 4]).await;
        assert!(ended.iter().all(Result::is_ok));
    }
    assert_eq!(batched(&region, "ECHO"), 0);
}

#[tokio::test]
async fn lies_about_a_batch_are_abends_of_those_who_may_have_begun() {
    // Which tasks fail depends on the lie; none hangs, none has another's answer, and the worker is replaced.
    for how in ["passes-over", "too-many", "half", "takes-all", "shortens", "tells-and-says"] {
        let limits = Limits { workers: 1, wall_max: Duration::from_millis(300), ..hostile(how).limits };
        let region = Region::start(Settings { limits, ..hostile(how) }).expect("a region");
        for round in 0..6 {
            let all: Vec<Interface> = (0..5).map(|number| bytes(&format!("{round}{number}"), 20)).collect();
            for (number, ended) in together(&region, "ANY", &all).await.into_iter().enumerate() {
                match ended {
                    Ok(answer) => assert_eq!(text(answer)[..2], format!("{round}{number}"), "{how}"),
                    Err(Failure::Abend { code, .. }) => assert_eq!(code, "ASRA", "{how}"),
                    Err(failure) => assert_eq!(failure, Failure::TimedOut, "{how}"),
                }
            }
        }
    }
}
