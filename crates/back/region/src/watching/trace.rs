//! The trace: tasks that operators follow command by command, and the recorded commands.
//!
//! While nothing is traced, a task that begins loads one atomic and nothing else. A trace ends by itself, and keeps no more than
//! its limits allow: the oldest records go first.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use program::commands::{self, names};
use program::conditions;
use wire::{Name, TOLD_OPTIONS_MAX, Traced, TracedValue, Tracing};

use crate::region::Region;
use crate::watching::board::TaskLabel;

/// The longest time of a trace, in seconds.
pub const TRACE_SECONDS_MAX: u64 = 3_600;

/// The most records that a trace may keep.
pub const TRACE_RECORDS_MAX: usize = 10_000;

/// About the most bytes of all records of a trace together.
const TRACE_MAX_BYTES: usize = 16 * 1024 * 1024;

/// The cost of a record besides the bytes of its options.
const RECORD_BYTES: usize = 256;

/// The subject of a trace, and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRequest {
    /// The tasks that are traced.
    pub subject: TraceSubject,
    /// With the first 64 bytes of data areas, not only their lengths.
    pub with_data: bool,
    /// For how long; at most [`TRACE_SECONDS_MAX`] seconds.
    pub time: Duration,
    /// How many records are kept; at most [`TRACE_RECORDS_MAX`].
    pub records_max: usize,
}

impl TraceRequest {
    fn is_meant(&self, task: &TaskLabel) -> bool {
        match self.subject {
            TraceSubject::Program(program) => program == task.program,
            TraceSubject::User(user) => user == task.user,
        }
    }
}

/// Whose tasks are traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceSubject {
    /// Tasks that begin with this program.
    Program(Name<8>),
    /// Tasks of this user.
    User(Name<8>),
}

/// A trace as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceView {
    /// The present or last trace; none if there was none yet.
    pub request: Option<TraceRequest>,
    /// The time that it still runs; none if it is off.
    pub time_left: Option<Duration>,
    /// Tasks that were traced.
    pub tasks: u64,
    /// Records that had to go for later ones.
    pub dropped: u64,
    /// The records, by task and in the order in which commands began.
    pub records: Vec<TraceRecord>,
}

/// A command of a traced task, or a call that it made with CALL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// When it ended.
    pub time: SystemTime,
    /// EIBTASKN.
    pub task: u32,
    /// The transaction.
    pub transaction: Name<4>,
    /// The user.
    pub user: Name<8>,
    /// The worker's report of the command.
    pub told: Traced,
}

impl TraceRecord {
    /// The command's words, or the function that was CALLed.
    #[must_use]
    pub fn command(&self) -> String {
        match self.told.function {
            0 => wire::shown(&self.told.call),
            function => command_name(function),
        }
    }

    /// The names of the options with their values.
    pub fn options(&self) -> impl Iterator<Item = (&'static str, &TracedValue)> {
        self.told.options.iter().map(|option| (option_name(option.number), &option.value))
    }
}

/// The words of a command of a function code.
pub(crate) fn command_name(function: u16) -> String {
    match commands::by_function(function) {
        Some(command) => command.name(),
        None if function == 0 => "CALL".to_owned(),
        None => format!("unknown ({function:04X})"),
    }
}

/// The name of a condition by its RESP.
#[must_use]
pub fn condition_name(resp: u16) -> &'static str {
    conditions::by_number(resp).map_or("unknown", |condition| condition.name)
}

fn option_name(number: u16) -> &'static str {
    match number.checked_sub(names::CONDITION) {
        Some(condition) => condition_name(condition),
        None => names::ALL.iter().find(|name| name.number == number).map_or("unknown", |name| name.text),
    }
}

/// The trace of a region.
#[derive(Debug, Default)]
pub(crate) struct Tracer {
    is_on: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    request: Option<TraceRequest>,
    until: Option<Instant>,
    tasks: u64,
    dropped: u64,
    bytes: usize,
    records: VecDeque<TraceRecord>,
}

impl State {
    /// The time that it still runs; none if it is off.
    fn time_left(&self) -> Option<Duration> {
        self.until?.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }
}

impl Tracer {
    /// Which commands of a task, which begins now, its worker reports.
    pub(crate) fn of(&self, task: &TaskLabel) -> Tracing {
        if !self.is_on.load(Ordering::Relaxed) {
            return Tracing::No;
        }
        let mut state = self.state();
        if state.time_left().is_none() {
            self.is_on.store(false, Ordering::Relaxed);
            return Tracing::No;
        }
        let Some(request) = &state.request else { return Tracing::No };
        if !request.is_meant(task) {
            return Tracing::No;
        }
        let with_data = request.with_data;
        state.tasks += 1;
        if with_data { Tracing::Data } else { Tracing::Names }
    }

    /// Keeps a worker's report. False if no more reports of the task are wanted.
    pub(crate) fn keep(&self, task: &TaskLabel, mut told: Traced) -> bool {
        let mut state = self.state();
        // Tasks of the trace before this one may still run.
        let is_wanted = |request: &TraceRequest| request.is_meant(task) && state.time_left().is_some();
        let Some(request) = state.request.clone().filter(is_wanted) else { return false };
        if !request.with_data || told.is_of_headers() {
            told.leave_out_data();
        }
        let TaskLabel { number, transaction, user, .. } = *task;
        let record = TraceRecord { time: SystemTime::now(), task: number, transaction, user, told };
        state.bytes += cost(&record);
        state.records.push_back(record);
        while state.records.len() > request.records_max || state.bytes > TRACE_MAX_BYTES {
            let Some(oldest) = state.records.pop_front() else { break };
            state.bytes -= cost(&oldest);
            state.dropped += 1;
        }
        true
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cost(record: &TraceRecord) -> usize {
    let of_option = |value: &TracedValue| match value {
        TracedValue::Name(bytes) | TracedValue::Data { first: bytes, .. } => bytes.len(),
        _ => 0,
    };
    let options = record.told.options.iter().take(TOLD_OPTIONS_MAX);
    RECORD_BYTES + options.map(|option| size_of_val(option) + of_option(&option.value)).sum::<usize>()
}

impl Region {
    /// Traces tasks from now on, in place of the last trace, whose records are deleted. Tasks that run
    /// already are not traced.
    pub fn trace(&self, request: TraceRequest) {
        let tracer = &self.resources().tracer;
        let limited = TraceRequest {
            time: request.time.min(Duration::from_secs(TRACE_SECONDS_MAX)),
            records_max: request.records_max.min(TRACE_RECORDS_MAX),
            ..request
        };
        let until = Some(Instant::now() + limited.time);
        *tracer.state() = State { request: Some(limited), until, ..State::default() };
        tracer.is_on.store(true, Ordering::Relaxed);
    }

    /// Ends the trace and keeps its records. False if there was no trace.
    pub fn trace_nothing(&self) -> bool {
        let tracer = &self.resources().tracer;
        tracer.is_on.store(false, Ordering::Relaxed);
        let mut state = tracer.state();
        let was_on = state.time_left().is_some();
        state.until = None;
        was_on
    }

    /// The trace as it is now.
    pub fn traced(&self) -> TraceView {
        let state = self.resources().tracer.state();
        let mut records: Vec<TraceRecord> = state.records.iter().cloned().collect();
        let (request, time_left) = (state.request.clone(), state.time_left());
        let (tasks, dropped) = (state.tasks, state.dropped);
        drop(state);
        // A command whose program ran further commands is reported after them. Numbers of tasks begin anew
        // only after ten million.
        records.sort_by_key(|record| (record.task, record.told.number));
        TraceView { request, time_left, tasks, dropped, records }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::notes::CommandEnd;
    use wire::{TracedOption, name};

    fn task(program: &str, user: &str) -> TaskLabel {
        TaskLabel {
            number: 7,
            transaction: name("T"),
            program: name(program),
            user: name(user),
            startcode: *b"D ",
        }
    }

    fn told(number: u32, data: usize) -> Traced {
        Traced {
            number,
            level: 1,
            program: name("P"),
            call: name(""),
            function: 0x0A02,
            line: 3,
            began_us: 1,
            took_us: 2,
            end: CommandEnd::Condition { resp: 44, resp2: 0 },
            options: vec![TracedOption {
                number: names::QUEUE.number,
                value: TracedValue::Name(vec![b'Q'; data]),
            }],
        }
    }

    fn on(tracer: &Tracer, subject: TraceSubject, time: Duration, records_max: usize) {
        let request = TraceRequest { subject, with_data: false, time, records_max };
        *tracer.state() =
            State { request: Some(request), until: Some(Instant::now() + time), ..State::default() };
        tracer.is_on.store(true, Ordering::Relaxed);
    }

    #[test]
    fn only_what_is_meant_is_traced_and_only_for_its_time() {
        let tracer = Tracer::default();
        assert_eq!(tracer.of(&task("P", "U")), Tracing::No);
        let long = Duration::from_secs(1_000);
        on(&tracer, TraceSubject::Program(name("P")), long, 10);
        assert_eq!((tracer.of(&task("P", "U")), tracer.of(&task("Q", "U"))), (Tracing::Names, Tracing::No));
        on(&tracer, TraceSubject::User(name("U")), long, 10);
        assert_eq!((tracer.of(&task("Q", "U")), tracer.of(&task("Q", "V"))), (Tracing::Names, Tracing::No));
        assert!(tracer.keep(&task("Q", "U"), told(1, 1)));
        on(&tracer, TraceSubject::User(name("U")), Duration::ZERO, 10);
        assert_eq!(tracer.of(&task("Q", "U")), Tracing::No);
        assert!(!tracer.is_on.load(Ordering::Relaxed), "the next task asks no further");
        assert!(!tracer.keep(&task("Q", "U"), told(1, 1)));
    }

    /// A command with a name and a data area.
    fn told_of(container: &str) -> Traced {
        let option = |value| TracedOption { number: names::CONTAINER.number, value };
        let options = vec![
            option(TracedValue::Name(container.as_bytes().to_vec())),
            option(TracedValue::Data { bytes: 9, first: b"a secret".to_vec() }),
        ];
        Traced { options, ..told(1, 0) }
    }

    /// The data that were kept last.
    fn kept_data(tracer: &Tracer) -> Vec<u8> {
        let state = tracer.state();
        let mut options = state.records.back().expect("a record").told.options.iter();
        let data = options.find_map(|option| match &option.value {
            TracedValue::Data { bytes: 9, first } => Some(first.clone()),
            _ => None,
        });
        data.expect("the length of the data area")
    }

    #[test]
    fn tasks_of_the_trace_before_leave_nothing_in_this_one() {
        let tracer = Tracer::default();
        on(&tracer, TraceSubject::Program(name("P")), Duration::from_secs(1_000), 10);
        assert!(tracer.keep(&task("P", "U"), told(1, 1)));
        on(&tracer, TraceSubject::Program(name("Q")), Duration::from_secs(1_000), 10);
        assert!(!tracer.keep(&task("P", "U"), told(2, 1)), "it should tell no more");
        assert!(tracer.state().records.is_empty());
    }

    #[test]
    fn data_are_kept_if_they_are_wanted_and_headers_never() {
        let tracer = Tracer::default();
        on(&tracer, TraceSubject::Program(name("P")), Duration::from_secs(1_000), 10);
        // The task began under a trace that wanted them.
        assert!(tracer.keep(&task("P", "U"), told_of("MINE")));
        assert_eq!(kept_data(&tracer), b"");
        tracer.state().request.as_mut().expect("a trace").with_data = true;
        assert!(tracer.keep(&task("P", "U"), told_of("MINE")));
        assert_eq!(kept_data(&tracer), b"a secret");
        for headers in ["BAQHTTPHEADERS", "BAQHTTPHEADERS  "] {
            assert!(tracer.keep(&task("P", "U"), told_of(headers)));
            assert_eq!(kept_data(&tracer), b"", "{headers}");
        }
    }

    #[test]
    fn the_oldest_records_go_first() {
        let tracer = Tracer::default();
        on(&tracer, TraceSubject::User(name("U")), Duration::from_secs(1_000), 3);
        for number in 1..=5 {
            assert!(tracer.keep(&task("P", "U"), told(number, 1)));
        }
        let state = tracer.state();
        let numbers: Vec<u32> = state.records.iter().map(|record| record.told.number).collect();
        assert_eq!((numbers, state.dropped), (vec![3, 4, 5], 2));
        drop(state);
        on(&tracer, TraceSubject::User(name("U")), Duration::from_secs(1_000), TRACE_RECORDS_MAX);
        let large = TRACE_MAX_BYTES / 3;
        for number in 1..=3 {
            assert!(tracer.keep(&task("P", "U"), told(number, large)));
        }
        let state = tracer.state();
        assert_eq!((state.records.len(), state.dropped), (2, 1));
        assert_eq!(state.bytes, state.records.iter().map(cost).sum::<usize>());
    }

    #[test]
    fn commands_options_and_conditions_have_their_names() {
        let record = TraceRecord {
            time: SystemTime::UNIX_EPOCH,
            task: 1,
            transaction: name("T"),
            user: name("U"),
            told: told(1, 1),
        };
        assert_eq!(record.command(), "WRITEQ");
        assert_eq!(record.options().map(|(name, _)| name).collect::<Vec<_>>(), ["QUEUE"]);
        assert_eq!(
            (condition_name(0), condition_name(44), condition_name(9_999)),
            ("NORMAL", "QIDERR", "unknown")
        );
        assert_eq!((option_name(names::CONDITION + 44), option_name(0)), ("QIDERR", "unknown"));
        assert_eq!((command_name(0), command_name(0xEEEE)), ("CALL".to_owned(), "unknown (EEEE)".to_owned()));
        let call =
            TraceRecord { told: Traced { function: 0, call: name("BAQCSTUB"), ..told(1, 1) }, ..record };
        assert_eq!(call.command(), "BAQCSTUB");
    }
}
