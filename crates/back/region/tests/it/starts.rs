//! START, RETRIEVE, CANCEL and DELAY in real workers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use region::{Failure, Limits, Region, Request, Rights, Rule, Settings, TaskCaller, Transaction};
use wire::{Interface, Name, name};

use crate::region::{request, settings, text};

/// The settings of regions whose programs start others.
pub(crate) fn with_transactions() -> Settings {
    let transaction =
        |program: &str, enabled: bool| Transaction { program: name(program), enabled, tasks_max: None };
    let transactions: BTreeMap<Name<4>, Transaction> = [
        (name("STD1"), transaction("STARTED", true)),
        (name("ABN1"), transaction("ABENDS", true)),
        (name("CHD1"), transaction("CHILD", true)),
        (name("SLP1"), transaction("SLEEPER", true)),
        (name("OFF1"), transaction("STARTED", false)),
    ]
    .into();
    Settings { transactions, start_users: BTreeSet::from([name("BATCH1")]), ..settings() }
}

/// RESP, RESP2 and EIBREQID of what STARTER does.
pub(crate) async fn starter(region: &Region, how: &str) -> Result<String, Failure> {
    let mut bytes = how.as_bytes().to_vec();
    bytes.resize(22, b' ');
    Ok(text(region.run(request("STARTER", Interface::Commarea(bytes))).await?)[8..].to_owned())
}

/// The next note of a started task, as soon as there is one.
pub(crate) async fn note(region: &Region) -> String {
    loop {
        let answer = region.run(request("NOTES", Interface::Commarea(vec![b' '; 50]))).await;
        let found = text(answer.expect("an answer"));
        if !found.trim_end().is_empty() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_started_task_retrieves_its_data_once() {
    let region = Region::start(with_transactions()).expect("a region");
    let started = starter(&region, "DATA").await.expect("an answer");
    assert_eq!(&started[..8], "000000DF");
    // The second RETRIEVE finds no more data, and there is no channel.
    assert_eq!(note(&region).await, "STD1SDMAUDE   000029016HELLO   RTR1RTM1QUEUE001003");
}

#[tokio::test]
async fn each_start_is_a_task_of_its_own() {
    let region = Region::start(with_transactions()).expect("a region");
    for _ in 0..3 {
        starter(&region, "PLAIN").await.expect("an answer");
    }
    for _ in 0..3 {
        let found = note(&region).await;
        assert_eq!(&found[..23], "STD1S MAUDE   029029016");
    }
    starter(&region, "CHANNEL").await.expect("an answer");
    assert_eq!(&note(&region).await[..29], "STD1S MAUDE   029029000INSIDE");
    starter(&region, "USER").await.expect("an answer");
    assert_eq!(&note(&region).await[..14], "STD1S BATCH1  ");
}

#[tokio::test]
async fn what_cannot_be_started_raises_a_condition() {
    let region = Region::start(with_transactions()).expect("a region");
    for (how, expected) in [
        ("UNKNOWN", "028000"),
        ("STOPPED", "028000"),
        ("STRANGER", "070009"),
        ("TERMINAL", "011000"),
        // RESP2 is 3072; the program shows its last three digits.
        ("SYSTEM", "053072"),
        ("HOURS", "016004"),
        ("LENGTH", "022000"),
        ("RETRIEVE", "029000"),
        ("CANCEL", "013000"),
    ] {
        assert_eq!(&starter(&region, how).await.expect("an answer")[..6], expected, "{how}");
    }
}

#[tokio::test]
async fn a_task_is_not_begun_for_a_user_who_may_not_run_it() {
    let maude = TaskCaller { user: "maude".into(), groups: ["staff".into()].into() };
    let starter = || request("STARTER", padded("PLAIN", 22));
    let found = async |region: &Region, request| {
        text(region.run(request).await.expect("an answer"))[8..14].to_owned()
    };
    let region = Region::start(with_transactions()).expect("a region");
    let refused = Request { refused_programs: vec![name("STARTED")], ..starter() };
    assert_eq!(found(&region, refused).await, "070007");
    let rule = Rule { name: name("STD1"), groups: vec!["staff".into()], users: Vec::new() };
    let rights = Rights { transactions: vec![rule], ..Rights::default() };
    let guarded = Region::start(Settings { rights, ..with_transactions() }).expect("a region");
    // Nobody in particular may not; somebody of the group may.
    assert_eq!(found(&guarded, starter()).await, "070007");
    let known = Request { caller: Some(Arc::new(maude)), ..starter() };
    assert_eq!(found(&guarded, known).await, "000000");
    let parent = request("PARENT", padded("DEADLOCK", 1000));
    let refused = region.run(Request { refused_programs: vec![name("CHILD")], ..parent }).await;
    assert!(matches!(&refused, Err(Failure::Abend { code, .. }) if code == "AEY7"), "{refused:?}");
}

fn padded(text: &str, bytes: usize) -> Interface {
    let mut commarea = text.as_bytes().to_vec();
    commarea.resize(bytes, b' ');
    Interface::Commarea(commarea)
}

#[tokio::test]
async fn a_start_is_cancelled_before_its_time() {
    let region = Region::start(with_transactions()).expect("a region");
    assert_eq!(starter(&region, "LATER").await.expect("an answer"), "000000LATER   ");
    // Data are kept by the name, so that it can stand only once.
    assert_eq!(&starter(&region, "LATER").await.expect("an answer")[..6], "017000");
    assert_eq!(&starter(&region, "CANCEL").await.expect("an answer")[..6], "000000");
    assert_eq!(&starter(&region, "CANCEL").await.expect("an answer")[..6], "013000");
    assert_eq!(&starter(&region, "LATER").await.expect("an answer")[..6], "000000");
}

#[tokio::test]
async fn an_operator_sees_and_cancels_starts_that_wait_but_no_delay() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("region.store");
    let region = Region::start(Settings { store: store.clone(), ..with_transactions() }).expect("a region");
    region.recall();
    let delay = tokio::spawn({
        let region = region.clone();
        async move { starter(&region, "DELAY").await }
    });
    while !region.view().tasks.iter().any(|task| task.waits.is_some_and(|waits| waits.name() == b"LATER   "))
    {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(region.pending_starts(), []);
    assert_eq!(region.cancel_start(name("LATER")).await, Ok(None));
    starter(&region, "LATER").await.expect("an answer");
    let pending = region.pending_starts();
    let [late] = &pending[..] else { panic!("{pending:?}") };
    assert_eq!(
        (late.request, late.transaction, late.user),
        (name("LATER"), name("STD1"), Some(name("MAUDE")))
    );
    assert_eq!(
        (late.data_bytes, late.channel_bytes, late.protected, late.is_due),
        (Some(4), None, false, false)
    );
    let left = late.due.duration_since(std::time::SystemTime::now()).expect("it is not due");
    assert!(left > Duration::from_secs(3_500) && left <= Duration::from_secs(3_600), "{left:?}");
    let cancelled = region.cancel_start(name("LATER")).await.expect("it is cancelled").expect("it is there");
    assert_eq!(cancelled.transaction, name("STD1"));
    assert_eq!(region.cancel_start(name("LATER")).await, Ok(None));
    assert_eq!(region.pending_starts(), []);
    // A DELAY of the same name goes on until its program is told.
    assert!(!delay.is_finished());
    assert_eq!(&starter(&region, "CANCEL").await.expect("an answer")[..6], "000000");
    assert_eq!(delay.await.expect("the task").expect("an answer"), "000000LATER   ");
}

#[tokio::test]
async fn a_cancelled_protected_start_is_gone_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = || Settings { store: folder.path().join("region.store"), ..with_transactions() };
    let region = Region::start(settings()).expect("a region");
    region.recall();
    starter(&region, "PROHOURS").await.expect("an answer");
    assert_eq!(region.pending_starts().iter().filter(|start| start.protected).count(), 1);
    assert!(matches!(region.cancel_start(name("LATER")).await, Ok(Some(start)) if start.protected));
    drop(region);
    drop(crate::kept_starts::until_free(folder.path()).await);
    let region = Region::start(settings()).expect("a region");
    region.recall();
    // What the store keeps is read before this task is done.
    starter(&region, "PROHOURS").await.expect("an answer");
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(region.pending_starts().len(), 1);
}

#[tokio::test]
async fn a_delay_ends_when_it_is_cancelled() {
    let region = Region::start(with_transactions()).expect("a region");
    let sleeper = tokio::spawn({
        let region = region.clone();
        async move { starter(&region, "DELAY").await }
    });
    while !starter(&region, "CANCEL").await.expect("an answer").starts_with("000") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(sleeper.await.expect("the task").expect("an answer"), "000000LATER   ");
}

#[tokio::test]
async fn a_protected_start_waits_for_the_end_of_its_unit_of_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("region.store");
    let region = Region::start(Settings { store, ..with_transactions() }).expect("a region");
    let abend = starter(&region, "BACKOUT").await;
    assert!(matches!(&abend, Err(Failure::Abend { code, .. }) if code == "BACK"), "{abend:?}");
    starter(&region, "PROTECT").await.expect("an answer");
    // The first note is that of the second task: the other was never started.
    assert_eq!(&note(&region).await[14..31], "056022016PRO     ");
}

#[tokio::test]
async fn starts_have_limits() {
    let limits = Limits { starts_max: 1, workers: 2, ..Limits::default() };
    let region = Region::start(Settings { limits, ..with_transactions() }).expect("a region");
    assert_eq!(&starter(&region, "LATER").await.expect("an answer")[..6], "000000");
    assert_eq!(&starter(&region, "PLAIN").await.expect("an answer")[..6], "017000");
    let limits = Limits { starts_max_bytes: 100, workers: 2, ..Limits::default() };
    let region = Region::start(Settings { limits, ..with_transactions() }).expect("a region");
    assert_eq!(&starter(&region, "DATA").await.expect("an answer")[..6], "017000");
}

#[tokio::test]
async fn a_start_outlives_the_region_that_it_was_given_in() {
    let first = Region::start(with_transactions()).expect("a region");
    assert_eq!(&starter(&first, "SOON").await.expect("an answer")[..6], "000000");
    let limits = Limits { workers: 1, ..Limits::default() };
    let second = first.successor(Settings { limits, ..with_transactions() }).expect("another");
    second.begin_serving();
    drop(first);
    assert_eq!(&note(&second).await[14..31], "056022016SOO     ");
}

/// The configuration of a region that is made may still be refused.
#[tokio::test]
async fn tasks_begin_in_a_region_only_when_it_serves() {
    let first = Region::start(with_transactions()).expect("a region");
    let mut without = with_transactions();
    without.transactions.remove(&name("STD1"));
    let refused = first.successor(without.clone()).expect("a region");
    starter(&first, "PLAIN").await.expect("an answer");
    let note_within = |region: Arc<Region>, milliseconds: u64| async move {
        let wait = Duration::from_millis(milliseconds);
        tokio::time::timeout(wait, note(&region)).await.ok()
    };
    let begun = note_within(first.clone(), 20_000).await.expect("the task begins in the region that serves");
    assert_eq!(&begun[..4], "STD1");
    drop(refused);
    let next = first.successor(without).expect("a region");
    next.begin_serving();
    starter(&first, "PLAIN").await.expect("an answer");
    let mut left = first.pending_starts().len() + first.unattended_tasks();
    while left > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
        left = first.pending_starts().len() + first.unattended_tasks();
    }
    assert_eq!(note_within(next, 50).await, None, "the new configuration has no such transaction");
}

#[tokio::test]
async fn started_tasks_leave_workers_to_callers() {
    let limits = Limits { starts_running_max: 1, workers: 2, ..Limits::default() };
    let mut settings = Settings { limits, ..with_transactions() };
    let sleeps = Transaction { program: name("SLEEPER"), enabled: true, tasks_max: Some(1) };
    settings.transactions.insert(name("STD1"), sleeps);
    let region = Region::start(settings).expect("a region");
    for _ in 0..3 {
        starter(&region, "PLAIN").await.expect("an answer");
    }
    // All but one wait, so that there is a worker.
    let answer = region.run(request("NOTES", Interface::Commarea(vec![b' '; 50]))).await;
    assert_eq!(text(answer.expect("an answer")).trim_end(), "");
}

#[tokio::test]
async fn a_started_task_that_abends_harms_nobody() {
    let region: Arc<Region> = Region::start(with_transactions()).expect("a region");
    assert_eq!(&starter(&region, "ABEND").await.expect("an answer")[..6], "000000");
    starter(&region, "PLAIN").await.expect("an answer");
    assert_eq!(&note(&region).await[..4], "STD1");
}

/// The rules of the region in which a task begins hold for it.
#[tokio::test]
async fn a_started_task_begins_only_if_the_configuration_still_allows_it() {
    let forbidden = Rule { name: name("STD1"), groups: vec!["staff".into()], users: Vec::new() };
    let of_program = Rule { name: name("STARTED"), groups: vec!["staff".into()], users: Vec::new() };
    let by_transaction = Rights { transactions: vec![forbidden], ..Rights::default() };
    let by_program = Rights { programs: vec![of_program], ..Rights::default() };
    let mut disabled = with_transactions();
    disabled.transactions.get_mut(&name("STD1")).expect("a transaction").enabled = false;
    for changed in [
        disabled,
        Settings { rights: by_transaction, ..with_transactions() },
        Settings { rights: by_program, ..with_transactions() },
    ] {
        let first = Region::start(with_transactions()).expect("a region");
        assert_eq!(&starter(&first, "SOON").await.expect("an answer")[..6], "000000");
        let next = first.successor(changed).expect("a region");
        next.begin_serving();
        while next.pending_starts().len() + next.unattended_tasks() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let noted = tokio::time::timeout(Duration::from_millis(50), note(&next)).await;
        assert!(noted.is_err(), "the task has begun: {noted:?}");
    }
}

#[tokio::test]
async fn a_protected_start_needs_a_name_of_its_own_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("region.store");
    let region = Region::start(Settings { store, ..with_transactions() }).expect("a region");
    assert_eq!(&starter(&region, "LATER").await.expect("an answer")[..6], "000000");
    assert_eq!(&starter(&region, "PROHOURS").await.expect("an answer")[..6], "017000");
    assert_eq!(region.pending_starts().len(), 1);
    assert_eq!(&starter(&region, "CANCEL").await.expect("an answer")[..6], "000000");
    assert_eq!(&starter(&region, "PROHOURS").await.expect("an answer")[..6], "000000");
    assert_eq!(&starter(&region, "PROHOURS").await.expect("an answer")[..6], "017000");
}
