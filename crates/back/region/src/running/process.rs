//! One worker as its region sees it: the process, the socket to it, and the memory with the bells that both share.

use std::ffi::OsString;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use wire::area::{Area, TooLong};
use wire::batch::{BATCH, NEEDS_ROOM_BYTES, next_said, next_task, put_task};
use wire::bells::{ABOUT_TO_LOOK, AT_THE_BELL, AT_THE_SOCKET, RUNG};
use wire::notes::{Note, last_commands};
use wire::{Answer, BadMessage, FromWorker, Name, State, Task, ToWorker, WorkerOptions, shown};

use crate::quick::pace::AT_THE_BELL_MAX;
use crate::quick::processors::Processors;
use crate::running::copies::{COPIES_MAX, copy};
use crate::running::memory::MemoryLimit;
use crate::running::output::{OutputLog, OutputPipe};
use crate::settings::{Settings, TaskLimits};
use crate::watching::board::Occupation;

/// The most bytes that the tasks of a batch have together.
const BATCH_MAX_BYTES: usize = 48 * 1024;

/// Why a worker is not trusted any more: it did something that no good worker does.
const BAD_BELL: &str = "a bell with a value that means nothing";
const BAD_LENGTH: &str = "a length that does not fit the shared memory";

/// The work of a worker now, for the thread that watches it.
#[derive(Debug)]
pub(crate) struct Status {
    /// The [`Mark`] of the task; 0 if there is none. From [`CONDEMNED`] on: the worker is killed, and why.
    task: AtomicU64,
    /// The limits of that task, in milliseconds.
    cpu_max: AtomicU64,
    wall_max: AtomicU64,
    /// The most memory of the worker, if it must be watched; otherwise the largest number.
    memory_max_bytes: AtomicU64,
    /// Which task it is, for operators.
    pub(crate) occupation: Occupation,
}

/// From here on the number of a worker's task says that it is killed; the rest is the reason.
const CONDEMNED: u64 = u64::MAX - u8::MAX as u64;

/// A worker's task in one number: when it began, in milliseconds since the region began, and which of the tasks of that moment
/// it is. No two tasks of a worker that follow each other have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark(u64);

impl Mark {
    /// The bits of the number of the task.
    const NUMBER: u32 = u16::BITS;

    fn new(milliseconds: u64, number: u32) -> Self {
        let most = (CONDEMNED >> Self::NUMBER) - 1;
        Self((milliseconds.min(most) << Self::NUMBER | u64::from(number as u16)) + 1)
    }

    /// When it began.
    pub(crate) fn milliseconds(self) -> u64 {
        (self.0 - 1) >> Self::NUMBER
    }
}

/// Why a region has killed a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum KilledFor {
    Nothing = 0,
    Cpu = 1,
    Wall = 2,
    Memory = 3,
}

impl Default for Status {
    fn default() -> Self {
        Self {
            task: AtomicU64::new(0),
            cpu_max: AtomicU64::new(0),
            wall_max: AtomicU64::new(0),
            memory_max_bytes: AtomicU64::new(u64::MAX),
            occupation: Occupation::default(),
        }
    }
}

impl Status {
    /// A task begins, unless the worker is condemned: then false, and it is killed at once.
    pub(crate) fn begin(&self, milliseconds: u64, limits: &TaskLimits) -> bool {
        let milliseconds_of = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.cpu_max.store(milliseconds_of(limits.cpu_max), Ordering::Relaxed);
        self.wall_max.store(milliseconds_of(limits.wall_max), Ordering::Relaxed);
        let Mark(mark) = Mark::new(milliseconds, self.occupation.ended());
        self.task.compare_exchange(0, mark, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    /// The limit that a task has exceeded after this processor time and time, in milliseconds.
    pub(crate) fn exceeded(&self, cpu: u64, wall: u64) -> KilledFor {
        if cpu > self.cpu_max.load(Ordering::Relaxed) {
            KilledFor::Cpu
        } else if wall > self.wall_max.load(Ordering::Relaxed) {
            KilledFor::Wall
        } else {
            KilledFor::Nothing
        }
    }

    /// True if the worker may not have so much memory, as far as that must be watched.
    pub(crate) fn is_too_much(&self, bytes: u64) -> bool {
        // Without a limit to be watched it is the largest number.
        bytes > self.memory_max_bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn end(&self) {
        let mark = self.task.load(Ordering::Relaxed);
        if mark < CONDEMNED {
            // If this fails, the worker was condemned just now, and stays so.
            let _ = self.task.compare_exchange(mark, 0, Ordering::Release, Ordering::Relaxed);
        }
    }

    /// The task is at its end, for the thread that watches and for operators.
    pub(crate) fn ends(&self) {
        self.occupation.end();
        self.end();
    }

    /// The task that runs now.
    pub(crate) fn task(&self) -> Option<Mark> {
        let mark = self.task.load(Ordering::Acquire);
        (1..CONDEMNED).contains(&mark).then_some(Mark(mark))
    }

    pub(crate) fn killed_for(&self) -> KilledFor {
        match self.task.load(Ordering::Acquire).checked_sub(CONDEMNED) {
            Some(1) => KilledFor::Cpu,
            Some(2) => KilledFor::Wall,
            Some(3) => KilledFor::Memory,
            _ => KilledFor::Nothing,
        }
    }

    /// Condemns the worker, if this task still runs in it; whoever gets true kills it. From then on it takes no task. False if the
    /// task has ended: another task, which may run by now, has not done it.
    pub(crate) fn condemn(&self, Mark(mark): Mark, reason: KilledFor) -> bool {
        let condemned = CONDEMNED + reason as u64;
        self.task.compare_exchange(mark, condemned, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

/// The process; the thread that watches has it.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    output: OutputPipe,
    pub(crate) status: Arc<Status>,
}

/// The way to a worker. The thread that runs a task in the worker has it.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) pid: u32,
    pub(crate) status: Arc<Status>,
    pub(crate) tasks: u32,
    socket: OwnedFd,
    area: Area,
    buffer: Vec<u8>,
    /// How often the worker's bell was rung.
    rung: u32,
    /// Where the answer to the last message is waited for.
    waits_at: WaitsAt,
    /// Where the next message lies, if it is of a task that went with others.
    batched: Option<Batched>,
    processors: Processors,
    /// None until the worker is ready.
    memory: Option<MemoryLimit>,
    /// How many copies of programs it has.
    copies: u32,
}

/// Where the region waits for a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum WaitsAt {
    /// The thread, for a short time.
    Bell = ABOUT_TO_LOOK,
    /// The runtime.
    Socket = AT_THE_SOCKET,
}

/// The messages of a batch in the shared memory.
#[derive(Clone, Copy, Debug)]
struct Batched {
    /// The length of the tasks in the area; messages about them follow.
    task_bytes: usize,
    /// The number of the task that the next message is about, from 0.
    task: usize,
}

/// How a worker has ended a batch, or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchEnd {
    /// It goes no further.
    Rung,
    /// It is at this task, counted from 0. The message about the task comes to the socket. No task after it
    /// has begun.
    At(usize),
    /// It is no longer trusted.
    Bad(&'static str),
}

/// The outcome of a wait at the bell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    /// There is a message.
    Rung,
    Nothing,
    /// A value that means nothing.
    Bad,
}

/// The outcome of a wait for a worker.
#[derive(Debug)]
pub(crate) enum Received {
    Message(FromWorker),
    /// Nothing yet.
    Nothing,
    /// The worker is gone.
    Gone,
    /// Its bytes are not a message.
    Bad(&'static str),
}

impl Received {
    /// The message of a worker that has said something, or is gone.
    pub(crate) fn message(self) -> Result<FromWorker, &'static str> {
        match self {
            Received::Message(message) => Ok(message),
            Received::Bad(reason) => Err(reason),
            Received::Gone | Received::Nothing => Err("the worker is gone"),
        }
    }
}

/// Starts a worker; it is not ready yet.
pub(crate) fn start(settings: &Settings) -> io::Result<(Process, Line)> {
    let area = Area::create(settings.limits.area_bytes)?;
    // For its first message, that it is ready.
    area.to_region().set(AT_THE_SOCKET);
    let (ours, theirs) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC | SocketFlags::NONBLOCK,
        None,
    )?;
    // The worker waits in its reads; only our end must not.
    rustix::io::ioctl_fionbio(&theirs, false)?;
    let options = WorkerOptions {
        programs: settings.programs.clone(),
        memory_max_bytes: settings.memory_ceiling_bytes(),
        user: settings.user,
        callable: settings.callable.clone(),
    };
    let [program, arguments @ ..] = settings.command.as_slice() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected the command that starts a worker"));
    };
    let mut shown = OsString::from("gantry-worker-");
    shown.push(String::from_utf8_lossy(&settings.applid).trim_end());
    let mut command = Command::new(program);
    command
        .arg0(&shown)
        .args(arguments)
        .args(options.arguments())
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .env("COB_LIBRARY_PATH", ".")
        .current_dir("/")
        .stdin(Stdio::from(theirs));
    // No descriptor of the gateway's own: its log may be a file or a terminal.
    let (output, written) = OutputPipe::new()?;
    command.stdout(Stdio::from(written.try_clone()?)).stderr(Stdio::from(written));
    let child = command.spawn()?;
    send_file(ours.as_fd(), area.file())?;
    let status = Arc::new(Status::default());
    let line = Line {
        pid: child.id(),
        status: status.clone(),
        tasks: 0,
        socket: ours,
        area,
        buffer: Vec::new(),
        rung: 0,
        waits_at: WaitsAt::Socket,
        batched: None,
        processors: Processors::of(child.id()),
        memory: None,
        copies: 0,
    };
    Ok((Process { child, output, status }, line))
}

fn send_file(socket: BorrowedFd<'_>, file: BorrowedFd<'_>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [file];
    control.push(SendAncillaryMessage::ScmRights(&files));
    rustix::net::sendmsg(socket, &[IoSlice::new(&[0])], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

impl Line {
    /// Takes the limit of the worker's memory over; it is ready now.
    ///
    /// # Errors
    /// It is gone, or its limits cannot be set.
    pub(crate) fn take_memory_over(&mut self, settings: &Settings) -> io::Result<()> {
        self.memory = Some(MemoryLimit::of(self.pid, settings.memory_ceiling_bytes())?);
        Ok(())
    }

    /// Sets the most memory for the programs of the next task.
    pub(crate) fn limit_memory(&mut self, bytes: u64) {
        if let Some(memory) = &mut self.memory {
            let watched = memory.set(bytes).unwrap_or(u64::MAX);
            self.status.memory_max_bytes.store(watched, Ordering::Relaxed);
        }
    }

    /// Writes the first tasks that fit into a batch, without waking the worker; gives their number. It is 0
    /// if the first task is too long for a batch.
    pub(crate) fn write_batch<'t>(&mut self, tasks: impl Iterator<Item = &'t Task>) -> usize {
        let most = self.area.message_max_bytes().saturating_sub(NEEDS_ROOM_BYTES).min(BATCH_MAX_BYTES);
        self.buffer.clear();
        self.buffer.push(BATCH);
        let mut count: u16 = 0;
        for task in tasks {
            let before = self.buffer.len();
            put_task(&mut self.buffer, task);
            if self.buffer.len() > most {
                self.buffer.truncate(before);
                break;
            }
            count += 1;
        }
        if count == 0 || self.area.write(&self.buffer).is_err() {
            return 0;
        }
        self.area.turns().begin(count);
        self.batched = Some(Batched { task_bytes: self.buffer.len(), task: 0 });
        count.into()
    }

    /// Waits at the bell for a short time for the worker's messages about a batch of this many tasks. Takes
    /// at most one message more than there are tasks, and ignores the rest.
    pub(crate) fn receive_batch(&mut self, tasks: usize, said: &mut Vec<(u64, FromWorker)>) -> BatchEnd {
        let mut end = match self.hear() {
            Heard::Rung => BatchEnd::Rung,
            Heard::Bad => BatchEnd::Bad(BAD_BELL),
            Heard::Nothing => BatchEnd::At(self.area.turns().withdraw().saturating_sub(1)),
        };
        let Some(batched) = &mut self.batched else { return BatchEnd::Bad("no batch") };
        if self.area.read_after(batched.task_bytes, &mut self.buffer).is_none() {
            return BatchEnd::Bad(BAD_LENGTH);
        }
        let mut left = self.buffer.as_slice();
        while said.len() <= tasks {
            match next_said(&mut left) {
                Ok(Some(next)) => said.push(next),
                Ok(None) => break,
                Err(bad) => {
                    end = BatchEnd::Bad(bad.0);
                    break;
                }
            }
        }
        match end {
            BatchEnd::At(task) => batched.task = task,
            _ => self.batched = None,
        }
        end
    }

    /// Writes a task, without waking the worker.
    pub(crate) fn write_task(&mut self, task: &Task) -> Result<(), TooLong> {
        self.write(|to| task.encode(to))
    }

    /// Writes an answer, without waking the worker.
    pub(crate) fn write_answer(&mut self, answer: &Answer) -> Result<(), TooLong> {
        self.write(|to| answer.encode(to))
    }

    fn write(&mut self, encode: impl FnOnce(&mut Vec<u8>)) -> Result<(), TooLong> {
        self.batched = None;
        self.buffer.clear();
        encode(&mut self.buffer);
        let written = self.area.write(&self.buffer);
        if written.is_err() {
            // It is larger than any that will go.
            self.buffer = Vec::new();
        }
        written
    }

    /// Tells the worker that there is a message for it. False if it is gone.
    pub(crate) fn ring(&mut self, waits_at: WaitsAt) -> bool {
        match waits_at {
            WaitsAt::Bell => self.processors.that_of_this_thread(),
            WaitsAt::Socket => self.processors.all(),
        }
        self.waits_at = waits_at;
        self.area.to_region().set(waits_at as u32);
        self.rung = self.rung.wrapping_add(1);
        let bell = self.area.to_worker();
        bell.set(self.rung);
        // A worker that nobody had to wake is on its way to the bell, or gone.
        bell.wake() || !self.is_gone()
    }

    fn is_gone(&self) -> bool {
        let mut byte = [0; 1];
        match rustix::net::recv(&self.socket, &mut byte, RecvFlags::PEEK) {
            Ok((_, bytes)) => bytes == 0,
            Err(error) => !matches!(error, rustix::io::Errno::AGAIN | rustix::io::Errno::INTR),
        }
    }

    pub(crate) fn waits_at(&self) -> WaitsAt {
        self.waits_at
    }

    /// Waits at the bell for a short time. If nothing comes by then, the message comes to the socket.
    pub(crate) fn receive_at_bell(&mut self) -> Received {
        match self.hear() {
            Heard::Rung => self.take(),
            Heard::Bad => Received::Bad(BAD_BELL),
            Heard::Nothing => Received::Nothing,
        }
    }

    /// Waits at the bell until it is rung, for a short time; after that the worker is waited for at the socket.
    fn hear(&mut self) -> Heard {
        let bell = self.area.to_region();
        if bell.exchange(ABOUT_TO_LOOK, AT_THE_BELL).is_ok() {
            bell.wait(AT_THE_BELL, Some(AT_THE_BELL_MAX));
        }
        match bell.exchange(AT_THE_BELL, AT_THE_SOCKET) {
            Err(RUNG) => Heard::Rung,
            Err(_) => Heard::Bad,
            Ok(()) => {
                self.waits_at = WaitsAt::Socket;
                self.processors.all();
                Heard::Nothing
            }
        }
    }

    /// Takes a message that a byte on the socket has announced, if there is one.
    pub(crate) fn receive(&mut self) -> Received {
        let mut byte = [0; 1];
        match rustix::net::recv(&self.socket, &mut byte, RecvFlags::empty()) {
            Ok((_, 1)) => self.take(),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Received::Nothing,
            _ => Received::Gone,
        }
    }

    /// Sends the worker a copy of a program from this folder; gives whether it gets one.
    pub(crate) fn send_copy(&mut self, folder: &Path, program: &Name<8>) -> bool {
        if self.copies == COPIES_MAX {
            return false;
        }
        self.copies += 1;
        let sent = copy(folder, program).and_then(|file| send_file(self.socket.as_fd(), file.as_fd()));
        sent.inspect_err(|error| tracing::warn!("a copy of {}: {error}", shown(program))).is_ok()
    }

    /// The last commands of the task, as far as its worker noted them.
    pub(crate) fn last_commands(&self) -> Vec<Note> {
        last_commands(&self.area)
    }

    /// The task's data at its begin, at most this many bytes. None if a message has overwritten them.
    pub(crate) fn task_begun(&mut self, most: usize) -> Option<State> {
        self.area.read(&mut self.buffer)?;
        let task = match self.batched {
            None => match ToWorker::decode(&self.buffer).ok()? {
                ToWorker::Task(task) => task,
                ToWorker::Answer(_) => return None,
            },
            Some(Batched { task_bytes, task }) => {
                let mut left = self.buffer.get(1..task_bytes)?;
                std::iter::from_fn(|| next_task(&mut left).ok()?).nth(task)?
            }
        };
        Some(State::of(&task.interface, most))
    }

    /// The processor time of the task, in nanoseconds, as its worker says; 0 if it was not measured.
    pub(crate) fn cpu_nanoseconds(&self) -> u64 {
        self.area.cpu_nanoseconds()
    }

    fn take(&mut self) -> Received {
        let batched = self.batched.take();
        let from = batched.map_or(0, |batched| batched.task_bytes);
        if self.area.read_after(from, &mut self.buffer).is_none() {
            return Received::Bad(BAD_LENGTH);
        }
        let message = match batched {
            None => FromWorker::decode(&self.buffer),
            Some(Batched { task, .. }) => {
                let mut left = self.buffer.as_slice();
                let mut said = std::iter::from_fn(|| next_said(&mut left).transpose());
                let of_task = said.nth(task).unwrap_or(Err(BadMessage("expected the result of the task")));
                of_task.map(|(cpu_nanoseconds, message)| {
                    self.area.set_cpu_nanoseconds(cpu_nanoseconds);
                    message
                })
            }
        };
        match message {
            Ok(message) => Received::Message(message),
            Err(bad) => Received::Bad(bad.0),
        }
    }

    /// Leaves nothing of the last task in the shared memory.
    pub(crate) fn clear(&mut self) {
        if self.area.clear() {
            self.buffer = Vec::new();
        }
    }

    /// Waits for the first message of a worker.
    pub(crate) fn ready(&mut self, most: Duration) -> Received {
        let end = Instant::now() + most;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(time) = left.try_into() else { return Received::Nothing };
            let mut polled = [PollFd::new(&self.socket, PollFlags::IN)];
            if left.is_zero() || rustix::event::poll(&mut polled, Some(&time)) == Ok(0) {
                return Received::Nothing;
            }
            match self.receive() {
                Received::Nothing => {}
                received => return received,
            }
        }
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl std::os::fd::AsRawFd for Line {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        std::os::fd::AsRawFd::as_raw_fd(&self.socket)
    }
}

impl Process {
    /// Hands the worker's output to the log.
    pub(crate) fn pass_on_output(&self, log: &OutputLog) {
        self.output.pass_on(self.child.id(), log);
    }

    /// Ends the worker at once. Of one that is gone nothing is killed: its number may be another process's by now.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Waits for the end of a worker that is about to end, and kills it if it does not.
    pub(crate) fn reap(&mut self) -> Option<ExitStatus> {
        for _ in 0..REAP_POLLS {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(REAP_POLL);
        }
        self.kill();
        self.child.wait().ok()
    }

    /// The resources that the worker has used; none if it is gone.
    pub(crate) fn used(&self) -> Option<Used> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name in brackets may have blanks. User and system time are the 14th and 15th fields, the number
        // of threads the 20th.
        let mut after = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
        let user: u64 = after.next()?.parse().ok()?;
        let system: u64 = after.next()?.parse().ok()?;
        let threads = after.nth(4)?.parse().ok()?;
        Some(Used {
            cpu_milliseconds: (user + system) * 1_000 / rustix::param::clock_ticks_per_second(),
            threads,
        })
    }
}

/// The resources of a worker since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Used {
    /// Processor time.
    pub(crate) cpu_milliseconds: u64,
    /// Its threads now; one, unless the kernel has no seccomp.
    pub(crate) threads: u32,
}

/// How long and how often the end of a worker is waited for before it is killed.
const REAP_POLL: Duration = Duration::from_micros(500);
const REAP_POLLS: u32 = 100;

/// The abend code of a worker that ended by itself, and a description for operators.
pub(crate) fn explain(status: Option<ExitStatus>) -> ([u8; 4], String) {
    match status {
        Some(status) => match (status.signal(), status.code()) {
            (Some(signal), _) => (*b"ASRA", format!("the worker died of signal {signal}{}", meaning(signal))),
            (None, Some(1)) => (*b"4038", "a run-time error of GnuCOBOL ended the worker".to_owned()),
            (None, code) => (*b"ASRA", format!("the worker ended with status {}", code.unwrap_or(-1))),
        },
        None => (*b"ASRA", "the worker is gone".to_owned()),
    }
}

/// The numbers of signals of Linux.
const SIGABRT: i32 = 6;
const SIGBUS: i32 = 7;
const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;

/// The usual cause of a signal in a COBOL program.
fn meaning(signal: i32) -> &'static str {
    match signal {
        SIGSEGV | SIGBUS => {
            ": the program used storage that it does not have, such as a commarea when EIBCALEN is 0, or a row behind a table"
        }
        SIGABRT => ": the program overwrote storage that is not its own, such as a row behind a table",
        SIGFPE => ": the program divided by zero",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_not_killed_for_the_one_before_it() {
        let (status, second) = (Status::default(), Duration::from_secs(1));
        let limits = TaskLimits { cpu_max: second, wall_max: second, memory_max_bytes: u64::MAX };
        assert!(status.begin(5, &limits));
        let (first, reason) = (status.task().expect("a task"), status.exceeded(0, 2_000));
        assert_eq!((first.milliseconds(), reason), (5, KilledFor::Wall));
        // It has ended meanwhile, and so has the look at it.
        status.ends();
        assert!(!status.condemn(first, reason));
        // The next one begins in the same millisecond.
        assert!(status.begin(5, &limits));
        assert!(!status.condemn(first, reason));
        assert_eq!(status.killed_for(), KilledFor::Nothing);
        assert!(status.condemn(status.task().expect("a task"), reason));
        assert_eq!(status.killed_for(), KilledFor::Wall);
    }

    #[test]
    fn a_worker_that_is_about_to_be_killed_takes_no_task() {
        let (status, second) = (Status::default(), Duration::from_secs(1));
        let limits = TaskLimits { cpu_max: second, wall_max: second, memory_max_bytes: u64::MAX };
        assert!(status.begin(0, &limits));
        assert!(status.condemn(status.task().expect("a task"), KilledFor::Memory));
        // Its task ends between that and the kill.
        status.ends();
        assert!(!status.begin(1, &limits));
        assert_eq!((status.task(), status.killed_for()), (None, KilledFor::Memory));
    }

    #[test]
    fn marks_have_the_time_of_the_task() {
        for milliseconds in [0, 1, 1 << 40] {
            for number in [0, 1, u32::from(u16::MAX), u32::MAX] {
                let mark = Mark::new(milliseconds, number);
                assert!((1..CONDEMNED).contains(&mark.0));
                assert_eq!(mark.milliseconds(), milliseconds, "{number}");
            }
        }
        assert!((1..CONDEMNED).contains(&Mark::new(u64::MAX, u32::MAX).0));
    }

    #[test]
    fn the_way_a_worker_ended_gives_the_code() {
        let signal = explain(Some(ExitStatus::from_raw(11)));
        assert!(signal.0 == *b"ASRA" && signal.1.starts_with("the worker died of signal 11: "), "{signal:?}");
        assert_eq!(explain(Some(ExitStatus::from_raw(9))).1, "the worker died of signal 9");
        assert_eq!(explain(Some(ExitStatus::from_raw(1 << 8))).0, *b"4038");
        assert_eq!(explain(Some(ExitStatus::from_raw(0))).1, "the worker ended with status 0");
        assert_eq!(explain(None).0, *b"ASRA");
    }
}
