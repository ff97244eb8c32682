//! The workers of a region: a thread starts them, watches how long their tasks take, and replaces those that end.
//!
//! All workers are children of this one thread: the kernel kills them when it ends, whatever it ends of.

use std::collections::HashMap;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use wire::FromWorker;

use crate::running::idle::IdleWorkers;
use crate::running::output::OutputLog;
use crate::running::process::{KilledFor, Line, Mark, Process, Received, Status, start};
use crate::running::ready::Idle;
use crate::settings::{Settings, TaskLimits};
use crate::watching::board::{Board, TaskLabel};

/// How often running tasks are looked at.
const WATCH_EVERY: Duration = Duration::from_millis(20);

/// How often workers without a task are looked at.
const IDLE_LOOK_EVERY: Duration = Duration::from_secs(1);

/// The most processor time that an idle worker may use between two checks; the kernel counts in steps of 10
/// ms.
const IDLE_CPU_MAX_MS: u64 = 50;

/// How many starts in a row may fail before the next one waits.
const FAILED_STARTS_MAX: u32 = 3;

/// How long it waits then.
const PAUSE_AFTER_FAILED_START: Duration = Duration::from_millis(100);

/// An event for the thread.
#[derive(Debug)]
pub(crate) enum Event {
    /// A worker is gone, or about to be: why?
    Gone(Line, oneshot::Sender<Option<ExitStatus>>),
    /// A worker is to be replaced.
    Replace(Line),
    Stop,
}

/// The state that calls share with the thread.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) idle: IdleWorkers<Idle>,
    pub(crate) began: Instant,
    /// Where the output of programs goes.
    pub(crate) output: OutputLog,
    events: Mutex<Sender<Event>>,
}

impl Shared {
    /// Operators, and the thread that watches, see from now on that a worker has this task. False if the worker is killed for the
    /// task before it.
    pub(crate) fn shows(
        &self,
        worker: &Status,
        task: &TaskLabel,
        limits: &TaskLimits,
        began: Instant,
    ) -> bool {
        let begins = worker.begin(self.milliseconds_at(began), limits);
        if begins {
            worker.occupation.begin(task);
        }
        begins
    }

    pub(crate) fn tell(&self, event: Event) {
        // Without the thread the region is at its end, and so are its workers.
        let _ = self.events.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }

    /// A time in milliseconds since the first of the regions that follow each other began.
    pub(crate) fn milliseconds_at(&self, time: Instant) -> u64 {
        time.saturating_duration_since(self.began).as_millis() as u64
    }
}

/// A region's workers.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) shared: Arc<Shared>,
}

impl Pool {
    /// Starts the thread, and the first worker; the others follow.
    ///
    /// # Errors
    /// No worker can run here: the reason for people.
    pub(crate) fn start(settings: Arc<Settings>, board: Arc<Board>) -> Result<(Self, Vec<String>), String> {
        let (events, received) = channel();
        let shared = Arc::new(Shared {
            idle: IdleWorkers::default(),
            began: board.began,
            output: OutputLog::new(&settings),
            events: Mutex::new(events),
        });
        let (first, told) = channel();
        let watcher =
            Watcher { settings, board, shared: shared.clone(), processes: HashMap::new(), missing: 0 };
        std::thread::Builder::new()
            .name("region".to_owned())
            .spawn(move || watcher.run(&received, &first))
            .map_err(|error| format!("a thread for the region: {error}"))?;
        let pool = Self { shared };
        let notes = told.recv().map_err(|_| "the region's thread ended".to_owned())??;
        Ok((pool, notes))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.idle.stop();
        // The thread ends its workers and itself, so that dropping a pool does not wait.
        self.shared.tell(Event::Stop);
    }
}

/// A process with the processor time that it had used when its task was first seen.
#[derive(Debug)]
struct Watched {
    process: Process,
    task: Option<(Mark, u64)>,
    /// If it had no task at the last check: the number of its ended tasks, and its processor time until then.
    idle: Option<(u32, u64)>,
}

#[derive(Debug)]
struct Watcher {
    settings: Arc<Settings>,
    board: Arc<Board>,
    shared: Arc<Shared>,
    processes: HashMap<u32, Watched>,
    /// How many workers there should be and are not.
    missing: usize,
}

impl Watcher {
    fn run(mut self, events: &Receiver<Event>, first: &Sender<Result<Vec<String>, String>>) {
        let started = self.add();
        let failed = started.is_err();
        let _ = first.send(started);
        if failed {
            return;
        }
        self.missing = self.settings.limits.workers.saturating_sub(1);
        let (mut not_before, mut failed_starts) = (Instant::now(), 0);
        let mut idle_look = Instant::now() + IDLE_LOOK_EVERY;
        loop {
            if self.missing > 0 && Instant::now() >= not_before {
                match self.add() {
                    Ok(_) => (self.missing, failed_starts) = (self.missing - 1, 0),
                    // One may have been killed while it started.
                    Err(_) if failed_starts < FAILED_STARTS_MAX => failed_starts += 1,
                    Err(reason) => {
                        tracing::error!("a worker cannot start: {reason}");
                        not_before = Instant::now() + PAUSE_AFTER_FAILED_START;
                    }
                }
            }
            let wait =
                if self.missing > 0 && Instant::now() >= not_before { Duration::ZERO } else { WATCH_EVERY };
            match events.recv_timeout(wait) {
                Ok(Event::Gone(line, answer)) => {
                    let _ = answer.send(self.remove(&line));
                }
                Ok(Event::Replace(line)) => {
                    if let Some(watched) = self.processes.get_mut(&line.pid) {
                        watched.process.kill();
                    }
                    self.remove(&line);
                }
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.watch();
            if Instant::now() >= idle_look {
                self.end_restless();
                idle_look = Instant::now() + IDLE_LOOK_EVERY;
            }
            self.bury();
        }
        for (pid, watched) in &mut self.processes {
            self.board.remove(*pid);
            watched.process.kill();
            watched.process.reap();
        }
    }

    /// Starts a worker and waits until it is ready; gives the worker's notes on the system.
    fn add(&mut self) -> Result<Vec<String>, String> {
        let (process, mut line) = start(&self.settings).map_err(|error| error.to_string())?;
        let mut watched = Watched { process, task: None, idle: None };
        let reason = match line.ready(self.settings.limits.start_max) {
            Received::Message(FromWorker::Ready { notes }) => {
                line.clear();
                if self.settings.programs_limits.values().any(|own| own.memory_max_bytes.is_some())
                    && let Err(error) = line.take_memory_over(&self.settings)
                {
                    watched.process.kill();
                    watched.process.reap();
                    return Err(format!("the memory of a worker cannot be limited: {error}"));
                }
                self.board.add(line.pid, watched.process.status.clone());
                self.processes.insert(line.pid, watched);
                self.shared.idle.put(Idle::Fresh(line));
                return Ok(notes);
            }
            Received::Message(FromWorker::Unfit { reason }) => reason,
            Received::Gone => "it ended at once".to_owned(),
            _ => "it did not become ready in time".to_owned(),
        };
        watched.process.kill();
        watched.process.reap();
        Err(reason)
    }

    fn remove(&mut self, line: &Line) -> Option<ExitStatus> {
        let mut watched = self.processes.remove(&line.pid)?;
        self.board.remove(line.pid);
        self.missing += 1;
        let status = watched.process.reap();
        watched.process.pass_on_output(&self.shared.output);
        status
    }

    /// Replaces workers that died while they had nothing to do.
    fn bury(&mut self) {
        let ended = |(pid, watched): (&u32, &mut Watched)| watched.process.has_ended().then_some(*pid);
        let dead: Vec<u32> = self.processes.iter_mut().filter_map(ended).collect();
        for pid in dead {
            // One that a task has taken already is found to be dead there.
            if let Some(worker) = self.shared.idle.take_out(|worker| worker.pid() == pid) {
                self.remove(&worker.into_line());
            }
        }
    }

    /// Replaces workers that still use processor time after their task has ended.
    fn end_restless(&mut self) {
        let mut restless = Vec::new();
        for (pid, watched) in &mut self.processes {
            let status = &watched.process.status;
            let used = watched.process.used().filter(|_| status.task().is_none());
            let now = used.map(|used| (status.occupation.ended(), used.cpu_milliseconds));
            let works = |(before, now): ((u32, u64), (u32, u64))| {
                before.0 == now.0 && now.1 > before.1 + IDLE_CPU_MAX_MS
            };
            if watched.idle.zip(now).is_some_and(works) || used.is_some_and(|used| used.threads > 1) {
                restless.push(*pid);
            }
            watched.idle = now;
        }
        for pid in restless {
            // One that a task has taken meanwhile is looked at again.
            let Some(worker) = self.shared.idle.take_out(|worker| worker.pid() == pid) else { continue };
            tracing::warn!(worker = pid, "a worker went on after its task had ended; it is replaced");
            if let Some(watched) = self.processes.get_mut(&pid) {
                watched.process.kill();
            }
            self.remove(&worker.into_line());
        }
    }

    /// Passes on the programs' output, notes the resources of tasks, and kills workers whose tasks exceed
    /// their limits.
    fn watch(&mut self) {
        let now = self.shared.milliseconds_at(Instant::now());
        for (pid, watched) in &mut self.processes {
            watched.process.pass_on_output(&self.shared.output);
            let Some(task) = watched.process.status.task() else {
                watched.task = None;
                continue;
            };
            let cpu = watched.cpu_milliseconds_of_task(task);
            let status = &watched.process.status;
            status.occupation.set_cpu_milliseconds(cpu);
            let data_bytes = note_memory(&self.board, *pid, status);
            let reason = match status.exceeded(cpu, now.saturating_sub(task.milliseconds())) {
                KilledFor::Nothing if data_bytes.is_some_and(|bytes| status.is_too_much(bytes)) => {
                    KilledFor::Memory
                }
                reason => reason,
            };
            // The task may have ended during the steps above.
            if reason != KilledFor::Nothing && status.condemn(task, reason) {
                watched.process.kill();
            }
        }
    }
}

impl Watched {
    /// The processor time of the task.
    fn cpu_milliseconds_of_task(&mut self, task: Mark) -> u64 {
        let used = self.process.used().map_or(0, |used| used.cpu_milliseconds);
        match self.task {
            Some((known, before)) if known == task => used.saturating_sub(before),
            _ => {
                self.task = Some((task, used));
                0
            }
        }
    }
}

/// Notes the memory of a worker's program; gives the bytes that count towards its limit.
fn note_memory(board: &Board, pid: u32, status: &Status) -> Option<u64> {
    let memory = crate::running::memory::own_memory(pid)?;
    if let Some(task) = status.occupation.task() {
        board.programs.of(task.program).had_memory(memory.resident_bytes);
    }
    Some(memory.data_bytes)
}
