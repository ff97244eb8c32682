//! A worker's reports of a task besides its result: notes of all commands, the commands of a traced task, the
//! data at an abend, and the processor time.
//!
//! A note costs a copy of 64 bytes into the shared memory. All other reports are made only for tasks that the
//! region wants them of.

use std::time::Instant;

use program::commands::{self, names};
use program::interface::{Argument, Kind};
use rustix::time::{ClockId, clock_gettime};
use wire::area::{NOTE_BYTES, NOTES_MAX};
use wire::notes::{CommandEnd, NOTED_NAME_MAX_BYTES, begun_note, set_end, set_name};
use wire::{
    ChannelState, Clipped, ContainerState, Name, State, TOLD_DATA_MAX_BYTES, TOLD_NAME_MAX_BYTES,
    TOLD_OPTIONS_MAX, Told, Traced, TracedOption, TracedValue, Tracing,
};

use crate::cobol::arguments::Arguments;
use crate::task::{Abend, Fault, Runtime, Step};

/// The reports of the running task.
#[derive(Debug, Default)]
pub(super) struct Watching {
    /// Commands that have begun.
    commands: u32,
    /// When the task began, if its commands are reported.
    began: Option<Instant>,
    /// The thread's processor time then, if it is measured.
    cpu_ns: Option<u64>,
    /// The task's data at an abend that no program has handled yet.
    state: Option<Box<State>>,
    /// The abend wants no dump.
    no_dump: bool,
    /// Dumps that commands have asked for.
    dumps: u32,
}

/// A command, or a call, that has begun.
#[derive(Debug)]
pub(super) struct Begun {
    note: [u8; NOTE_BYTES],
    number: u32,
    /// None if the command is not reported.
    traced: Option<Box<(Instant, Traced)>>,
}

impl Runtime {
    /// A task begins.
    pub(super) fn watch(&mut self) {
        let watch = self.task.watch;
        self.watching = Watching {
            began: (watch.tracing != Tracing::No).then(Instant::now),
            cpu_ns: watch.measures_cpu.then(thread_cpu_ns),
            ..Watching::default()
        };
    }

    /// A command begins.
    pub(super) fn command_begins(&mut self, arguments: &Arguments) -> Begun {
        let invocation = &arguments.plan.invocation;
        let mut begun = self.begins(invocation.function, invocation.line);
        if let Some(subject) = arguments.plan.subject {
            let mut name = [0; NOTED_NAME_MAX_BYTES];
            let count = arguments.copy_text(subject, &mut name);
            set_name(&mut begun.note, &name[..count]);
        }
        self.door.note(begun.number, &begun.note);
        if self.watching.began.is_some() {
            let traced = self.traced(&begun, (invocation.function, invocation.line));
            let options = given(arguments, self.task.watch.tracing);
            begun.traced = Some(Box::new((Instant::now(), Traced { options, ..traced })));
        }
        begun
    }

    /// A call of an API, made with CALL, begins.
    pub(super) fn call_begins(&mut self, call: Name<8>, api: &str) -> Begun {
        let mut begun = self.begins(0, 0);
        set_name(&mut begun.note, &api.as_bytes()[..api.len().min(NOTED_NAME_MAX_BYTES)]);
        self.door.note(begun.number, &begun.note);
        if self.watching.began.is_some() {
            let name = api.as_bytes()[..api.len().min(TOLD_NAME_MAX_BYTES)].to_vec();
            let options =
                vec![TracedOption { number: names::SERVICE.number, value: TracedValue::Name(name) }];
            let traced = Traced { call, options, ..self.traced(&begun, (0, 0)) };
            begun.traced = Some(Box::new((Instant::now(), traced)));
        }
        begun
    }

    fn begins(&mut self, function: u16, line: u32) -> Begun {
        let number = self.watching.commands;
        self.watching.commands = number.saturating_add(1);
        let program = self.levels.last().map_or(self.task.program, |level| level.program);
        let note = begun_note((number + 1, self.depth()), program, (function, line));
        Begun { note, number, traced: None }
    }

    fn depth(&self) -> u8 {
        u8::try_from(self.levels.len()).unwrap_or(u8::MAX)
    }

    fn traced(&self, begun: &Begun, (function, line): (u16, u32)) -> Traced {
        let since = self.watching.began.map(|began| began.elapsed()).unwrap_or_default();
        Traced {
            number: begun.number + 1,
            level: self.depth(),
            program: self.levels.last().map_or(self.task.program, |level| level.program),
            call: [b' '; 8],
            function,
            line,
            began_us: since.as_micros() as u64,
            took_us: 0,
            end: CommandEnd::Running,
            options: Vec::new(),
        }
    }

    /// A command has ended.
    pub(super) fn command_ends(&mut self, begun: Begun, arguments: &Arguments, result: &Result<Step, Fault>) {
        let end = match result {
            Ok(_) => CommandEnd::NORMAL,
            Err(Fault::Condition(condition, resp2)) => {
                CommandEnd::Condition { resp: condition.number, resp2: *resp2 }
            }
            Err(Fault::Abend(abend)) => CommandEnd::Abend(abend.code),
        };
        let tracing = self.task.watch.tracing;
        self.ends(begun, end, |options| add_what_came(arguments, tracing, options));
    }

    /// A call of an API has ended.
    pub(super) fn call_ends(&mut self, begun: Begun, return_code: u16) {
        self.ends(begun, CommandEnd::Condition { resp: return_code, resp2: 0 }, |_| {});
    }

    fn ends(&mut self, mut begun: Begun, end: CommandEnd, complete: impl FnOnce(&mut Vec<TracedOption>)) {
        // The LINK's note is gone if there were too many commands below it.
        if self.watching.commands - begun.number <= NOTES_MAX as u32 {
            set_end(&mut begun.note, end);
            self.door.note(begun.number, &begun.note);
        }
        let Some(traced) = begun.traced else { return };
        let (began, mut traced) = *traced;
        traced.took_us = began.elapsed().as_micros() as u64;
        traced.end = end;
        complete(&mut traced.options);
        if self.watching.began.is_some() && !self.door.told(Told::Command(Box::new(traced))) {
            self.watching.began = None;
        }
    }

    /// Keeps the task's data at an abend, which a program may still handle.
    pub(super) fn keep_state(&mut self) {
        if self.watching.state.is_some() {
            return;
        }
        let state = self.dump_room().and_then(|mut left| self.state(&mut left));
        self.watching.state = state.map(Box::new);
    }

    /// The most bytes of data in a dump; none if nobody keeps dumps.
    pub(super) fn dump_room(&self) -> Option<usize> {
        Some(self.task.watch.state_max_bytes as usize).filter(|room| *room > 0)
    }

    /// The number of the next dump that a command asks for, from 1.
    pub(super) fn next_dump(&mut self) -> u32 {
        self.watching.dumps = self.watching.dumps.saturating_add(1);
        self.watching.dumps
    }

    /// The task's data now, at most `left` bytes of it; `left` becomes smaller by their number.
    pub(super) fn state(&self, left: &mut usize) -> Option<State> {
        let programs = self.levels.iter().map(|level| level.program).collect();
        let (commarea, current) = match self.levels.last() {
            Some(level) => (level.commarea, level.channel),
            None => return None,
        };
        let commarea = (commarea.bytes > 0).then(|| Clipped::of(&commarea.copy(), left));
        let mut channels: Vec<ChannelState> = Vec::new();
        for channel in self.channels.all() {
            let containers = channel.containers.iter().map(|container| ContainerState {
                name: container.name,
                ccsid: container.ccsid,
                content: Clipped::of(&container.bytes, left),
            });
            let is_current = Some(channel.id) == current;
            channels.push(ChannelState { name: channel.name, is_current, containers: containers.collect() });
        }
        Some(State { programs, commarea, channels })
    }

    /// The abend was handled.
    pub(super) fn forget_state(&mut self) {
        self.watching.state = None;
        self.watching.no_dump = false;
    }

    /// The program wants no dump of its abend.
    pub(super) fn want_no_dump(&mut self) {
        self.watching.no_dump = true;
    }

    /// True if no program has said that its abend needs no dump.
    pub(super) fn wants_dump(&self) -> bool {
        !self.watching.no_dump
    }

    /// The task ends.
    pub(super) fn tell_end(&mut self, abend: Option<&Abend>) {
        if let Some(begun) = self.watching.cpu_ns {
            self.door.set_cpu_nanoseconds(thread_cpu_ns().saturating_sub(begun).max(1));
        }
        if abend.is_none() || self.task.watch.state_max_bytes == 0 {
            return;
        }
        if self.watching.no_dump {
            self.door.told(Told::NoDump);
        } else if let Some(state) = self.watching.state.take() {
            self.door.told(Told::State(state));
        }
    }
}

/// The options of a command as the program gave them.
fn given(arguments: &Arguments, tracing: Tracing) -> Vec<TracedOption> {
    let options = arguments.plan.invocation.options.iter().take(TOLD_OPTIONS_MAX).enumerate();
    let told = options.map(|(at, option)| {
        let value = match &option.argument {
            Argument::Keyword | Argument::Slot(_, Kind::Pointer { .. } | Kind::Keyword | Kind::Literal) => {
                TracedValue::Nothing
            }
            Argument::Label(number) => TracedValue::Label(*number),
            Argument::Slot(_, Kind::Label) => TracedValue::Nothing,
            Argument::Slot(_, Kind::Number { read: true, .. }) => TracedValue::Number(arguments.value_at(at)),
            // It comes with the end of the command.
            Argument::Slot(_, Kind::Number { .. }) => TracedValue::Nothing,
            Argument::Literal(_) | Argument::Slot(_, Kind::Data { .. }) => {
                let is_name = arguments.plan.text_bytes(at);
                let is_read = !matches!(option.argument, Argument::Slot(_, Kind::Data { read: false, .. }));
                let shows_data = tracing == Tracing::Data && option.number != names::PASSWORD.number;
                text_or_data(arguments, at, (is_name.filter(|_| is_read), is_read && shows_data))
            }
        };
        TracedOption { number: option.number, value }
    });
    told.collect()
}

/// A name of at most this many bytes, or a data area with its first bytes if they are wanted.
fn text_or_data(arguments: &Arguments, at: usize, (name, with_data): (Option<usize>, bool)) -> TracedValue {
    let first = |most: usize| {
        let mut bytes = vec![0; most];
        let count = arguments.copy_text(at, &mut bytes);
        bytes.truncate(count);
        bytes
    };
    match name {
        Some(most) => TracedValue::Name(first(most.min(TOLD_NAME_MAX_BYTES))),
        None => {
            let bytes = arguments.bytes_at(at) as u64;
            TracedValue::Data {
                bytes,
                first: if with_data { first(TOLD_DATA_MAX_BYTES) } else { Vec::new() },
            }
        }
    }
}

/// Adds the values that the command has given back.
fn add_what_came(arguments: &Arguments, tracing: Tracing, options: &mut [TracedOption]) {
    let given = &arguments.plan.invocation.options;
    for (at, (told, option)) in options.iter_mut().zip(given).enumerate() {
        match option.argument {
            Argument::Slot(_, Kind::Number { write: true, .. }) => {
                if let Some(number) = arguments.given_back_at(at) {
                    told.value = TracedValue::Number(number);
                }
            }
            Argument::Slot(_, Kind::Data { write: true, .. }) => {
                told.value = text_or_data(arguments, at, (None, tracing == Tracing::Data));
            }
            _ => {}
        }
    }
}

/// The place of the option whose name is in a note: the first option that names something.
pub(super) fn subject(
    options: &[program::interface::Given],
    command: Option<&commands::Command>,
) -> Option<usize> {
    options.iter().position(|given| {
        let is_there =
            matches!(given.argument, Argument::Literal(_) | Argument::Slot(_, Kind::Data { read: true, .. }));
        is_there && name_bytes(given.number, command).is_some()
    })
}

/// The longest name of an option; none if it has data.
pub(super) fn name_bytes(number: u16, command: Option<&commands::Command>) -> Option<usize> {
    let option = command?.options.iter().find(|option| option.name.number == number)?;
    match option.argument {
        commands::Argument::Text { max_bytes } => Some(usize::from(max_bytes)),
        commands::Argument::Separator => Some(1),
        _ => None,
    }
}

/// The processor time of this thread, in nanoseconds.
fn thread_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}
