//! The state of a region for its operators: the task of every worker, and the outcomes of each program's
//! tasks.
//!
//! A task that begins or ends only stores atomics here. Only the list of workers, which changes with them,
//! and the last abend are locked.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use tokio::sync::Notify;
use wire::{Name, Task, spread};

use crate::running::process::{Line, Status};
use crate::settings::TaskLimits;
use crate::watching::waits::WaitsFor;

/// The most programs with figures of their own, a power of two. Programs beyond them share one place, without
/// a name.
const PROGRAMS_MAX: usize = 1_024;

/// How many tasks of a program are measured before samples do. Reading the thread's clock twice takes a tenth of the shortest task.
const CPU_TASKS_FIRST: u64 = 64;

/// One in this many of the later tasks is measured.
const CPU_SAMPLE_EVERY: u64 = 16;

/// The same for the worker's memory at the end of a task, which takes longer to read. Besides, the region's thread looks at it
/// every 20 ms.
const MEMORY_TASKS_FIRST: u64 = 2;
const MEMORY_SAMPLE_EVERY: u64 = 1_024;

/// The most times that a reader looks at a worker whose task changes meanwhile.
const READS_MAX: u32 = 8;

/// The state that operators can see. Regions that follow each other share it.
#[derive(Debug)]
pub(crate) struct Board {
    /// When the first of them began.
    pub(crate) began: Instant,
    workers: Mutex<BTreeMap<u32, Arc<Status>>>,
    pub(crate) programs: Programs,
}

impl Default for Board {
    fn default() -> Self {
        Self { began: Instant::now(), workers: Mutex::default(), programs: Programs::default() }
    }
}

impl Board {
    /// A worker can take tasks.
    pub(crate) fn add(&self, pid: u32, worker: Arc<Status>) {
        self.locked().insert(pid, worker);
    }

    /// A worker is gone.
    pub(crate) fn remove(&self, pid: u32) {
        self.locked().remove(&pid);
    }

    /// All workers, by their process ids.
    pub(crate) fn workers(&self) -> Vec<(u32, Arc<Status>)> {
        self.locked().iter().map(|(pid, worker)| (*pid, worker.clone())).collect()
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<Status>>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskLabel {
    /// EIBTASKN.
    pub(crate) number: u32,
    pub(crate) transaction: Name<4>,
    pub(crate) program: Name<8>,
    pub(crate) user: Name<8>,
    /// The value of ASSIGN STARTCODE.
    pub(crate) startcode: Name<2>,
}

impl TaskLabel {
    /// That of a task on its way to a worker.
    pub(crate) fn of(task: &Task) -> Self {
        Self {
            number: task.number,
            transaction: task.transaction,
            program: task.program,
            user: task.user,
            startcode: task.startcode,
        }
    }
}

/// The task of a worker. The thread that runs the task writes it; any thread reads it.
#[derive(Debug, Default)]
pub(crate) struct Occupation {
    /// The number of the task; 0 if there is none. It is set after all else, and taken away before.
    number: AtomicU32,
    transaction: AtomicU32,
    program: AtomicU64,
    user: AtomicU64,
    startcode: AtomicU16,
    /// Tasks that have ended.
    ended: AtomicU32,
    /// Processor time of the task, in milliseconds, when the region's thread looked last.
    cpu_milliseconds: AtomicU64,
    waits: Mutex<Option<WaitsFor>>,
    /// The number of the last task that was to be purged.
    purged: AtomicU32,
    purge: Notify,
}

impl Occupation {
    /// A task begins.
    pub(crate) fn begin(&self, task: &TaskLabel) {
        fence(Ordering::Release);
        self.transaction.store(u32::from_ne_bytes(task.transaction), Ordering::Relaxed);
        self.program.store(u64::from_ne_bytes(task.program), Ordering::Relaxed);
        self.user.store(u64::from_ne_bytes(task.user), Ordering::Relaxed);
        self.startcode.store(u16::from_ne_bytes(task.startcode), Ordering::Relaxed);
        self.cpu_milliseconds.store(0, Ordering::Relaxed);
        self.number.store(task.number, Ordering::Release);
    }

    /// The task is at its end.
    pub(crate) fn end(&self) {
        self.have_ended(1);
    }

    /// Ends this many tasks; only one of them was shown.
    pub(crate) fn have_ended(&self, tasks: u32) {
        self.number.store(0, Ordering::Relaxed);
        // Only the thread of the tasks writes this.
        self.ended.store(self.ended.load(Ordering::Relaxed).wrapping_add(tasks), Ordering::Relaxed);
    }

    /// The task. None if there is none, or if tasks change faster than they can be read.
    pub(crate) fn task(&self) -> Option<TaskLabel> {
        for _ in 0..READS_MAX {
            let number = self.number.load(Ordering::Acquire);
            let task = TaskLabel {
                number,
                transaction: self.transaction.load(Ordering::Relaxed).to_ne_bytes(),
                program: self.program.load(Ordering::Relaxed).to_ne_bytes(),
                user: self.user.load(Ordering::Relaxed).to_ne_bytes(),
                startcode: self.startcode.load(Ordering::Relaxed).to_ne_bytes(),
            };
            fence(Ordering::Acquire);
            if self.number.load(Ordering::Relaxed) == number {
                return (number != 0).then_some(task);
            }
        }
        None
    }

    pub(crate) fn ended(&self) -> u32 {
        self.ended.load(Ordering::Relaxed)
    }

    pub(crate) fn cpu_milliseconds(&self) -> u64 {
        self.cpu_milliseconds.load(Ordering::Relaxed)
    }

    pub(crate) fn set_cpu_milliseconds(&self, milliseconds: u64) {
        self.cpu_milliseconds.store(milliseconds, Ordering::Relaxed);
    }

    /// Notes what the task waits for from now on; none if it runs.
    pub(crate) fn set_waits(&self, waits: Option<WaitsFor>) {
        *self.waits.lock().unwrap_or_else(PoisonError::into_inner) = waits;
    }

    pub(crate) fn waits(&self) -> Option<WaitsFor> {
        *self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the thread that runs the task of this number, and only that task, to end it. False if the task
    /// is not here.
    pub(crate) fn purge(&self, number: u32) -> bool {
        if self.number.load(Ordering::Acquire) != number {
            return false;
        }
        self.purged.store(number, Ordering::Release);
        self.purge.notify_waiters();
        true
    }

    /// True if the task is to be purged.
    pub(crate) fn is_purged(&self, number: u32) -> bool {
        self.purged.load(Ordering::Acquire) == number
    }

    /// Waits until the task is to be purged.
    pub(crate) async fn purged(&self, number: u32) {
        loop {
            // Made before the check, so that a purge between both is not missed.
            let told = self.purge.notified();
            if self.is_purged(number) {
                return;
            }
            told.await;
        }
    }
}

/// The figures of programs that tasks begin with.
#[derive(Debug)]
pub(crate) struct Programs {
    places: Box<[ProgramFigures]>,
    others: ProgramFigures,
}

/// The figures of one program.
#[derive(Debug, Default)]
pub(crate) struct ProgramFigures {
    /// The program; 0 if the place is free.
    name: AtomicU64,
    /// Tasks that have begun with it.
    pub(crate) tasks: AtomicU64,
    /// Those of them that went to a worker together with others, and returned there.
    pub(crate) batched: AtomicU64,
    /// The number of tasks that asked whether they are measured.
    looked_at: AtomicU64,
    /// Those that ended with an abend, or took too long.
    pub(crate) abends: AtomicU64,
    last_abend: Mutex<Option<LastAbend>>,
    /// Processor time of the measured tasks, in nanoseconds, and their number.
    cpu_nanoseconds: AtomicU64,
    cpu_tasks: AtomicU64,
    /// The processor time of all tasks: each measured one stands for those before it that were not.
    cpu_nanoseconds_all: AtomicU64,
    /// The most memory that a worker was seen with while it had a task of the program, in bytes.
    memory_max_bytes: AtomicU64,
}

/// Which figures of a task are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measures {
    pub(crate) cpu: bool,
    pub(crate) memory: bool,
}

/// The last abend of a program's tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastAbend {
    /// When the task ended.
    pub time: SystemTime,
    /// Its number.
    pub task: u32,
    /// The program in which it happened. If that is not known, the program that the task began with.
    pub program: String,
    /// The code.
    pub code: String,
    /// A description, with the line if it is known.
    pub message: String,
}

impl Default for Programs {
    fn default() -> Self {
        let places = (0..PROGRAMS_MAX).map(|_| ProgramFigures::default());
        Self { places: places.collect(), others: ProgramFigures::default() }
    }
}

impl Programs {
    /// The figures of a program.
    pub(crate) fn of(&self, program: Name<8>) -> &ProgramFigures {
        let wanted = u64::from_ne_bytes(program);
        let first = (spread(program) >> 48) as usize;
        for step in 0..PROGRAMS_MAX {
            let place = &self.places[(first + step) % PROGRAMS_MAX];
            let name = match place.name.load(Ordering::Relaxed) {
                0 => {
                    let taken = place.name.compare_exchange(0, wanted, Ordering::Relaxed, Ordering::Relaxed);
                    taken.err().unwrap_or(wanted)
                }
                name => name,
            };
            if name == wanted {
                return place;
            }
        }
        &self.others
    }

    /// The figures of a program. None if no task began with it, or if it shares a place. Takes no new place.
    pub(crate) fn known(&self, program: Name<8>) -> Option<&ProgramFigures> {
        let wanted = u64::from_ne_bytes(program);
        let first = (spread(program) >> 48) as usize;
        for step in 0..PROGRAMS_MAX {
            let place = &self.places[(first + step) % PROGRAMS_MAX];
            match place.name.load(Ordering::Relaxed) {
                0 => return None,
                name if name == wanted => return Some(place),
                _ => {}
            }
        }
        None
    }

    /// All figures, each with its name; no name for the shared place.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Option<Name<8>>, &ProgramFigures)> {
        let named = self.places.iter().filter_map(|place| {
            let name = place.name.load(Ordering::Relaxed);
            (name != 0).then(|| (Some(name.to_ne_bytes()), place))
        });
        let others = (self.others.tasks.load(Ordering::Relaxed) > 0).then_some((None, &self.others));
        named.chain(others)
    }
}

impl ProgramFigures {
    /// Which figures of the next task are taken.
    pub(crate) fn measures(&self) -> Measures {
        // Counted here, for many tasks may come before the first of them begins.
        let begun = self.looked_at.fetch_add(1, Ordering::Relaxed);
        Measures {
            cpu: begun < CPU_TASKS_FIRST || begun.is_multiple_of(CPU_SAMPLE_EVERY),
            memory: begun < MEMORY_TASKS_FIRST || begun.is_multiple_of(MEMORY_SAMPLE_EVERY),
        }
    }

    /// Takes the figures of a task that has ended in its worker. A killed worker has reported nothing; then
    /// the figures of the region's thread count.
    pub(crate) fn measured(&self, measures: Measures, line: &Line, limits: &TaskLimits) {
        if measures.cpu {
            let seen = line.status.occupation.cpu_milliseconds().saturating_mul(1_000_000);
            let said = believed(line.cpu_nanoseconds(), limits, seen);
            self.used_cpu(if said == 0 { seen } else { said });
        }
        if measures.memory
            && let Some(memory) = crate::running::memory::own_memory(line.pid)
        {
            self.had_memory(memory.resident_bytes);
        }
    }

    /// Takes the processor time that a worker says of a task that went with others.
    pub(crate) fn measured_cpu(&self, nanoseconds: u64, limits: &TaskLimits) {
        self.used_cpu(believed(nanoseconds, limits, 0));
    }

    fn used_cpu(&self, nanoseconds: u64) {
        if nanoseconds > 0 {
            self.cpu_nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
            let measured = self.cpu_tasks.fetch_add(1, Ordering::Relaxed);
            let tasks = if measured < CPU_TASKS_FIRST { 1 } else { CPU_SAMPLE_EVERY };
            self.cpu_nanoseconds_all.fetch_add(nanoseconds.saturating_mul(tasks), Ordering::Relaxed);
        }
    }

    /// The processor time of all tasks in nanoseconds, from the measured ones. It never falls.
    pub(crate) fn cpu_nanoseconds(&self) -> u64 {
        self.cpu_nanoseconds_all.load(Ordering::Relaxed)
    }

    /// The worker of a task has so much memory.
    pub(crate) fn had_memory(&self, bytes: u64) {
        self.memory_max_bytes.fetch_max(bytes, Ordering::Relaxed);
    }

    /// The mean processor time of the measured tasks, in nanoseconds.
    pub(crate) fn cpu_nanoseconds_mean(&self) -> Option<u64> {
        self.cpu_nanoseconds.load(Ordering::Relaxed).checked_div(self.cpu_tasks.load(Ordering::Relaxed))
    }

    /// The most memory that was seen.
    pub(crate) fn memory_max_bytes(&self) -> Option<u64> {
        Some(self.memory_max_bytes.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
    }

    /// A task of the program has ended badly.
    pub(crate) fn note(&self, abend: LastAbend) {
        self.abends.fetch_add(1, Ordering::Relaxed);
        *self.last_abend.lock().unwrap_or_else(PoisonError::into_inner) = Some(abend);
    }

    pub(crate) fn last_abend(&self) -> Option<LastAbend> {
        self.last_abend.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The worker's report of its processor time, cut to its limit and to the time that the region saw.
fn believed(said_ns: u64, limits: &TaskLimits, seen_ns: u64) -> u64 {
    said_ns.min(u64::try_from(limits.cpu_max.as_nanos()).unwrap_or(u64::MAX).max(seen_ns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::name;

    fn task(number: u32) -> TaskLabel {
        TaskLabel { number, transaction: name("T"), program: name("P"), user: name("U"), startcode: *b"SD" }
    }

    #[test]
    fn a_task_is_seen_from_its_begin_to_its_end() {
        let occupation = Occupation::default();
        assert_eq!(occupation.task(), None);
        occupation.begin(&task(7));
        assert_eq!(occupation.task(), Some(task(7)));
        occupation.end();
        assert_eq!((occupation.task(), occupation.ended()), (None, 1));
    }

    #[tokio::test]
    async fn only_the_task_that_is_meant_is_purged() {
        let occupation = Occupation::default();
        occupation.begin(&task(7));
        assert!(!occupation.purge(6) && !occupation.is_purged(7));
        assert!(occupation.purge(7));
        occupation.purged(7).await;
        occupation.end();
        occupation.begin(&task(8));
        assert!(!occupation.is_purged(8) && !occupation.purge(7));
    }

    #[test]
    fn the_first_tasks_are_measured_and_then_samples() {
        let figures = ProgramFigures::default();
        assert_eq!((figures.cpu_nanoseconds_mean(), figures.memory_max_bytes()), (None, None));
        let mut measured = Vec::new();
        for number in 0..200_u64 {
            if figures.measures().cpu {
                measured.push(number);
                figures.used_cpu(if number < CPU_TASKS_FIRST { 1_000 } else { 2_000 });
            }
            figures.tasks.fetch_add(1, Ordering::Relaxed);
        }
        assert_eq!(measured[63..], [63, 64, 80, 96, 112, 128, 144, 160, 176, 192]);
        assert_eq!(figures.cpu_nanoseconds_mean(), Some((64 * 1_000 + 9 * 2_000) / 73));
        assert_eq!(figures.cpu_nanoseconds(), 64 * 1_000 + 9 * 16 * 2_000);
        assert!(!figures.measures().memory && ProgramFigures::default().measures().memory);
        figures.had_memory(7);
        figures.had_memory(5);
        assert_eq!(figures.memory_max_bytes(), Some(7));
    }

    #[test]
    fn programs_beyond_the_limit_share_a_place() {
        let programs = Programs::default();
        for number in 0..PROGRAMS_MAX + 3 {
            let program = name(&format!("P{number}"));
            programs.of(program).tasks.fetch_add(1, Ordering::Relaxed);
            programs.of(program).tasks.fetch_add(1, Ordering::Relaxed);
        }
        let all: Vec<_> = programs.all().collect();
        assert_eq!(all.len(), PROGRAMS_MAX + 1);
        let tasks = |figures: &ProgramFigures| figures.tasks.load(Ordering::Relaxed);
        assert!(all.iter().all(|(name, figures)| tasks(figures) == if name.is_some() { 2 } else { 6 }));
    }

    #[test]
    fn looking_for_a_program_takes_no_place() {
        let (programs, program) = (Programs::default(), name("SEEN"));
        assert!(programs.known(program).is_none());
        assert_eq!(programs.all().count(), 0);
        programs.of(program).tasks.fetch_add(3, Ordering::Relaxed);
        let tasks = programs.known(program).map(|figures| figures.tasks.load(Ordering::Relaxed));
        assert_eq!(tasks, Some(3));
        for number in 0..PROGRAMS_MAX {
            programs.of(name(&format!("P{number}")));
        }
        assert!(programs.known(name("NONE")).is_none(), "all places are taken");
    }
}
