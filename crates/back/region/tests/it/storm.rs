//! Workers and whole regions are killed at random while two regions change things together: both have the same afterwards.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::kill::workers;
use crate::linked::{Came, Far, Linked, Plan, named_pair, until};

const CALLERS: usize = 3;
const KILLS: usize = 12;

/// A region that is started again when it was killed.
struct Phoenix {
    plan: Plan,
    region: RwLock<Arc<Linked>>,
}

impl Phoenix {
    fn new(plan: Plan) -> Self {
        Self { region: RwLock::new(Arc::new(Linked::start(&plan))), plan }
    }

    fn now(&self) -> Arc<Linked> {
        self.region.read().expect("no holder panics").clone()
    }

    fn kill(&self) {
        self.now().kill();
        *self.region.write().expect("no holder panics") = Arc::new(Linked::start(&self.plan));
    }
}

/// The answers to the callers.
#[derive(Debug, Default)]
struct Told {
    acknowledged: Mutex<Vec<String>>,
    failed: AtomicUsize,
    gone: AtomicUsize,
    /// When the last call came back well.
    last: Mutex<Option<Instant>>,
}

fn call(caller: usize, near: &Phoenix, (told, stop): (&Told, &AtomicBool)) {
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let id = format!("C{caller}N{number}");
        match near.now().far(&Far::new("MUST", near.plan.peer, &id)) {
            Came::Ok(_) => {
                told.acknowledged.lock().expect("no holder panics").push(id);
                *told.last.lock().expect("no holder panics") = Some(Instant::now());
            }
            Came::Failed(_) => {
                told.failed.fetch_add(1, Ordering::Relaxed);
            }
            Came::Gone => {
                told.gone.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
            Came::Unknown(message) => panic!("{message}"),
        }
    }
}

/// Kills one thing after the other; gives the longest time until the service was back.
fn kill(kills: usize, (near, far): (&Phoenix, &Phoenix), told: &Told) -> Duration {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut longest = Duration::ZERO;
    for _ in 0..kills {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        std::thread::sleep(Duration::from_millis(seed % 60));
        match seed >> 32 & 3 {
            0 => near.kill(),
            1 => far.kill(),
            which => {
                let sysid = if which == 2 { near.plan.sysid } else { far.plan.sysid };
                for pid in workers(&format!("LINK{sysid}")) {
                    let pid = Pid::from_raw(pid).expect("a process id");
                    let _ = rustix::process::kill_process(pid, Signal::KILL);
                }
            }
        }
        let killed = Instant::now();
        until("the service is not back", || {
            told.last.lock().expect("no holder panics").is_some_and(|last| last > killed)
        });
        longest = longest.max(killed.elapsed());
    }
    longest
}

/// How many processes are killed: what the variable `KILLS` says, or few.
fn kills() -> usize {
    let text = std::env::var("KILLS").unwrap_or_default();
    if text.is_empty() { KILLS } else { text.parse().expect("KILLS is a number") }
}

/// The names are this storm's own: workers are found by them.
fn storm(kills: usize, (first, other): (&'static str, &'static str)) {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan_a, plan_b) = named_pair(folder.path(), first, other);
    let (near, far) = (Phoenix::new(plan_a), Phoenix::new(plan_b));
    near.now().wait_for_link(other);
    let (told, stop) = (Told::default(), AtomicBool::new(false));
    let longest = std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let (near, told, stop) = (&near, &told, &stop);
            scope.spawn(move || call(caller, near, (told, stop)));
        }
        let longest = kill(kills, (&near, &far), &told);
        stop.store(true, Ordering::Relaxed);
        longest
    });
    near.now().wait_for_link(other);
    until("units are in doubt", || far.now().in_doubt() == 0);
    let (items_a, items_b) = (near.now().items("RECOUT"), far.now().items("RECIN"));
    let count = |items: &[String]| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        items.iter().for_each(|item| *counts.entry(item.clone()).or_default() += 1);
        counts
    };
    let (count_a, count_b) = (count(&items_a), count(&items_b));
    let acknowledged = told.acknowledged.into_inner().expect("no holder panics");
    println!(
        "{kills} kills: {} acknowledged, {} failed, {} without an answer, {} in both, back after {longest:?} at most",
        acknowledged.len(),
        told.failed.into_inner(),
        told.gone.into_inner(),
        items_a.len(),
    );
    assert_eq!(count_a, count_b, "both regions have the same");
    assert!(count_a.values().all(|count| *count == 1), "nothing is doubled");
    for id in acknowledged {
        assert!(count_a.contains_key(&id), "{id} is lost");
    }
}

#[test]
fn both_regions_have_the_same_whoever_is_killed() {
    storm(kills(), ("STMA", "STMB"));
}
