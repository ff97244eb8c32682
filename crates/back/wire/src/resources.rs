//! Requests of programs about the definitions and the state of a region: INQUIRE and SET.

use std::fmt;

use super::bytes::Reader;
use super::{BadMessage, Name, shown};

/// A command on a definition of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceAsk {
    /// INQUIRE TRANSACTION.
    Transaction(Wanted<4>),
    /// INQUIRE FILE.
    File(Wanted<8>),
    /// INQUIRE PROGRAM.
    Program(Wanted<8>),
    /// INQUIRE TASK.
    Task {
        /// Its number.
        number: u32,
    },
    /// SET FILE.
    SetFile {
        /// The file.
        file: Name<8>,
        /// OPEN or CLOSED.
        open: Option<bool>,
        /// ENABLED or DISABLED.
        enabled: Option<bool>,
    },
    /// QUERY SECURITY.
    Access {
        /// The resource.
        to: Guarded,
        /// True if the log shall have a refusal.
        log: bool,
    },
}

/// A resource that a user may or may not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// A program.
    Program(Name<8>),
    /// A transaction.
    Transaction(Name<4>),
    /// A file.
    File(Name<8>),
    /// A transient data queue.
    TransientQueue(Name<4>),
}

/// The level of access that a user has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// None: a rule keeps the user out.
    Nothing,
    /// READ: a rule lets the user in.
    Read,
    /// ALTER, the highest level: no rule guards the resource.
    Alter,
}

/// Which of all things of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<const N: usize> {
    /// The one of this name.
    Named(Name<N>),
    /// The first one from this name on, in the order of the names.
    From(Name<N>),
    /// The first one after this name.
    After(Name<N>),
}

/// The answer to a [`ResourceAsk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceAnswer {
    /// A transaction.
    Transaction(TransactionFacts),
    /// A file.
    File(FileFacts),
    /// A program.
    Program(ProgramFacts),
    /// A task.
    Task(TaskFacts),
    /// The access of the task's user.
    Access(Access),
}

/// A transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionFacts {
    /// Its name.
    pub name: Name<4>,
    /// Its first program; blanks if another region has it.
    pub program: Name<8>,
    /// Tasks may begin.
    pub enabled: bool,
    /// The region that has it; blanks if this one does.
    pub sysid: Name<4>,
    /// Its name there; blanks if this region has it.
    pub remote_name: Name<4>,
    /// The user of the region, for which it is defined.
    pub installed_by: Name<8>,
}

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramFacts {
    /// Its name.
    pub name: Name<8>,
    /// The region that has it; blanks if this one does.
    pub sysid: Name<4>,
    /// Its name there; blanks if this region has it.
    pub remote_name: Name<8>,
    /// The bytes of its library; 0 if another region has it.
    pub bytes: u32,
    /// Tasks that have begun with it.
    pub uses: u32,
    /// The user of the region, for which it is defined.
    pub installed_by: Name<8>,
}

/// A file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Its name.
    pub name: Name<8>,
    /// It is open.
    pub open: bool,
    /// Whether programs may use it.
    pub enabling: Enabling,
    /// Programs may READ, REWRITE, browse, WRITE and DELETE.
    pub allowed: [bool; 5],
    /// How it finds records.
    pub kind: FileKind,
    /// The length of a record, or the most that one may have.
    pub record_bytes: u32,
    /// All records have that length.
    pub fixed: bool,
    /// True if units of work commit and back out its changes.
    pub recoverable: bool,
    /// It is a path to the records of another file.
    pub is_path: bool,
}

/// Whether programs may use a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enabling {
    /// They may.
    #[default]
    Enabled,
    /// It was closed.
    Unenabled,
    /// It was disabled.
    Disabled,
}

/// How a file finds records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// By keys (KSDS, or a path).
    Keys {
        /// Where the key is in a record.
        offset: u32,
        /// How long it is.
        bytes: u32,
    },
    /// By addresses (ESDS).
    Addresses,
    /// By numbers (RRDS).
    Numbers,
}

/// A task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskFacts {
    /// The transaction.
    pub transaction: Name<4>,
    /// The program that it began with.
    pub program: Name<8>,
    /// The user that it runs under.
    pub user: Name<8>,
    /// Its ASSIGN STARTCODE.
    pub startcode: Name<2>,
    /// It waits for something.
    pub waits: bool,
}

impl ResourceAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            ResourceAsk::Transaction(wanted) => {
                to.push(b'T');
                wanted.encode(to);
            }
            ResourceAsk::File(wanted) => {
                to.push(b'F');
                wanted.encode(to);
            }
            ResourceAsk::Program(wanted) => {
                to.push(b'P');
                wanted.encode(to);
            }
            ResourceAsk::Task { number } => {
                to.push(b'K');
                to.extend(number.to_le_bytes());
            }
            ResourceAsk::SetFile { file, open, enabled } => {
                to.push(b'S');
                to.extend(file);
                to.extend([choice(*open), choice(*enabled)]);
            }
            ResourceAsk::Access { to: guarded, log } => {
                to.extend([b'A', u8::from(*log)]);
                guarded.encode(to);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'T' => Ok(ResourceAsk::Transaction(Wanted::decode(from)?)),
            b'F' => Ok(ResourceAsk::File(Wanted::decode(from)?)),
            b'P' => Ok(ResourceAsk::Program(Wanted::decode(from)?)),
            b'K' => Ok(ResourceAsk::Task { number: from.u32()? }),
            b'S' => Ok(ResourceAsk::SetFile {
                file: from.array()?,
                open: take_choice(from)?,
                enabled: take_choice(from)?,
            }),
            b'A' => Ok(ResourceAsk::Access { log: from.flag()?, to: Guarded::decode(from)? }),
            _ => Err(BadMessage("expected a command on what is defined")),
        }
    }
}

impl fmt::Display for Guarded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Guarded::Program(name) => write!(out, "the program {}", shown(name)),
            Guarded::Transaction(name) => write!(out, "the transaction {}", shown(name)),
            Guarded::File(name) => write!(out, "the file {}", shown(name)),
            Guarded::TransientQueue(name) => write!(out, "the transient data queue {}", shown(name)),
        }
    }
}

impl Guarded {
    fn encode(&self, to: &mut Vec<u8>) {
        let (kind, name) = match self {
            Guarded::Program(name) => (b'P', &name[..]),
            Guarded::Transaction(name) => (b'T', &name[..]),
            Guarded::File(name) => (b'F', &name[..]),
            Guarded::TransientQueue(name) => (b'Q', &name[..]),
        };
        to.push(kind);
        to.extend(name);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'P' => Ok(Guarded::Program(from.array()?)),
            b'T' => Ok(Guarded::Transaction(from.array()?)),
            b'F' => Ok(Guarded::File(from.array()?)),
            b'Q' => Ok(Guarded::TransientQueue(from.array()?)),
            _ => Err(BadMessage("expected a resource that users may use")),
        }
    }
}

impl<const N: usize> Wanted<N> {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        let (kind, name) = match self {
            Wanted::Named(name) => (b'=', name),
            Wanted::From(name) => (b'F', name),
            Wanted::After(name) => (b'>', name),
        };
        to.push(kind);
        to.extend(name);
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let (kind, name) = (from.byte()?, from.array()?);
        match kind {
            b'=' => Ok(Wanted::Named(name)),
            b'F' => Ok(Wanted::From(name)),
            b'>' => Ok(Wanted::After(name)),
            _ => Err(BadMessage("expected which one is wanted")),
        }
    }
}

impl ResourceAnswer {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            ResourceAnswer::Transaction(facts) => {
                to.push(b'T');
                to.extend(facts.name);
                to.extend(facts.program);
                to.push(u8::from(facts.enabled));
                to.extend(facts.sysid);
                to.extend(facts.remote_name);
                to.extend(facts.installed_by);
            }
            ResourceAnswer::File(facts) => {
                to.push(b'F');
                facts.encode(to);
            }
            ResourceAnswer::Program(facts) => {
                to.push(b'P');
                to.extend(facts.name);
                to.extend(facts.sysid);
                to.extend(facts.remote_name);
                to.extend(facts.bytes.to_le_bytes());
                to.extend(facts.uses.to_le_bytes());
                to.extend(facts.installed_by);
            }
            ResourceAnswer::Task(facts) => {
                to.push(b'K');
                to.extend(facts.transaction);
                to.extend(facts.program);
                to.extend(facts.user);
                to.extend(facts.startcode);
                to.push(u8::from(facts.waits));
            }
            ResourceAnswer::Access(access) => to.extend([b'A', *access as u8]),
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'T' => Ok(ResourceAnswer::Transaction(TransactionFacts {
                name: from.array()?,
                program: from.array()?,
                enabled: from.flag()?,
                sysid: from.array()?,
                remote_name: from.array()?,
                installed_by: from.array()?,
            })),
            b'F' => Ok(ResourceAnswer::File(FileFacts::decode(from)?)),
            b'P' => Ok(ResourceAnswer::Program(ProgramFacts {
                name: from.array()?,
                sysid: from.array()?,
                remote_name: from.array()?,
                bytes: from.u32()?,
                uses: from.u32()?,
                installed_by: from.array()?,
            })),
            b'K' => Ok(ResourceAnswer::Task(TaskFacts {
                transaction: from.array()?,
                program: from.array()?,
                user: from.array()?,
                startcode: from.array()?,
                waits: from.flag()?,
            })),
            b'A' => match from.byte()? {
                0 => Ok(ResourceAnswer::Access(Access::Nothing)),
                1 => Ok(ResourceAnswer::Access(Access::Read)),
                2 => Ok(ResourceAnswer::Access(Access::Alter)),
                _ => Err(BadMessage("expected the access of a user")),
            },
            _ => Err(BadMessage("expected what is defined")),
        }
    }
}

impl FileFacts {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.name);
        to.push(u8::from(self.open));
        to.push(self.enabling as u8);
        to.extend(self.allowed.map(u8::from));
        let (kind, offset, bytes) = match self.kind {
            FileKind::Keys { offset, bytes } => (b'K', offset, bytes),
            FileKind::Addresses => (b'A', 0, 0),
            FileKind::Numbers => (b'N', 0, 0),
        };
        to.push(kind);
        for number in [offset, bytes, self.record_bytes] {
            to.extend(number.to_le_bytes());
        }
        to.extend([self.fixed, self.recoverable, self.is_path].map(u8::from));
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let (name, open) = (from.array()?, from.flag()?);
        let enabling = match from.byte()? {
            0 => Enabling::Enabled,
            1 => Enabling::Unenabled,
            2 => Enabling::Disabled,
            _ => return Err(BadMessage("expected whether a file can be used")),
        };
        let mut allowed = [false; 5];
        for one in &mut allowed {
            *one = from.flag()?;
        }
        let kind = match (from.byte()?, from.u32()?, from.u32()?) {
            (b'K', offset, bytes) => FileKind::Keys { offset, bytes },
            (b'A', 0, 0) => FileKind::Addresses,
            (b'N', 0, 0) => FileKind::Numbers,
            _ => return Err(BadMessage("expected how a file finds records")),
        };
        let record_bytes = from.u32()?;
        let (fixed, recoverable, is_path) = (from.flag()?, from.flag()?, from.flag()?);
        Ok(Self { name, open, enabling, allowed, kind, record_bytes, fixed, recoverable, is_path })
    }
}

fn choice(chosen: Option<bool>) -> u8 {
    match chosen {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    }
}

fn take_choice(from: &mut Reader<'_>) -> Result<Option<bool>, BadMessage> {
    match from.byte()? {
        0 => Ok(None),
        1 => Ok(Some(false)),
        2 => Ok(Some(true)),
        _ => Err(BadMessage("expected a choice of two, or none")),
    }
}
