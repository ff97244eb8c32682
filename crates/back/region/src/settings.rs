//! The settings of a region: its names, its code page, its programs, and the limits of its workers.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use wire::area::AREA_MAX_BYTES;
use wire::{Name, WorkerUser};

use crate::definitions::Definitions;
use crate::link::definition::Links;
use crate::resources::counters::Keeping;
use crate::rights::Rights;
use crate::watching::dumps::DumpSettings;

/// The settings of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The application id.
    pub applid: Name<8>,
    /// The system id.
    pub sysid: Name<4>,
    /// The user that tasks run under if nobody is known.
    pub default_user: Name<8>,
    /// The code page of text in programs.
    pub ccsid: u16,
    /// The bytes of each task's work area (TWA); 0 for none.
    pub work_area_bytes: u16,
    /// Which callers may run which programs.
    pub rights: Rights,
    /// The folder of the programs, `NAME.so`.
    pub programs: PathBuf,
    /// The command that starts a worker; [`WorkerOptions`](wire::WorkerOptions) are added to it.
    pub command: Vec<OsString>,
    /// The transactions that programs may start, by their ids.
    pub transactions: BTreeMap<Name<4>, Transaction>,
    /// The users that START may give to tasks, besides the task's own user.
    pub start_users: BTreeSet<Name<8>>,
    /// Limits of the workers.
    pub limits: Limits,
    /// The file of everything that is durable. It is made when something is put there.
    pub store: PathBuf,
    /// Named counters are kept there even if nothing is defined that needs it.
    pub keeps_counters: bool,
    /// The definitions for programs.
    pub definitions: Definitions,
    /// The user that workers run as; none for the region's own user. Only root can choose.
    pub user: Option<WorkerUser>,
    /// Limits of tasks, by the name of the program that a task begins with.
    pub programs_limits: BTreeMap<Name<8>, ProgramLimits>,
    /// The ways to and from other regions.
    pub links: Links,
    /// Dumps of abends.
    pub dumps: DumpSettings,
    /// Names that a CALL may reach besides programs, COBOL's runtime, and the worker's own functions.
    pub callable: Vec<String>,
}

impl Settings {
    /// True if there is a program of that name, here or, as is defined, in another region.
    #[must_use]
    pub fn has_program(&self, program: Name<8>) -> bool {
        let file = format!("{}.so", String::from_utf8_lossy(&program).trim_end());
        self.programs.join(file).exists() || self.definitions.remote_program(program).is_some()
    }

    /// The limits of a task that begins with this program.
    pub(crate) fn task_limits(&self, program: Name<8>) -> TaskLimits {
        let own = self.programs_limits.get(&program);
        TaskLimits {
            cpu_max: own.and_then(|own| own.cpu_max).unwrap_or(self.limits.cpu_max),
            wall_max: own.and_then(|own| own.wall_max).unwrap_or(self.limits.wall_max),
            memory_max_bytes: own
                .and_then(|own| own.memory_max_bytes)
                .unwrap_or(self.limits.memory_max_bytes),
        }
    }

    /// Workers that are kept for single programs, all together.
    pub(crate) fn workers_kept(&self) -> usize {
        self.programs_limits.values().filter_map(|own| own.workers_kept).sum()
    }

    /// How named counters are kept.
    pub(crate) fn counters(&self) -> Keeping {
        let in_store = self.keeps_counters || self.definitions.need_store();
        Keeping { most: self.limits.counters_max, reserve: in_store.then_some(self.limits.counter_reserve) }
    }

    /// The most memory that any task may take, in bytes.
    pub(crate) fn memory_ceiling_bytes(&self) -> u64 {
        let own = self.programs_limits.values().filter_map(|own| own.memory_max_bytes);
        own.fold(self.limits.memory_max_bytes, u64::max)
    }
}

/// The limits of tasks that begin with one program. Missing ones are as for all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramLimits {
    /// The most workers that run such tasks at one time; further tasks wait for them.
    pub workers_max: Option<usize>,
    /// Workers that only such tasks may use, so that other programs never keep them from running.
    pub workers_kept: Option<usize>,
    /// The most memory for programs of such a task, in bytes.
    pub memory_max_bytes: Option<u64>,
    /// The most processor time of such a task.
    pub cpu_max: Option<Duration>,
    /// The most time of such a task, whatever it does.
    pub wall_max: Option<Duration>,
}

/// The limits of one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskLimits {
    pub(crate) cpu_max: Duration,
    pub(crate) wall_max: Duration,
    pub(crate) memory_max_bytes: u64,
}

/// A transaction: how a task that a program starts begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Its first program.
    pub program: Name<8>,
    /// False if no task may be started.
    pub enabled: bool,
    /// The most tasks that START runs at once; none for the region's limit.
    pub tasks_max: Option<usize>,
}

/// The limits of a region's workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Worker processes.
    pub workers: usize,
    /// Tasks that wait for a worker; more are refused.
    pub waiting_max: usize,
    /// Memory that programs of a worker may take, in bytes.
    pub memory_max_bytes: u64,
    /// Processor time of one task.
    pub cpu_max: Duration,
    /// Time of one task, whatever it does.
    pub wall_max: Duration,
    /// Tasks after which a worker is replaced.
    pub tasks_max: u32,
    /// The most tasks of one program that go to a worker together; 1 if each goes alone.
    pub batch_tasks_max: usize,
    /// How long the tasks of a batch may take together, as far as the last ones tell: the thread of the callers waits for them.
    pub batch_time_max: Duration,
    /// A program that takes longer is slow: no thread of callers waits for it, and it goes to a worker alone. A program and the two
    /// switches to it and back take some 4 µs.
    pub quick_max: Duration,
    /// The shared memory of a worker, in bytes: the largest request and answer.
    pub area_bytes: usize,
    /// All temporary storage queues together, in bytes.
    pub queues_max_bytes: usize,
    /// Started tasks that have not begun; more are refused.
    pub starts_max: usize,
    /// The most bytes of their data and channels.
    pub starts_max_bytes: usize,
    /// Started tasks that run at once; the others wait.
    pub starts_running_max: usize,
    /// The most children that a task has not fetched, or whose channels it has not fetched.
    pub children_max: usize,
    /// Named counters; more cannot be defined.
    pub counters_max: usize,
    /// The store is written once for this many GETs of a counter. A crash skips at most that many numbers.
    pub counter_reserve: u64,
    /// Messages to operators that are kept; the oldest go first.
    pub operator_messages_max: usize,
    /// The most bytes of a line that a program displays which the log gets.
    pub display_line_max_bytes: usize,
    /// Lines that all programs together may display in a second; the log gets no more.
    pub display_lines_per_second_max: u32,
    /// Time in which a worker must be ready after its start.
    pub start_max: Duration,
    /// How long a task waits for a record, queue or name that another task has.
    pub lock_wait_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            workers: 4,
            waiting_max: 1_000,
            memory_max_bytes: 256 * 1024 * 1024,
            cpu_max: Duration::from_secs(5),
            wall_max: Duration::from_secs(60),
            tasks_max: 1_000_000,
            batch_tasks_max: 32,
            batch_time_max: Duration::from_micros(400),
            quick_max: Duration::from_micros(50),
            area_bytes: 16 * 1024 * 1024,
            queues_max_bytes: 256 * 1024 * 1024,
            starts_max: 10_000,
            starts_max_bytes: 256 * 1024 * 1024,
            starts_running_max: 2,
            children_max: 32,
            counters_max: 10_000,
            counter_reserve: 100,
            operator_messages_max: 1_000,
            display_line_max_bytes: 1_024,
            display_lines_per_second_max: 1_000,
            start_max: Duration::from_secs(10),
            lock_wait_max: Duration::from_secs(10),
        }
    }
}

impl Limits {
    /// The most bytes of a task's containers, so that they fit into the shared memory.
    pub(crate) fn containers_max_bytes(&self) -> u64 {
        self.area_bytes.min(AREA_MAX_BYTES) as u64
    }
}
