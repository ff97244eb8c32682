//! The messages between a region and a worker, as bytes in the memory that they share.
//!
//! The worker is not trusted: [`FromWorker::decode`] takes any bytes, and gives a message or a fault. Numbers have
//! their lowest byte first. Texts and data have their length in four bytes before them.
//!
//! The crate also has the ways of the messages: the memory that both share ([`area`]) and its bells
//! ([`bells`]). The notes ([`notes`]) in that memory outlive the worker. Deliberately absent: the meaning of
//! commands.

pub mod area;
pub mod batch;
pub mod bells;
pub mod bytes;
mod calls;
mod children;
mod counters;
mod enqueues;
mod files;
mod links;
mod messages;
pub mod notes;
mod options;
pub mod programs;
mod queues;
mod resources;
pub mod soap_fault;
mod starts;
mod told;
mod transient;
mod web;
mod web_calls;

use std::fmt;

use bytes::{Reader, put_bytes};
pub use calls::{
    CallAnswer, CallAsk, DATA_AREAS_MAX, OPERATOR_ROUTES_MAX, OPERATOR_TEXT_MAX_BYTES, ServiceTarget,
    TransformWay,
};
pub use children::{ChildAnswer, ChildAsk, ChildToken, Completion};
pub use counters::{CompareRange, CounterAction, CounterAnswer, CounterAsk};
pub use enqueues::{EnqueueAsk, RESOURCE_MAX_BYTES};
pub use files::{Addressing, FileAnswer, FileAsk, FileRequest, Hold, RecordAt};
pub use links::{Cargo, LinkAsk};
pub use messages::{
    MESSAGE_MAX_BYTES, MessageAnswer, MessageAsk, ObjectAsk, Outgoing, PropertyAsk, SELECTORS_MAX,
    SubscribeAsk,
};
pub use notes::{CommandEnd, Note};
pub use options::{WorkerOptions, WorkerUser};
pub use programs::{COMMAREAS_FILE, TEMPLATES_FOLDER};
pub use queues::{ITEM_MAX_BYTES, Location, QueueAnswer, QueueAsk};
pub use resources::{
    Access, Enabling, FileFacts, FileKind, Guarded, ProgramFacts, ResourceAnswer, ResourceAsk, TaskFacts,
    TransactionFacts, Wanted,
};
pub use service::{WebAnswer, WebHeader, WebRequest, WebSend, WebServer};
pub use starts::{Start, StartAnswer, StartAsk, StartedData, WantedData};
pub use told::{
    ChannelState, Clipped, ContainerState, HEADERS, State, TOLD_DATA_MAX_BYTES, TOLD_NAME_MAX_BYTES,
    TOLD_OPTIONS_MAX, TOLD_OUTPUT_MAX_BYTES, Told, Traced, TracedOption, TracedValue, TransactionDump,
};
pub use transient::{TRANSIENT_MAX_BYTES, TransientAnswer, TransientAsk};
pub use web::WEB_HEADERS_MAX;
pub use web_calls::{UriMapFacts, WebAsk, WebReply};

/// The most bytes of a commarea (CICS TS, LINK).
pub const COMMAREA_MAX_BYTES: usize = 32_763;

/// The most containers that a channel may have between a region and a worker.
pub const CONTAINERS_MAX: usize = 65_535;

/// A name of fixed length, filled with blanks.
pub type Name<const N: usize> = [u8; N];

/// A text as a name: cut at `N` bytes, filled with blanks.
pub fn name<const N: usize>(text: &str) -> Name<N> {
    let mut name = [b' '; N];
    for (place, byte) in name.iter_mut().zip(text.bytes()) {
        *place = byte;
    }
    name
}

/// The bits of a name, well spread for places in a table (Fibonacci hashing): the upper bits depend on the
/// whole name.
pub fn spread(name: Name<8>) -> u64 {
    u64::from_ne_bytes(name).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A name as text without the blanks at its end. Bytes that are not visible characters become blanks.
pub fn shown(name: &[u8]) -> String {
    let visible = |byte: &u8| if byte.is_ascii_graphic() { char::from(*byte) } else { ' ' };
    name.iter().map(visible).collect::<String>().trim_end().to_owned()
}

/// The data for a program, or from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Interface {
    /// No data: EIBCALEN is 0, and there is no current channel.
    #[default]
    None,
    /// A commarea.
    Commarea(Vec<u8>),
    /// The containers of the current channel.
    Channel {
        /// The channel's name.
        name: Name<16>,
        /// Its containers.
        containers: Vec<Container>,
    },
    /// A request over HTTP, which the program answers with WEB SEND.
    Web(Box<WebRequest>),
    /// The program's answer to such a request.
    WebAnswer(Box<WebAnswer>),
}

/// A container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// Its name.
    pub name: Name<16>,
    /// The code page of its text; none for data of kind BIT.
    pub ccsid: Option<u16>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A message from a region to a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToWorker {
    /// Run a task.
    Task(Task),
    /// The answer to an [`Ask`].
    Answer(Answer),
}

/// A task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// The task's number: EIBTASKN, at most 9,999,999.
    pub number: u32,
    /// The first program.
    pub program: Name<8>,
    /// The transaction: EIBTRNID.
    pub transaction: Name<4>,
    /// Who calls: ASSIGN USERID.
    pub user: Name<8>,
    /// The region's application id.
    pub applid: Name<8>,
    /// The region's system id.
    pub sysid: Name<4>,
    /// How the task was begun: ASSIGN STARTCODE.
    pub startcode: Name<2>,
    /// The transient data queue that began the task, ASSIGN QNAME; blanks if there is none.
    pub queue: Name<4>,
    /// The region's code page: ASSIGN LOCALCCSID.
    pub ccsid: u16,
    /// The most bytes that all containers of the task may have together.
    pub containers_max_bytes: u64,
    /// The bytes of the task's work area (TWA): ASSIGN TWALENG. 0 for none.
    pub work_area_bytes: u16,
    /// Programs that the user may not run.
    pub refused_programs: Vec<Name<8>>,
    /// The observations that operators want of the task.
    pub watch: Watch,
    /// The data for the program.
    pub interface: Interface,
}

/// The observations that operators want of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Which of its commands the worker reports.
    pub tracing: Tracing,
    /// Its processor time is measured.
    pub measures_cpu: bool,
    /// The most bytes of its commarea and its containers that the worker reports at an abend; 0 for no
    /// report.
    pub state_max_bytes: u32,
}

/// Which commands of a task the worker reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracing {
    /// None.
    #[default]
    No,
    /// All, with names and lengths.
    Names,
    /// All, with the first bytes of data areas too.
    Data,
}

impl Watch {
    fn encode(self, to: &mut Vec<u8>) {
        let tracing = match self.tracing {
            Tracing::No => 0,
            Tracing::Names => 1,
            Tracing::Data => 2,
        };
        to.extend([tracing, u8::from(self.measures_cpu)]);
        to.extend(self.state_max_bytes.to_le_bytes());
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let tracing = match from.byte()? {
            0 => Tracing::No,
            1 => Tracing::Names,
            2 => Tracing::Data,
            _ => return Err(BadMessage("expected which commands are told")),
        };
        Ok(Self { tracing, measures_cpu: from.flag()?, state_max_bytes: from.u32()? })
    }
}

/// A request of a worker to its region while a task runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Something of a temporary storage queue.
    Queue(QueueAsk),
    /// SYNCPOINT.
    Syncpoint {
        /// ROLLBACK: undoes all changes since the last syncpoint.
        rollback: bool,
    },
    /// A name that the task wants to hold, or gives up.
    Enqueue(EnqueueAsk),
    /// Something of a file.
    File(FileAsk),
    /// Something of a transient data queue.
    Transient(TransientAsk),
    /// Something of tasks that are started, and of waiting for a time.
    Start(StartAsk),
    /// Something of child tasks.
    Child(ChildAsk),
    /// Something of a named counter.
    Counter(CounterAsk),
    /// A command on a definition of the region.
    Resource(ResourceAsk),
    /// A call of the region's surroundings.
    Call(CallAsk),
    /// A call of the MQI.
    Message(MessageAsk),
    /// LINK to a program of another region.
    Link(LinkAsk),
    /// WEB SEND with IMMEDIATE: the answer stands, whatever the task does after it.
    WebSent(Box<WebAnswer>),
    /// Something of a temporary storage queue of the region that SYSID names.
    RemoteQueue {
        /// The region.
        sysid: Name<4>,
        /// The command.
        ask: QueueAsk,
    },
    /// START or CANCEL in the region that SYSID names.
    RemoteStart {
        /// The region.
        sysid: Name<4>,
        /// The command.
        ask: StartAsk,
    },
}

/// The answer to an [`Ask`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The answer to a [`QueueAsk`].
    Queue(QueueAnswer),
    /// The answer to a [`FileAsk`].
    File(FileAnswer),
    /// The keys of the file are longer than RIDFLD. The worker asks again, with the bytes of RIDFLD and those
    /// behind it.
    LongerKey {
        /// How many bytes the file needs.
        bytes: u32,
    },
    /// The answer to a [`TransientAsk`].
    Transient(TransientAnswer),
    /// The data that a program of another region gives back.
    Linked(Cargo),
    /// It is done, and there is nothing to tell.
    Done,
    /// The region wants no more reports of this kind.
    Enough,
    /// The answer to a [`StartAsk`].
    Start(StartAnswer),
    /// The answer to a [`ChildAsk`].
    Child(ChildAnswer),
    /// The answer to a [`CounterAsk`].
    Counter(CounterAnswer),
    /// The answer to a [`ResourceAsk`].
    Resource(ResourceAnswer),
    /// The answer to a [`CallAsk`].
    Call(CallAnswer),
    /// The answer to a [`MessageAsk`].
    Message(Box<MessageAnswer>),
    /// It raised a condition.
    Condition {
        /// The condition's number.
        resp: u16,
        /// The reason.
        resp2: u32,
    },
    /// The task must end.
    Abend {
        /// The abend code.
        code: Name<4>,
        /// A description for operators.
        message: String,
    },
}

/// A message from a worker to its region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromWorker {
    /// It can take a task.
    Ready {
        /// The protections of the system from the worker, and the missing ones; one line each.
        notes: Vec<String>,
    },
    /// It cannot run at all.
    Unfit {
        /// Why.
        reason: String,
    },
    /// The task needs something.
    Ask(Ask),
    /// The region should know something of the task, and says whether it wants more of it.
    Told(Told),
    /// The task came to its end; the worker can take another.
    Returned(Interface),
    /// The task came to a bad end.
    Abended {
        /// The abend code.
        code: Name<4>,
        /// The program in which it happened.
        program: Name<8>,
        /// A description for operators.
        message: String,
        /// The worker ends too.
        last: bool,
    },
}

/// Bytes that are not a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadMessage(pub &'static str);

impl fmt::Display for BadMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for BadMessage {}

impl ToWorker {
    /// Adds the message's bytes.
    pub fn encode(&self, to: &mut Vec<u8>) {
        match self {
            ToWorker::Task(task) => task.encode(to),
            ToWorker::Answer(answer) => answer.encode(to),
        }
    }

    /// Reads a message.
    ///
    /// # Errors
    /// The bytes are not such a message.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadMessage> {
        let mut from = Reader(bytes);
        let message = match from.byte()? {
            TASK => ToWorker::Task(Task::decode(&mut from)?),
            kind => ToWorker::Answer(Answer::decode(kind, &mut from)?),
        };
        from.end(message)
    }
}

/// The first byte of a task.
const TASK: u8 = b'T';

impl Task {
    /// Adds it as a message.
    pub fn encode(&self, to: &mut Vec<u8>) {
        to.push(TASK);
        to.extend(self.number.to_le_bytes());
        for name in [&self.program[..], &self.transaction, &self.user, &self.applid, &self.sysid] {
            to.extend(name);
        }
        to.extend(self.startcode);
        to.extend(self.queue);
        to.extend(self.ccsid.to_le_bytes());
        to.extend(self.containers_max_bytes.to_le_bytes());
        to.extend(self.work_area_bytes.to_le_bytes());
        to.extend((self.refused_programs.len() as u32).to_le_bytes());
        to.extend(self.refused_programs.as_flattened());
        self.watch.encode(to);
        put_interface(to, &self.interface);
    }

    /// Reads it after its first byte.
    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Self {
            number: from.u32()?,
            program: from.array()?,
            transaction: from.array()?,
            user: from.array()?,
            applid: from.array()?,
            sysid: from.array()?,
            startcode: from.array()?,
            queue: from.array()?,
            ccsid: u16::from_le_bytes(from.array()?),
            containers_max_bytes: u64::from_le_bytes(from.array()?),
            work_area_bytes: u16::from_le_bytes(from.array()?),
            refused_programs: take_names(from)?,
            watch: Watch::decode(from)?,
            interface: take_interface(from)?,
        })
    }
}

fn take_names(from: &mut Reader<'_>) -> Result<Vec<Name<8>>, BadMessage> {
    // A name that is not there ends it, so that the count alone makes nothing grow.
    (0..from.u32()?).map(|_| from.array()).collect()
}

impl FromWorker {
    /// Adds the message's bytes.
    pub fn encode(&self, to: &mut Vec<u8>) {
        match self {
            FromWorker::Ready { notes } => {
                to.push(b'R');
                put_bytes(to, notes.join("\n").as_bytes());
            }
            FromWorker::Unfit { reason } => {
                to.push(b'U');
                put_bytes(to, reason.as_bytes());
            }
            FromWorker::Ask(ask) => {
                to.push(b'K');
                ask.encode(to);
            }
            FromWorker::Told(told) => {
                to.push(b'O');
                told.encode(to);
            }
            FromWorker::Returned(interface) => {
                to.push(b'E');
                put_interface(to, interface);
            }
            FromWorker::Abended { code, program, message, last } => {
                to.push(b'A');
                to.extend(code);
                to.extend(program);
                to.push(u8::from(*last));
                put_bytes(to, message.as_bytes());
            }
        }
    }

    /// Reads a message.
    ///
    /// # Errors
    /// The bytes are not such a message.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadMessage> {
        let mut from = Reader(bytes);
        let message = match from.byte()? {
            b'R' => {
                let text = from.text()?;
                let notes = text.split('\n').filter(|note| !note.is_empty());
                FromWorker::Ready { notes: notes.map(str::to_owned).collect() }
            }
            b'U' => FromWorker::Unfit { reason: from.text()? },
            b'K' => FromWorker::Ask(Ask::decode(&mut from)?),
            b'O' => FromWorker::Told(Told::decode(&mut from)?),
            b'E' => FromWorker::Returned(take_interface(&mut from)?),
            b'A' => {
                let (code, program) = (from.array()?, from.array()?);
                let last = from.flag()?;
                FromWorker::Abended { code, program, last, message: from.text()? }
            }
            _ => return Err(BadMessage("expected a message of a worker")),
        };
        from.end(message)
    }
}

impl Ask {
    fn encode(&self, to: &mut Vec<u8>) {
        match self {
            Ask::Queue(ask) => {
                to.push(b'Q');
                ask.encode(to);
            }
            Ask::Syncpoint { rollback } => {
                to.push(b'S');
                to.push(u8::from(*rollback));
            }
            Ask::Enqueue(ask) => {
                to.push(b'N');
                ask.encode(to);
            }
            Ask::File(ask) => {
                to.push(b'F');
                ask.encode(to);
            }
            Ask::Transient(ask) => {
                to.push(b'T');
                ask.encode(to);
            }
            Ask::Start(ask) => {
                to.push(b'B');
                ask.encode(to);
            }
            Ask::Child(ask) => {
                to.push(b'H');
                ask.encode(to);
            }
            Ask::Counter(ask) => {
                to.push(b'Z');
                ask.encode(to);
            }
            Ask::Resource(ask) => {
                to.push(b'I');
                ask.encode(to);
            }
            Ask::Call(ask) => {
                to.push(b'L');
                ask.encode(to);
            }
            Ask::Message(ask) => {
                to.push(b'M');
                ask.encode(to);
            }
            Ask::Link(ask) => {
                to.push(b'P');
                ask.encode(to);
            }
            Ask::WebSent(answer) => {
                to.push(b'W');
                web::put_answer(to, answer);
            }
            Ask::RemoteQueue { sysid, ask } => {
                to.push(b'R');
                to.extend(sysid);
                ask.encode(to);
            }
            Ask::RemoteStart { sysid, ask } => {
                to.push(b'O');
                to.extend(sysid);
                ask.encode(to);
            }
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'Q' => Ok(Ask::Queue(QueueAsk::decode(from)?)),
            b'N' => Ok(Ask::Enqueue(EnqueueAsk::decode(from)?)),
            b'F' => Ok(Ask::File(FileAsk::decode(from)?)),
            b'T' => Ok(Ask::Transient(TransientAsk::decode(from)?)),
            b'P' => Ok(Ask::Link(LinkAsk::decode(from)?)),
            b'R' => Ok(Ask::RemoteQueue { sysid: from.array()?, ask: QueueAsk::decode(from)? }),
            b'O' => Ok(Ask::RemoteStart { sysid: from.array()?, ask: StartAsk::decode(from)? }),
            b'S' => Ok(Ask::Syncpoint { rollback: from.flag()? }),
            b'B' => Ok(Ask::Start(StartAsk::decode(from)?)),
            b'H' => Ok(Ask::Child(ChildAsk::decode(from)?)),
            b'Z' => Ok(Ask::Counter(CounterAsk::decode(from)?)),
            b'I' => Ok(Ask::Resource(ResourceAsk::decode(from)?)),
            b'L' => Ok(Ask::Call(CallAsk::decode(from)?)),
            b'M' => Ok(Ask::Message(MessageAsk::decode(from)?)),
            b'W' => Ok(Ask::WebSent(Box::new(web::take_answer(from)?))),
            _ => Err(BadMessage("expected something that a region knows")),
        }
    }
}

impl Answer {
    /// Adds it to a message.
    pub fn encode(&self, to: &mut Vec<u8>) {
        match self {
            Answer::Queue(answer) => {
                to.push(b'Q');
                answer.encode(to);
            }
            Answer::File(answer) => {
                to.push(b'F');
                answer.encode(to);
            }
            Answer::LongerKey { bytes } => {
                to.push(b'K');
                to.extend(bytes.to_le_bytes());
            }
            Answer::Transient(answer) => {
                to.push(b'X');
                answer.encode(to);
            }
            Answer::Linked(cargo) => {
                to.push(b'P');
                cargo.encode(to);
            }
            Answer::Done => to.push(b'D'),
            Answer::Enough => to.push(b'E'),
            Answer::Start(answer) => {
                to.push(b'B');
                answer.encode(to);
            }
            Answer::Child(answer) => {
                to.push(b'H');
                answer.encode(to);
            }
            Answer::Counter(answer) => {
                to.push(b'Z');
                answer.encode(to);
            }
            Answer::Resource(answer) => {
                to.push(b'I');
                answer.encode(to);
            }
            Answer::Call(answer) => {
                to.push(b'L');
                answer.encode(to);
            }
            Answer::Message(answer) => {
                to.push(b'M');
                answer.encode(to);
            }
            Answer::Condition { resp, resp2 } => {
                to.push(b'C');
                to.extend(resp.to_le_bytes());
                to.extend(resp2.to_le_bytes());
            }
            Answer::Abend { code, message } => {
                to.push(b'A');
                to.extend(code);
                put_bytes(to, message.as_bytes());
            }
        }
    }

    fn decode(kind: u8, from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match kind {
            b'Q' => Ok(Answer::Queue(QueueAnswer::decode(from)?)),
            b'F' => Ok(Answer::File(FileAnswer::decode(from)?)),
            b'K' => Ok(Answer::LongerKey { bytes: from.u32()? }),
            b'X' => Ok(Answer::Transient(TransientAnswer::decode(from)?)),
            b'P' => Ok(Answer::Linked(Cargo::decode(from)?)),
            b'D' => Ok(Answer::Done),
            b'E' => Ok(Answer::Enough),
            b'B' => Ok(Answer::Start(StartAnswer::decode(from)?)),
            b'H' => Ok(Answer::Child(ChildAnswer::decode(from)?)),
            b'Z' => Ok(Answer::Counter(CounterAnswer::decode(from)?)),
            b'I' => Ok(Answer::Resource(ResourceAnswer::decode(from)?)),
            b'L' => Ok(Answer::Call(CallAnswer::decode(from)?)),
            b'M' => Ok(Answer::Message(Box::new(MessageAnswer::decode(from)?))),
            b'C' => {
                let resp = u16::from_le_bytes(from.array()?);
                Ok(Answer::Condition { resp, resp2: from.u32()? })
            }
            b'A' => Ok(Answer::Abend { code: from.array()?, message: from.text()? }),
            _ => Err(BadMessage("expected a task or an answer")),
        }
    }
}

fn put_interface(to: &mut Vec<u8>, interface: &Interface) {
    match interface {
        Interface::None => to.push(0),
        Interface::Commarea(bytes) => {
            to.push(1);
            put_bytes(to, bytes);
        }
        Interface::Channel { name, containers } => {
            to.push(2);
            put_channel(to, name, containers);
        }
        Interface::Web(request) => {
            to.push(3);
            web::put_request(to, request);
        }
        Interface::WebAnswer(answer) => {
            to.push(4);
            web::put_answer(to, answer);
        }
    }
}

fn put_channel(to: &mut Vec<u8>, name: &Name<16>, containers: &[Container]) {
    to.extend(name);
    put_containers(to, containers);
}

fn put_containers(to: &mut Vec<u8>, containers: &[Container]) {
    to.extend((containers.len() as u32).to_le_bytes());
    for container in containers {
        to.extend(container.name);
        to.push(u8::from(container.ccsid.is_some()));
        to.extend(container.ccsid.unwrap_or_default().to_le_bytes());
        put_bytes(to, &container.bytes);
    }
}

fn take_interface(from: &mut Reader<'_>) -> Result<Interface, BadMessage> {
    match from.byte()? {
        0 => Ok(Interface::None),
        1 => {
            let bytes = from.bytes()?;
            match bytes.len() <= COMMAREA_MAX_BYTES {
                true => Ok(Interface::Commarea(bytes)),
                false => Err(BadMessage("expected a commarea of at most 32,763 bytes")),
            }
        }
        2 => {
            let (name, containers) = take_channel(from)?;
            Ok(Interface::Channel { name, containers })
        }
        3 => Ok(Interface::Web(Box::new(web::take_request(from)?))),
        4 => Ok(Interface::WebAnswer(Box::new(web::take_answer(from)?))),
        _ => Err(BadMessage("expected a commarea, a channel, a request over HTTP or its answer, or nothing")),
    }
}

fn take_channel(from: &mut Reader<'_>) -> Result<(Name<16>, Vec<Container>), BadMessage> {
    Ok((from.array()?, take_containers(from)?))
}

fn take_containers(from: &mut Reader<'_>) -> Result<Vec<Container>, BadMessage> {
    let count = from.u32()? as usize;
    if count > CONTAINERS_MAX {
        return Err(BadMessage("expected at most 65,535 containers"));
    }
    let mut containers = Vec::new();
    for _ in 0..count {
        let (name, ccsid) = (from.array()?, from.optional_u16()?);
        containers.push(Container { name, ccsid, bytes: from.bytes()? });
    }
    Ok(containers)
}
