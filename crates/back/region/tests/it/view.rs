//! What operators see of a region, and tasks that they purge.

use std::sync::Arc;
use std::time::Duration;

use region::{
    Definitions, Failure, Keeping, Limits, ProgramState, QueueModel, QueuePlace, Region, Settings, TaskView,
    Waited,
};
use wire::Interface;

use crate::region::{request, settings};
use crate::steps::{Step, resps, results, run, step};

fn with_store(folder: &tempfile::TempDir, workers: usize) -> Arc<Region> {
    let model = |prefix: &str, recoverable| QueueModel {
        prefix: prefix.into(),
        keeping: Keeping::Auxiliary { recoverable },
        expiry: None,
    };
    let queue_models = vec![model("AUX", false), model("REC", true)];
    let settings = Settings {
        store: folder.path().join("region.store"),
        limits: Limits { workers, lock_wait_max: Duration::from_secs(60), ..Limits::default() },
        definitions: Definitions { queue_models, ..Definitions::default() },
        ..settings()
    };
    Region::start(settings).expect("a region")
}

/// The task that is so, as soon as there is one.
async fn task(region: &Region, is_so: impl Fn(&TaskView) -> bool) -> TaskView {
    loop {
        if let Some(found) = region.view().tasks.into_iter().find(&is_so) {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn waits_for(task: &TaskView, what: Waited, name: &[u8]) -> bool {
    task.waits.is_some_and(|waits| waits.what == what && waits.name() == name)
}

fn code<T: std::fmt::Debug>(ended: Result<T, Failure>) -> String {
    match ended {
        Err(Failure::Abend { code, .. }) => code,
        other => panic!("expected an abend, found {other:?}"),
    }
}

fn in_background(
    region: &Arc<Region>,
    steps: Vec<Step>,
) -> tokio::task::JoinHandle<Result<Vec<crate::steps::Done>, Failure>> {
    let region = region.clone();
    tokio::spawn(async move { run(&region, &steps).await })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_waits_for_a_name_is_shown_and_purged_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = with_store(&folder, 2);
    let on = |op, name| step(op, name).length(4);
    let holds = in_background(
        &region,
        vec![on("ENQ", "NAME"), step("WQ", "HELD"), step("WAIT", "").number(1_000), step("WQ", "HELD")],
    );
    while resps(&region, &[step("RQI", "HELD").number(1)]).await != [0] {}
    let waits = in_background(&region, vec![step("WQ", "RECQ"), on("ENQ", "NAME")]);
    let seen = task(&region, |task| waits_for(task, Waited::Enqueue, b"NAME")).await;
    assert_eq!((&seen.program, &seen.transaction, &seen.user), (b"STATE   ", b"TRN1", b"MAUDE   "));
    let view = region.view();
    assert_eq!((view.tasks.len(), view.workers.len(), view.waiting), (2, 2, 0));
    assert!(view.workers.iter().any(|worker| worker.pid == seen.worker && worker.task == Some(seen.number)));
    assert!(view.workers.iter().all(|worker| worker.memory_bytes.is_some_and(|bytes| bytes > 0)));

    assert!(region.purge(seen.number));
    assert_eq!(code(waits.await.expect("the task")), "AKC3");
    assert!(!region.purge(seen.number) && !region.purge(0));
    // Nothing of its unit of work is there; the other task goes on, and a new worker comes.
    assert_eq!(region.queue_item(b"RECQ", 1).await, Ok(None));
    let held = holds.await.expect("the task").expect("it ends as it should");
    assert!(held.iter().all(|done| done.resp == 0));
    assert_eq!(results(&region, &[on("ENQH", "NAME")]).await, [(0, "GRANTED".to_owned())]);
    while region.view().workers.len() < 2 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_loops_is_purged_while_others_wait_for_its_worker() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = with_store(&folder, 1);
    let looping = region.clone();
    let looping =
        tokio::spawn(
            async move { looping.run(request("BAD", Interface::Commarea(b"LOOP    ".to_vec()))).await },
        );
    let seen = task(&region, |task| task.program == *b"BAD     " && task.cpu_milliseconds > 0).await;
    assert_eq!(seen.waits, None);
    let waits = in_background(&region, vec![step("WQ", "AFTER")]);
    while region.view().waiting == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert!(region.purge(seen.number));
    assert_eq!(code(looping.await.expect("the task")), "AKC3");
    assert_eq!(waits.await.expect("the task").map(|done| done[0].resp), Ok(0));
    let programs = region.view().programs;
    let unused = programs.iter().find(|program| program.name == Some(*b"ECHO    ")).expect("a program");
    assert_eq!((unused.state, unused.tasks, unused.cpu_nanoseconds_mean), (ProgramState::Enabled, 0, None));
    let programs: Vec<_> = programs.into_iter().filter(|program| program.tasks > 0).collect();
    let [bad, state] = programs.as_slice() else { panic!("expected two programs, found {programs:?}") };
    assert_eq!((bad.name, bad.tasks, bad.abends), (Some(*b"BAD     "), 1, 1));
    let last = bad.last_abend.as_ref().expect("an abend");
    assert_eq!((last.code.as_str(), last.task), ("AKC3", seen.number));
    assert_eq!((state.name, state.tasks, &state.last_abend), (Some(*b"STATE   "), 1, &None));
    // It was measured by its worker; the other one was seen while it ran.
    assert!(state.cpu_nanoseconds_mean.is_some_and(|time| time > 1_000), "{state:?}");
    assert!(bad.cpu_nanoseconds_mean.is_some_and(|time| time > 1_000_000), "{bad:?}");
    assert!([bad, state].iter().all(|program| Some(program.cpu_nanoseconds) == program.cpu_nanoseconds_mean));
    assert!([bad, state].iter().all(|program| program.memory_max_bytes.is_some_and(|bytes| bytes > 0)));
}

#[tokio::test]
async fn tasks_of_a_region_are_seen_from_the_one_that_takes_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = with_store(&folder, 1);
    let next = region.successor(region.settings().clone()).expect("a region");
    let sleeping =
        tokio::spawn(
            async move { region.run(request("BAD", Interface::Commarea(b"SLEEP   ".to_vec()))).await },
        );
    let seen = task(&next, |task| task.program == *b"BAD     ").await;
    assert!(next.purge(seen.number));
    assert_eq!(code(sleeping.await.expect("the task")), "AKC3");
}

#[tokio::test]
async fn queues_are_listed_and_read_without_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = with_store(&folder, 1);
    assert_eq!(region.queue_item(b"MEMQ", 1).await, Ok(None));
    let mut writes = Vec::new();
    for queue in ["AUXQ", "MEMQ", "RECQ"] {
        writes.extend([step("WQ", queue).text("one").length(3), step("WQ", queue).text("two").length(3)]);
    }
    assert_eq!(resps(&region, &writes).await, [0; 6]);
    let view = region.queues().await.expect("queues");
    let listed: Vec<_> = view.queues.iter().map(|queue| (queue.name.trim_ascii(), queue.place)).collect();
    let expected = [
        (&b"MEMQ"[..], QueuePlace::Main),
        (b"AUXQ", QueuePlace::Auxiliary),
        (b"RECQ", QueuePlace::Recoverable),
    ];
    assert_eq!((listed.as_slice(), view.is_cut), (&expected[..], false));
    for queue in view.queues {
        assert_eq!(queue.items, 2);
        for (number, data) in [(0, None), (2, Some(b"two".to_vec())), (3, None), (u64::MAX, None)] {
            let item = region.queue_item(&queue.name, number).await.expect("a queue").expect("a queue");
            assert_eq!((item.data, &item.queue), (data, &queue));
        }
    }
    // NEXT is where it was.
    let next = results(&region, &[step("RQ", "MEMQ"), step("RQ", "AUXQ"), step("RQ", "RECQ")]).await;
    assert!(next.iter().all(|(resp, text)| *resp == 0 && text == "one"), "{next:?}");
    for name in [&b""[..], b"NOSUCH", &[b'X'; 17]] {
        assert_eq!(region.queue_item(name, 1).await, Ok(None));
    }
}
