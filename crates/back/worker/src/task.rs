//! One task in a worker: its link levels, the calls and ends of programs, and the effects of conditions and
//! abends.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use program::conditions::{Condition, INVREQ, PGMIDERR, by_number};
use program::interface::{NEXT_GO_ON, NEXT_LEAVE};
use wire::{Answer, Ask, FromWorker, Interface, TOLD_OUTPUT_MAX_BYTES, Task, Told};

use crate::called::api_calls::HostApi;
use crate::called::callable::CENTURY_YEARS;
use crate::called::xml_parse::Parses;
use crate::channels::Channels;
use crate::clock;
use crate::cobol::address_map::AddressSet;
use crate::cobol::arguments::{Area, Arguments, Plans};
use crate::cobol::commareas::{TaskCommarea, with_room};
use crate::cobol::libcob::{Entry, Libcob, Module};
use crate::cobol::output;
use crate::cobol::programs::{Instance, Missing, Programs};
use crate::cobol::storage::Storage;
use crate::commands;
use crate::commands::documents::Documents;
use crate::commands::resources::ResourceBrowses;
use crate::commands::web::{WebSessions, WebTask};
use crate::door::Door;
use crate::eib::Eib;
use crate::handle::{AbendExit, Handles, Label, Reaction};
use crate::watch::Watching;

/// The most link levels of a task: each has its storage and a piece of the stack.
pub const LINK_LEVELS_MAX: usize = 100;

/// RESP2 of a command that needs a terminal, and of a command that a server may not use.
const RESP2_NOT_HERE: u32 = 200;

thread_local! {
    static RUNTIME: RefCell<Option<Runtime>> = const { RefCell::new(None) };
}

/// All that a worker has.
#[derive(Debug)]
pub(super) struct Runtime {
    pub(super) door: Door,
    pub(super) libcob: &'static Libcob,
    pub(super) programs: Programs,
    pub(super) plans: Plans,
    /// Modules whose version is known to fit, by the addresses of their names.
    pub(super) checked: AddressSet<usize>,
    pub(super) task: Task,
    pub(super) levels: Vec<Level>,
    pub(super) channels: Channels,
    pub(super) storage: Storage,
    pub(super) host_api: HostApi,
    pub(super) xml_parses: Parses,
    pub(super) documents: Documents,
    pub(super) resource_browses: ResourceBrowses,
    /// The request over HTTP that the task answers, if it does so.
    pub(super) web: Option<Box<WebTask>>,
    /// The sessions with servers over HTTP that the task has opened.
    pub(super) web_sessions: WebSessions,
    /// A year of two digits is in the hundred years that began this many years ago (CEESCEN).
    pub(super) century_years: i64,
    pub(super) last_abend: LastAbend,
    /// False when the region wants no more of the task's output.
    is_output_wanted: bool,
    pub(super) watching: Watching,
    /// The commarea that the task came with, in which its answer is.
    commarea: TaskCommarea,
    /// The id of the channel that the task came with.
    channel: Option<u32>,
}

/// A program that runs, or waits for one that it linked to.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) program: [u8; 8],
    /// The program that it returns to; blanks if that is CICS.
    pub(super) linked_by: [u8; 8],
    /// The program that linked or transferred control to it; blanks if that is CICS.
    pub(super) invoked_by: [u8; 8],
    pub(super) eib: Eib,
    pub(super) commarea: Area,
    /// The bytes of the commarea if they came with XCTL.
    #[expect(dead_code, reason = "`commarea` refers to them")]
    own_commarea: Option<Vec<u8>>,
    /// The id of the current channel.
    pub(super) channel: Option<u32>,
    pub(super) handles: Handles,
    instance: Instance,
    /// libcob's module that was current when the program began.
    below: *mut Module,
    /// All modules that began in this level, each with whether libcob knows it.
    modules: Vec<(*mut Module, bool)>,
    pub(super) end: End,
    /// The program ends, and the programs that it CALLed are on their way out.
    pub(super) leaving: bool,
    /// Where an abend goes, if the way out leads by there.
    exit: Option<Label>,
}

/// How a program ends.
#[derive(Debug)]
pub(super) enum End {
    Return,
    Transfer(Call),
    Abend(Abend),
}

/// A program to be called.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) program: [u8; 8],
    /// The program that transfers control to it, with XCTL, and its EXEC interface block, which goes on with it.
    pub(super) transferred_by: Option<([u8; 8], Eib)>,
    pub(super) commarea: Area,
    /// In place of `commarea`: bytes that go with the program.
    pub(super) own_commarea: Option<Vec<u8>>,
    pub(super) channel: Option<u32>,
}

/// An abend of the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Abend {
    pub(super) code: [u8; 4],
    pub(super) program: [u8; 8],
    pub(super) message: String,
}

/// The last abend of a task, for ASSIGN.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastAbend {
    /// Blanks if there was none.
    pub(super) code: [u8; 4],
    /// Zeros if there was none.
    pub(super) program: [u8; 8],
    pub(super) has_dump: bool,
}

impl LastAbend {
    pub(super) const NONE: LastAbend = LastAbend { code: [b' '; 4], program: [0; 8], has_dump: false };
}

/// Why a command failed.
#[derive(Debug)]
pub(super) enum Fault {
    Condition(&'static Condition, u32),
    Abend(Abend),
}

/// A condition without a reason.
pub(super) fn raise<T>(condition: &'static Condition) -> Result<T, Fault> {
    Err(Fault::Condition(condition, 0))
}

/// Where the program goes on after a successful command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    GoOn,
    Leave,
}

/// Gives the process its runtime.
pub(super) fn install(runtime: Runtime) {
    RUNTIME.with_borrow_mut(|place| *place = Some(runtime));
}

/// The runtime. The caller must not run a program meanwhile. None in a process that is not a worker.
pub(super) fn with<T>(f: impl FnOnce(&mut Runtime) -> T) -> Option<T> {
    RUNTIME.with_borrow_mut(|runtime| runtime.as_mut().map(f))
}

fn runtime<T>(f: impl FnOnce(&mut Runtime) -> T) -> T {
    with(f).expect("programs only run in a process that has a runtime")
}

/// Sends the programs' output to the region, if the worker is not just sending something else.
pub(super) fn tell_output() {
    RUNTIME.with(|runtime| {
        if let Ok(mut runtime) = runtime.try_borrow_mut()
            && let Some(runtime) = runtime.as_mut()
        {
            runtime.tell_output();
        }
    });
}

/// Runs a task from its first program to its end; gives the outcome.
pub(super) fn run(task: Task) -> FromWorker {
    let call = runtime(|runtime| runtime.start(task));
    let ended = link(call);
    runtime(|runtime| runtime.finish(ended))
}

/// Calls a program as LINK does, and the programs that control is transferred to; returns when the last has
/// ended.
pub(super) fn link(mut call: Call) -> Result<(), Fault> {
    loop {
        let (entry, eib, commarea) = runtime(|runtime| runtime.begin(call))?;
        // Only a fault of ours panics: it goes up through the program, which is C to Rust and has nothing to be dropped.
        let result = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the entry is that of a program; both addresses live as long as the level.
            unsafe { entry(eib, commarea) }
        }));
        match runtime(|runtime| runtime.end(result.is_err())) {
            End::Return => return Ok(()),
            End::Transfer(next) => call = next,
            End::Abend(abend) => return Err(Fault::Abend(abend)),
        }
    }
}

/// Carries out a command; gives the result of [`program::interface::ENTRY_POINT`].
pub(super) fn execute(arguments: &Arguments) -> i32 {
    let begun = runtime(|runtime| {
        let level = runtime.level();
        level.eib.set_function(arguments.plan.invocation.function);
        (!level.leaving).then(|| runtime.command_begins(arguments))
    });
    // A program on the way out has given a command: one between two translated programs.
    let Some(begun) = begun else { return NEXT_LEAVE };
    let result = commands::carry_out(arguments);
    runtime(|runtime| runtime.command_ends(begun, arguments, &result));
    let fault = match result {
        Ok(step) => {
            runtime(|runtime| runtime.level().eib.respond(0, 0));
            return if step == Step::Leave { leave() } else { NEXT_GO_ON };
        }
        Err(fault) => fault,
    };
    match fault {
        Fault::Condition(condition, resp2) => raised(arguments, condition, resp2),
        Fault::Abend(abend) => abended(arguments.frame(), abend),
    }
}

/// Refuses a command that cannot be read.
pub(super) fn refuse(frame: usize, message: &str) -> i32 {
    let abend = runtime(|runtime| runtime.abend(*b"AEIP", message.to_owned()));
    abended(frame, abend)
}

fn raised(arguments: &Arguments, condition: &'static Condition, resp2: u32) -> i32 {
    let reaction = runtime(|runtime| {
        let level = runtime.level();
        level.eib.respond(condition.number, resp2);
        match arguments.plan.invocation.no_handle {
            true => Reaction::GoOn,
            false => level.handles.react(condition, arguments.frame()),
        }
    });
    match reaction {
        Reaction::GoOn => NEXT_GO_ON,
        Reaction::GoTo(label) => i32::from(label),
        Reaction::Abend(code) => {
            let not_here = *condition == INVREQ && resp2 == RESP2_NOT_HERE;
            let code = if not_here { "ADPL" } else { code };
            let command = arguments.plan.command.map_or_else(|| "unknown".to_owned(), |known| known.name());
            let line = arguments.plan.invocation.line;
            let message = format!("{command} at line {line} raised {} with RESP2 {resp2}", condition.name);
            let abend = runtime(|runtime| runtime.abend(wire::name(code), message));
            abended(arguments.frame(), abend)
        }
    }
}

/// An abend, of the program that gave the command or of one below it: it goes to the level's exit, or on upwards.
fn abended(frame: usize, abend: Abend) -> i32 {
    let exit = runtime(|runtime| {
        let has_dump = runtime.wants_dump();
        runtime.last_abend = LastAbend { code: abend.code, program: abend.program, has_dump };
        let exit = runtime.level().handles.take_exit();
        match exit {
            Some(_) => runtime.forget_state(),
            None => runtime.keep_state(),
        }
        exit
    });
    match exit {
        Some(AbendExit::Label(label)) if label.frame == frame => return i32::from(label.number),
        Some(AbendExit::Label(label)) => runtime(|runtime| {
            let level = runtime.level();
            level.exit = Some(label);
            level.end = End::Abend(abend);
        }),
        Some(AbendExit::Program(program)) => {
            let call = runtime(|runtime| {
                let level = runtime.level();
                let (commarea, channel) = (level.commarea, level.channel);
                Call { program, transferred_by: None, commarea, own_commarea: None, channel }
            });
            let end = match link(call) {
                Ok(()) => End::Return,
                Err(Fault::Abend(second)) => End::Abend(second),
                Err(Fault::Condition(..)) => End::Abend(abend),
            };
            runtime(|runtime| runtime.level().end = end);
        }
        None => runtime(|runtime| runtime.level().end = End::Abend(abend)),
    }
    leave()
}

/// An abend in a function that a program has CALLed: the program learns of it when it asks after its CALL.
pub(super) fn abend_in_call(code: [u8; 4], message: String) {
    let abend = runtime(|runtime| runtime.abend(code, message));
    // No frame: a label is reached from the question after the CALL, not from here.
    abended(0, abend);
}

/// Ends the program that the runtime called, with all that it has CALLed: each asks after its CALL
/// ([`after_call`]) whether it must end too.
fn leave() -> i32 {
    runtime(|runtime| runtime.level().leaving = true);
    NEXT_LEAVE
}

/// Where a program goes on after a CALL of COBOL; gives the result of [`program::interface::AFTER_CALL`].
pub(super) fn after_call(frame: usize) -> i32 {
    runtime(|runtime| {
        let level = runtime.level();
        match level.exit {
            _ if !level.leaving => NEXT_GO_ON,
            // The abend has reached the program that handles it.
            Some(label) if label.frame == frame => {
                level.leaving = false;
                level.exit = None;
                level.end = End::Return;
                i32::from(label.number)
            }
            _ => NEXT_LEAVE,
        }
    })
}

impl Runtime {
    /// The level that runs now.
    pub(super) fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("a program runs")
    }

    /// An abend of the program that runs now.
    pub(super) fn abend(&mut self, code: [u8; 4], message: String) -> Abend {
        let program = self.levels.last().map_or(self.task.program, |level| level.program);
        Abend { code, program, message }
    }

    /// Sends the region a request, and waits for the answer, which is neither a condition nor an abend.
    ///
    /// # Errors
    /// The resulting condition or abend.
    pub(super) fn ask(&mut self, ask: Ask) -> Result<Answer, Fault> {
        match self.door.ask(ask) {
            Answer::Condition { resp, resp2 } => {
                Err(Fault::Condition(by_number(resp).unwrap_or(&INVREQ), resp2))
            }
            Answer::Abend { code, message } => Err(Fault::Abend(self.abend(code, message))),
            answer => Ok(answer),
        }
    }

    fn start(&mut self, mut task: Task) -> Call {
        self.channels.clear();
        self.storage.clear();
        self.host_api = HostApi::default();
        self.century_years = CENTURY_YEARS;
        self.levels.clear();
        self.last_abend = LastAbend::NONE;
        self.is_output_wanted = true;
        let interface = std::mem::take(&mut task.interface);
        let program = task.program;
        self.task = task;
        self.watch();
        self.channel = None;
        self.web = None;
        let given = match interface {
            Interface::None => Vec::new(),
            Interface::Commarea(bytes) => bytes,
            Interface::Channel { name, containers } => {
                self.channel = Some(self.channels.create(name, 0, containers));
                Vec::new()
            }
            Interface::Web(request) => {
                self.web = Some(Box::new(WebTask::of(*request)));
                Vec::new()
            }
            Interface::WebAnswer(_) => Vec::new(),
        };
        let commarea = self.commarea.take_in(given, self.programs.commarea_max_bytes());
        Call { program, transferred_by: None, commarea, own_commarea: None, channel: self.channel }
    }

    /// Sends the programs' output to the region: whole lines, unless one is too long.
    pub(super) fn tell_output(&mut self) {
        let Some(text) = output::take() else { return };
        let mut left = text.as_slice();
        while !left.is_empty() && self.is_output_wanted {
            let most = left.len().min(TOLD_OUTPUT_MAX_BYTES);
            let whole = left[..most].iter().rposition(|byte| *byte == b'\n').map_or(most, |end| end + 1);
            let (piece, rest) = left.split_at(whole);
            self.is_output_wanted = self.door.told(Told::Output(piece.to_vec()));
            left = rest;
        }
    }

    fn finish(&mut self, ended: Result<(), Fault>) -> FromWorker {
        self.tell_output();
        self.host_api = HostApi::default();
        self.xml_parses = Parses::default();
        self.documents = Documents::default();
        self.resource_browses = ResourceBrowses::default();
        self.web_sessions = WebSessions::default();
        if ended.is_err() {
            self.web = None;
        }
        let abend = match ended {
            Ok(()) => {
                self.tell_end(None);
                return FromWorker::Returned(self.result());
            }
            Err(Fault::Abend(abend)) => abend,
            Err(Fault::Condition(condition, resp2)) => {
                let message = format!("the first program cannot run: {} with RESP2 {resp2}", condition.name);
                Abend { code: *b"APCT", program: self.task.program, message }
            }
        };
        self.tell_end(Some(&abend));
        let Abend { code, program, message } = abend;
        FromWorker::Abended { code, program, message, last: false }
    }

    /// An instance of a program.
    ///
    /// # Errors
    /// PGMIDERR: 1 if there is none, 3 if it cannot be loaded.
    pub(super) fn find(&mut self, program: [u8; 8]) -> Result<Instance, Fault> {
        let levels = &self.levels;
        // SAFETY: the modules of levels that run have not been freed.
        let is_called = |entry: Entry| unsafe {
            let mut modules = levels.iter().flat_map(|level| &level.modules);
            modules.any(|(module, _)| Module::is_of(*module, entry) && Module::is_active(*module))
        };
        let runs = |entry: Entry| {
            levels.iter().any(|level| std::ptr::fn_addr_eq(level.instance.entry, entry)) || is_called(entry)
        };
        match self.programs.instance(program, (self.libcob, &mut self.door), runs) {
            Ok(instance) => Ok(instance),
            Err(Missing::File) => Err(Fault::Condition(&PGMIDERR, 1)),
            Err(Missing::Load(reason)) => {
                output::add(
                    format!("program {}: {reason}\n", String::from_utf8_lossy(&program).trim_end())
                        .as_bytes(),
                );
                Err(Fault::Condition(&PGMIDERR, 3))
            }
        }
    }

    fn begin(&mut self, call: Call) -> Result<(Entry, *mut u8, *mut u8), Fault> {
        if self.levels.len() == LINK_LEVELS_MAX {
            let message = format!("expected at most {LINK_LEVELS_MAX} link levels");
            return Err(Fault::Abend(self.abend(*b"GLVL", message)));
        }
        let instance = self.find(call.program)?;
        let linked_by = self.levels.last().map_or([b' '; 8], |level| level.program);
        let (invoked_by, mut eib) = match (call.transferred_by, self.levels.last()) {
            (Some(transferred), _) => transferred,
            (None, Some(level)) => (linked_by, level.eib.linked()),
            (None, None) => {
                let mut eib = Eib::new(self.task.transaction, self.task.number);
                let now = clock::now();
                eib.set_time(now.eib_time(), now.eib_date());
                (linked_by, eib)
            }
        };
        let mut own_commarea = call.own_commarea;
        let commarea = match &mut own_commarea {
            None => {
                self.commarea.clear_behind(call.commarea, instance.commarea_bytes);
                call.commarea
            }
            Some(bytes) => with_room(bytes, instance.commarea_bytes),
        };
        eib.set_commarea_length(commarea.bytes);
        eib.respond(0, 0);
        let addresses = (instance.entry, eib.address(), commarea.address());
        self.levels.push(Level {
            program: call.program,
            linked_by,
            invoked_by,
            eib,
            commarea,
            own_commarea,
            channel: call.channel,
            handles: Handles::default(),
            instance,
            below: self.libcob.current(),
            modules: Vec::new(),
            end: End::Return,
            leaving: false,
            exit: None,
        });
        Ok(addresses)
    }

    /// A module begins, with fresh storage.
    pub(super) fn module_begins(&mut self, module: *mut Module) {
        let Some(level) = self.levels.last_mut() else { return };
        // SAFETY: libcob's generated code gives us the module, as it would give it to libcob.
        let is_copy = unsafe { !level.instance.first && Module::is_of(module, level.instance.entry) };
        level.modules.push((module, !is_copy));
        if !is_copy {
            // SAFETY: as above.
            unsafe { self.libcob.announce(module) };
        }
    }

    /// The level's program has come back, or was left: its storage and that of all that it called is freed.
    fn end(&mut self, panicked: bool) -> End {
        let depth = self.levels.len();
        let Some(mut level) = self.levels.pop() else { return End::Return };
        // SAFETY: `below` was current when the level began, and everything above it has ended now.
        unsafe { self.libcob.unwind_to(level.below) };
        for (module, known) in level.modules.drain(..) {
            // SAFETY: each module began in this level, has ended, and is forgotten here.
            unsafe {
                match known {
                    true => self.libcob.cancel(module),
                    false => Module::cancel(module),
                }
            }
        }
        let mut end = std::mem::replace(&mut level.end, End::Return);
        if panicked {
            let message = "the runtime failed while it carried out a command".to_owned();
            end = End::Abend(Abend { code: *b"ASRA", program: level.program, message });
        }
        let handed_on = match &end {
            End::Transfer(call) => call.channel,
            _ => None,
        };
        self.channels.leave(depth, handed_on);
        end
    }

    fn result(&mut self) -> Interface {
        if let Some(web) = self.web.take() {
            return web.into_answer().map_or(Interface::None, Interface::WebAnswer);
        }
        if let Some(channel) = self.channel.and_then(|id| self.channels.get(id)) {
            let containers = std::mem::take(&mut channel.containers);
            return Interface::Channel { name: channel.name, containers };
        }
        match self.commarea.give_back() {
            bytes if bytes.is_empty() => Interface::None,
            bytes => Interface::Commarea(bytes),
        }
    }

    /// A runtime for a process.
    pub(super) fn new(door: Door, libcob: &'static Libcob, programs: Programs) -> Self {
        Self {
            door,
            libcob,
            programs,
            plans: Plans::default(),
            checked: AddressSet::default(),
            task: Task::default(),
            levels: Vec::new(),
            channels: Channels::default(),
            storage: Storage::default(),
            host_api: HostApi::default(),
            xml_parses: Parses::default(),
            documents: Documents::default(),
            resource_browses: ResourceBrowses::default(),
            web: None,
            web_sessions: WebSessions::default(),
            century_years: CENTURY_YEARS,
            last_abend: LastAbend::NONE,
            is_output_wanted: true,
            watching: Watching::default(),
            commarea: TaskCommarea::default(),
            channel: None,
        }
    }
}
