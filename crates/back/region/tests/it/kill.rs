//! Workers are killed while tasks run in them: every caller gets an answer, and what was acknowledged is there.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use region::{Failure, Limits, Region, Settings};
use rustix::process::{Pid, Signal};
use wire::{Interface, name};

use crate::region::{request, settings, text};
use crate::starts::{starter, with_transactions};

const CALLERS: usize = 4;
const KILLS: usize = 200;

/// No call may take longer: it hangs.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// An application id that no other run of these tests has at the same time.
pub(crate) fn own_applid(letter: char) -> String {
    format!("{letter}{:07}", std::process::id() % 10_000_000)
}

/// The process ids of the workers of a region, by its application id.
pub(crate) fn workers(applid: &str) -> Vec<i32> {
    let wanted = format!("gantry-worker-{applid}\0");
    let processes = std::fs::read_dir("/proc").expect("/proc");
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        command.starts_with(wanted.as_bytes())
    })
    .collect()
}

fn queue(how: char, item: usize, text: &str) -> Interface {
    Interface::Commarea(format!("{how}{item:05}000{text:12}").into_bytes())
}

/// Writes one text after the other until it must stop; gives the acknowledged ones.
async fn write(region: Arc<Region>, caller: usize, stop: Arc<AtomicBool>) -> Vec<String> {
    let mut acknowledged = Vec::new();
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let text = format!("C{caller} N{number}");
        let call = region.run(request("QUEUE", queue('W', 0, &text)));
        match tokio::time::timeout(ANSWER_MAX, call).await.expect("no call hangs") {
            Ok(_) => acknowledged.push(text),
            Err(Failure::Abend { code, .. }) => assert_eq!(code, "ASRA"),
            Err(other) => panic!("{other}"),
        }
    }
    acknowledged
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_hangs_and_no_acknowledged_item_is_lost_or_doubled() {
    let limits = Limits { workers: 2, ..Limits::default() };
    let applid = own_applid('K');
    let region = Region::start(Settings { applid: name(&applid), limits, ..settings() }).expect("a region");
    let stop = Arc::new(AtomicBool::new(false));
    let callers: Vec<_> =
        (0..CALLERS).map(|caller| tokio::spawn(write(region.clone(), caller, stop.clone()))).collect();
    let mut kills = 0;
    while kills < KILLS {
        for pid in workers(&applid) {
            let pid = Pid::from_raw(pid).expect("a process id");
            kills += usize::from(rustix::process::kill_process(pid, Signal::KILL).is_ok());
        }
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    stop.store(true, Ordering::Relaxed);
    let mut acknowledged = Vec::new();
    for caller in callers {
        acknowledged.extend(caller.await.expect("no caller fails"));
    }
    assert!(!acknowledged.is_empty());
    println!("{kills} workers killed, {} items acknowledged", acknowledged.len());
    let mut found: HashMap<String, usize> = HashMap::new();
    for item in 1.. {
        let answer = loop {
            // A worker that was killed while it had nothing to do is only noticed by the next task.
            match region.run(request("QUEUE", queue('R', item, ""))).await {
                Ok(answer) => break text(answer),
                Err(Failure::Abend { .. }) => {}
                Err(other) => panic!("{other}"),
            }
        };
        if &answer[6..9] != "000" {
            break;
        }
        *found.entry(answer[9..].trim_end().to_owned()).or_default() += 1;
    }
    for text in &acknowledged {
        assert_eq!(found.get(text), Some(&1), "{text}");
    }
    // What was not acknowledged may be there, once.
    assert!(found.values().all(|count| *count == 1));
}

/// A wait of hours, in a worker that is killed meanwhile: by its limit, or from outside.
#[tokio::test]
async fn a_task_that_waits_ends_with_its_worker() {
    let limits = Limits { workers: 1, wall_max: Duration::from_millis(500), ..Limits::default() };
    let region = Region::start(Settings { limits, ..with_transactions() }).expect("a region");
    let late = tokio::time::timeout(ANSWER_MAX, starter(&region, "DELAY")).await.expect("it ends");
    assert_eq!(late, Err(Failure::TimedOut));
    let (limits, applid) = (Limits { workers: 1, ..Limits::default() }, own_applid('W'));
    let settings = Settings { applid: name(&applid), limits, ..with_transactions() };
    let region = Region::start(settings).expect("a region");
    let waiting = tokio::spawn({
        let region = region.clone();
        async move { starter(&region, "DELAY").await }
    });
    while !region.view().tasks.iter().any(|task| task.waits.is_some()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    for pid in workers(&applid) {
        let pid = Pid::from_raw(pid).expect("a process id");
        rustix::process::kill_process(pid, Signal::KILL).expect("it is killed");
    }
    let ended = tokio::time::timeout(ANSWER_MAX, waiting).await.expect("it ends").expect("the task");
    assert!(matches!(&ended, Err(Failure::Abend { code, .. }) if code == "ASRA"), "{ended:?}");
    // It has left its worker's place to others.
    let next = tokio::time::timeout(ANSWER_MAX, starter(&region, "PLAIN")).await.expect("it ends");
    assert_eq!(&next.expect("an answer")[..6], "000000");
}
