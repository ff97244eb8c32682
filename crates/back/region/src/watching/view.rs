//! A region as operators see it: programs, tasks, workers and temporary storage queues as they are now; and
//! the way to end a task.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use store::{Extent, Logs, Unit};
use wire::Name;

use crate::region::Region;
use crate::resources::durable::Opened;
use crate::resources::temporary::main::QUEUE_NAME_MAX_BYTES;
use crate::resources::trouble::Trouble;
use crate::resources::unit::opened;
use crate::running::process::Mark;
use crate::watching::board::LastAbend;
use crate::watching::waits::WaitsFor;

/// The most queues of one place that are listed.
pub const QUEUES_SHOWN_MAX: usize = 10_000;

/// A region as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Tasks that wait for a worker.
    pub waiting: usize,
    /// The existing programs, and programs that tasks have begun with, by their names.
    pub programs: Vec<ProgramView>,
    /// The tasks that run, by their numbers.
    pub tasks: Vec<TaskView>,
    /// The workers, by their process ids. While a changed configuration takes over, older workers are among
    /// them.
    pub workers: Vec<WorkerView>,
}

/// A program that there is, or that tasks have begun with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramView {
    /// Its name; none for the programs beyond the first 1,024, which are counted together.
    pub name: Option<Name<8>>,
    /// Whether it can be run.
    pub state: ProgramState,
    /// Tasks that have begun with it.
    pub tasks: u64,
    /// Those of them that went to a worker together with others, and returned there.
    pub batched: u64,
    /// Tasks of it that ended with an abend, or took too long.
    pub abends: u64,
    /// The last of these abends.
    pub last_abend: Option<LastAbend>,
    /// The mean processor time of a task in its worker, in nanoseconds. The first tasks and samples of the
    /// later ones are measured. None if no task was measured.
    pub cpu_nanoseconds_mean: Option<u64>,
    /// The processor time of all its tasks in their workers, in nanoseconds, from the measured ones. It never falls.
    pub cpu_nanoseconds: u64,
    /// The most memory that a worker was seen with while it had a task of it, or at its end, in bytes.
    pub memory_max_bytes: Option<u64>,
}

/// Whether a program can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramState {
    /// It is here.
    Enabled,
    /// It is a program of the region that this SYSID names.
    Remote(Name<4>),
    /// No program of this name exists, or it no longer exists.
    Missing,
}

/// A task that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskView {
    /// EIBTASKN.
    pub number: u32,
    /// The transaction.
    pub transaction: Name<4>,
    /// The program that it has begun with.
    pub program: Name<8>,
    /// The user that it runs under.
    pub user: Name<8>,
    /// When it got its worker.
    pub since: SystemTime,
    /// Processor time that it has used, in milliseconds, to the last look at it: every 20 ms.
    pub cpu_milliseconds: u64,
    /// The process that runs it.
    pub worker: u32,
    /// The reason why it waits; none if its program runs.
    pub waits: Option<WaitsFor>,
}

/// A worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerView {
    /// Its process id.
    pub pid: u32,
    /// Tasks that have ended in it.
    pub tasks_ended: u32,
    /// The task that it has.
    pub task: Option<u32>,
    /// Its own memory, in bytes; none if the worker has gone meanwhile.
    pub memory_bytes: Option<u64>,
}

/// Where a queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueuePlace {
    /// In memory.
    Main,
    /// In the store.
    Auxiliary,
    /// In the store, and as it was if a task fails.
    Recoverable,
}

/// A temporary storage queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// Its name, as the program gave it.
    pub name: Vec<u8>,
    /// Where it is.
    pub place: QueuePlace,
    /// How many items it has.
    pub items: u64,
    /// The bytes of its items with their cost; only for queues in memory.
    pub bytes: Option<u64>,
}

/// Queues by their names; queues in memory come first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueuesView {
    /// At most [`QUEUES_SHOWN_MAX`] of each place.
    pub queues: Vec<QueueView>,
    /// True if there are more.
    pub is_cut: bool,
}

/// An item of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemView {
    /// The queue.
    pub queue: QueueView,
    /// The item; none if the queue does not have it.
    pub data: Option<Vec<u8>>,
}

impl Region {
    /// The region as it is now. Nothing waits for this.
    pub fn view(&self) -> View {
        let board = &self.resources().board;
        let (now, elapsed) = (SystemTime::now(), board.began.elapsed().as_millis() as u64);
        let (mut tasks, mut workers) = (Vec::new(), Vec::new());
        for (pid, status) in board.workers() {
            let task = status.occupation.task();
            workers.push(WorkerView {
                pid,
                tasks_ended: status.occupation.ended(),
                task: task.map(|task| task.number),
                memory_bytes: crate::running::memory::own_memory(pid).map(|memory| memory.resident_bytes),
            });
            let Some(task) = task else { continue };
            let age = elapsed.saturating_sub(status.task().map_or(elapsed, Mark::milliseconds));
            tasks.push(TaskView {
                number: task.number,
                transaction: task.transaction,
                program: task.program,
                user: task.user,
                since: now - std::time::Duration::from_millis(age),
                cpu_milliseconds: status.occupation.cpu_milliseconds(),
                worker: pid,
                waits: status.occupation.waits(),
            });
        }
        tasks.sort_by_key(|task| task.number);
        View { waiting: self.waiting(), programs: self.programs(), tasks, workers }
    }

    /// The number of tasks that wait for a worker, and of workers that have a task.
    pub fn load(&self) -> (usize, usize) {
        let workers = self.resources().board.workers();
        (self.waiting(), workers.into_iter().filter(|(_, status)| status.occupation.task().is_some()).count())
    }

    /// The programs, by their names.
    #[must_use]
    pub fn programs(&self) -> Vec<ProgramView> {
        let used = self.resources().board.programs.all().map(|(name, figures)| ProgramView {
            name,
            state: self.state_of(name),
            tasks: figures.tasks.load(Ordering::Relaxed),
            batched: figures.batched.load(Ordering::Relaxed),
            abends: figures.abends.load(Ordering::Relaxed),
            last_abend: figures.last_abend(),
            cpu_nanoseconds_mean: figures.cpu_nanoseconds_mean(),
            cpu_nanoseconds: figures.cpu_nanoseconds(),
            memory_max_bytes: figures.memory_max_bytes(),
        });
        let mut programs: Vec<ProgramView> = used.collect();
        let remote = self.settings().definitions.remote_programs.iter().map(|program| program.name);
        for name in self.catalogue().here().chain(remote) {
            if !programs.iter().any(|known| known.name == Some(name)) {
                programs.push(ProgramView {
                    name: Some(name),
                    state: self.state_of(Some(name)),
                    tasks: 0,
                    batched: 0,
                    abends: 0,
                    last_abend: None,
                    cpu_nanoseconds_mean: None,
                    cpu_nanoseconds: 0,
                    memory_max_bytes: None,
                });
            }
        }
        programs.sort_by_key(|program| (program.name.is_none(), program.name));
        programs
    }

    /// Programs that share a place are not all known.
    fn state_of(&self, name: Option<Name<8>>) -> ProgramState {
        let remote =
            |name| self.settings().definitions.remote_programs.iter().find(|known| known.name == name);
        match name {
            Some(name) if self.catalogue().is_here(name) => ProgramState::Enabled,
            Some(name) => {
                remote(name).map_or(ProgramState::Missing, |known| ProgramState::Remote(known.sysid))
            }
            None => ProgramState::Enabled,
        }
    }

    /// Ends a task with abend AKC3, like a purge in CICS: its unit of work is backed out, and its worker
    /// replaced. A syncpoint that has begun is finished first. False if the task does not run.
    pub fn purge(&self, task: u32) -> bool {
        task != 0 && self.resources().board.workers().iter().any(|(_, status)| status.occupation.purge(task))
    }

    /// The temporary storage queues, but those in shared pools. Reads the store, so that the calling thread
    /// must be one that may wait.
    ///
    /// # Errors
    /// The store cannot be read: the reason.
    pub async fn queues(&self) -> Result<QueuesView, String> {
        let resources = self.resources();
        let mut view = QueuesView::default();
        let main =
            resources.queues.lock().unwrap_or_else(PoisonError::into_inner).sizes(QUEUES_SHOWN_MAX + 1);
        let main = main.into_iter().map(|(name, (items, bytes))| main_queue(name, items, bytes));
        view.add(main.collect());
        if !resources.durable.exists() {
            return Ok(view);
        }
        let opened = opened(resources).await.map_err(|trouble| trouble.message)?;
        let listed = tokio::task::spawn_blocking(move || {
            let auxiliary = listed(&opened, QueuePlace::Auxiliary)?;
            Ok::<_, Trouble>((auxiliary, listed(&opened, QueuePlace::Recoverable)?))
        });
        let (auxiliary, recoverable) =
            listed.await.map_err(|error| error.to_string())?.map_err(|trouble| trouble.message)?;
        view.add(auxiliary);
        view.add(recoverable);
        Ok(view)
    }

    /// One item of a queue by its number, from 1. The queue stays as it is: NEXT does not move, and its time
    /// to expire runs on. None if the queue does not exist.
    ///
    /// # Errors
    /// The store cannot be read: the reason.
    pub async fn queue_item(&self, name: &[u8], item: u64) -> Result<Option<ItemView>, String> {
        let resources = self.resources();
        let place = item.checked_sub(1).and_then(|place| usize::try_from(place).ok());
        let main = {
            let queues = resources.queues.lock().unwrap_or_else(PoisonError::into_inner);
            queues.size(name).map(|size| (size, place.and_then(|place| queues.peek(name, place))))
        };
        if let Some(((items, bytes), data)) = main {
            return Ok(Some(ItemView { queue: main_queue(name.to_vec(), items, bytes), data }));
        }
        // The store refuses names that no program can give.
        if name.is_empty() || name.len() > QUEUE_NAME_MAX_BYTES || !resources.durable.exists() {
            return Ok(None);
        }
        let opened = opened(resources).await.map_err(|trouble| trouble.message)?;
        let name = name.to_vec();
        let reading = tokio::task::spawn_blocking(move || {
            for place in [QueuePlace::Auxiliary, QueuePlace::Recoverable] {
                if let Some(found) = item_in(&opened, place, &name, item)? {
                    return Ok(Some(found));
                }
            }
            Ok::<_, Trouble>(None)
        });
        reading.await.map_err(|error| error.to_string())?.map_err(|trouble| trouble.message)
    }
}

impl QueuesView {
    fn add(&mut self, mut queues: Vec<QueueView>) {
        self.is_cut |= queues.len() > QUEUES_SHOWN_MAX;
        queues.truncate(QUEUES_SHOWN_MAX);
        self.queues.append(&mut queues);
    }
}

fn main_queue(name: Vec<u8>, items: usize, bytes: usize) -> QueueView {
    QueueView { name, place: QueuePlace::Main, items: items as u64, bytes: Some(bytes as u64) }
}

fn logs(opened: &Opened, place: QueuePlace) -> &Logs {
    match place {
        QueuePlace::Recoverable => &opened.recoverable_queues,
        QueuePlace::Main | QueuePlace::Auxiliary => &opened.auxiliary_queues,
    }
}

fn listed(opened: &Opened, place: QueuePlace) -> Result<Vec<QueueView>, Trouble> {
    let (unit, logs): (Unit, _) = (opened.store.unit()?, logs(opened, place));
    let mut queues: Vec<QueueView> = Vec::new();
    while queues.len() <= QUEUES_SHOWN_MAX
        && let Some(name) = unit.next_log(logs, queues.last().map(|last| &*last.name))?
    {
        let Extent { count, .. } = unit.extent(logs, &name)?;
        queues.push(QueueView { name, place, items: count, bytes: None });
    }
    Ok(queues)
}

fn item_in(opened: &Opened, place: QueuePlace, name: &[u8], item: u64) -> Result<Option<ItemView>, Trouble> {
    let (unit, logs) = (opened.store.unit()?, logs(opened, place));
    let Extent { count, .. } = unit.extent(logs, name)?;
    if count == 0 {
        return Ok(None);
    }
    let data = if item == 0 { None } else { unit.item(logs, name, item)? };
    let queue = QueueView { name: name.to_vec(), place, items: count, bytes: None };
    Ok(Some(ItemView { queue, data }))
}
