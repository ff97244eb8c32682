//! What two regions say to each other over a link, as bytes.
//!
//! The other region is not believed: [`Message::decode`] takes any bytes, and gives a message or a fault. Numbers have
//! their lowest byte first; texts and data have their length in four bytes before them.
//!
//! Deliberately absent: how messages travel between regions, and what a region does with them.

use store::{Decision, GlobalId};
use wire::bytes::{Reader, put_bytes, put_optional_name};
use wire::{BadMessage, Cargo, Name, QueueAnswer, QueueAsk, StartAnswer, StartAsk};

/// The version of the protocol; regions of different versions do not link.
pub const VERSION: u16 = 4;

/// How a connection begins, so that something else on the socket is found out at once.
const MAGIC: [u8; 4] = *b"GRGL";

/// The longest name of a coordinator, in bytes.
pub const COORDINATOR_MAX_BYTES: usize = 64;

/// The longest name of a user, in bytes.
pub const USER_MAX_BYTES: usize = 256;

/// The most units in doubt that one answer lists; the others are asked for again.
pub const IN_DOUBT_MAX: usize = 1_000;

/// A secret that a welcomed region opens its sessions with.
pub type Token = [u8; 16];

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The first message of the region that connects.
    Hello(Hello),
    /// The first message of the other one.
    Welcome {
        /// Who it is.
        hello: Hello,
        /// The token from the welcome.
        token: Token,
    },
    /// The first message of a session, a further connection of a region that was welcomed; the other one says
    /// [`Pong`](Message::Pong). From then on there are requests alone, one at a time, each with its answer.
    Session {
        /// The other region's token from its welcome.
        token: Token,
    },
    /// In place of [`Welcome`](Message::Welcome), before the connection ends.
    Refused {
        /// Why.
        reason: String,
    },
    /// Something to be done.
    Request {
        /// The number of its answer. No two waiting requests of a connection have the same one.
        id: u64,
        /// The request.
        request: Request,
    },
    /// The answer to a request.
    Answer {
        /// The request's id.
        id: u64,
        /// The answer.
        answer: Answer,
    },
    /// The caller no longer waits for the answer: the request is ended and backed out.
    Cancel {
        /// The request's id.
        id: u64,
    },
    /// Backs a unit of work out. There is no answer.
    Forget {
        /// The unit.
        unit: GlobalId,
    },
    /// Are you there?
    Ping,
    /// I am.
    Pong,
    /// On a session: from now on the caller waits for answers on this processor of the machine. There is no
    /// answer.
    At {
        /// Its number, as the kernel counts them; 65,535 if it does not matter.
        processor: u16,
    },
}

/// Who a region is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The version of the protocol that it speaks.
    pub version: u16,
    /// Its system id.
    pub sysid: Name<4>,
    /// Its application id.
    pub applid: Name<8>,
    /// The code page of text in its programs.
    pub ccsid: u16,
}

/// A request of a region to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// LINK.
    Link(Box<Link>),
    /// A command on a temporary storage queue, as a part of a unit of work.
    Queue {
        /// The unit.
        unit: InUnit,
        /// The command.
        ask: QueueAsk,
    },
    /// START or CANCEL.
    Start(Box<Start>),
    /// The first phase of two-phase commit.
    Prepare {
        /// The unit.
        unit: GlobalId,
        /// The name of the store that decides.
        coordinator: String,
    },
    /// The second phase.
    Decide {
        /// The unit.
        unit: GlobalId,
        /// How it ends.
        decision: Decision,
    },
    /// Which units wait here for a decision of this store?
    InDoubt {
        /// The store's name.
        coordinator: String,
    },
}

/// The unit of work that a request belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InUnit {
    /// The unit.
    pub id: GlobalId,
    /// An answer of the other region has said that it holds something of the unit. If it knows nothing of the unit, it has
    /// backed that out: it does nothing more for it, and says [`UnitUnknown`](Answer::UnitUnknown).
    pub is_there: bool,
}

/// LINK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The unit of work that the program joins. None if its changes are committed when it returns.
    pub unit: Option<InUnit>,
    /// The program.
    pub program: Name<8>,
    /// The transaction that it runs under, if the caller names one.
    pub transaction: Option<Name<4>>,
    /// The whole name of the caller, if it is known.
    pub user: Option<Box<str>>,
    /// How long the caller waits, in milliseconds.
    pub remaining_ms: u32,
    /// The data for the program.
    pub cargo: Cargo,
}

/// START or CANCEL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The unit of work that the command belongs to: a task that is started with PROTECT begins when it commits. None if
    /// the command is done at once, whatever becomes of the caller.
    pub unit: Option<InUnit>,
    /// The whole name of the user of the task that is started.
    pub user: Option<Box<str>>,
    /// The command.
    pub ask: StartAsk,
}

/// The answer to a [`Request`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The program has returned.
    Linked {
        /// The data that the program gives back.
        cargo: Cargo,
        /// The unit of work has changes or locks here, so that its end must be sent.
        held: bool,
    },
    /// The command on a queue is done.
    Queue {
        /// The answer of the queue's region.
        answer: QueueAnswer,
        /// As with [`Linked`](Answer::Linked).
        held: bool,
    },
    /// START or CANCEL is done.
    Start {
        /// The answer of the task's region.
        answer: StartAnswer,
        /// As with [`Linked`](Answer::Linked).
        held: bool,
    },
    /// A condition.
    Condition {
        /// Its number.
        resp: u16,
        /// The reason.
        resp2: u32,
        /// As with [`Linked`](Answer::Linked).
        held: bool,
    },
    /// An abend: of the unit of work nothing is left.
    Abend {
        /// The abend code.
        code: Name<4>,
        /// A description for operators.
        message: String,
    },
    /// The unit of work is missing here. Its changes here were backed out, so that all of it must be.
    UnitUnknown,
    /// The answer to [`Prepare`](Request::Prepare).
    Vote {
        /// Changes and locks are on disk, and the decision must be sent. False if there was nothing to
        /// commit.
        prepared: bool,
    },
    /// The decision is carried out, or was before.
    Decided {
        /// An operator had forced the other one.
        contradicts: bool,
    },
    /// The units in doubt, at most [`IN_DOUBT_MAX`].
    InDoubt {
        /// Their ids.
        units: Vec<GlobalId>,
    },
}

impl Message {
    /// Adds the message's bytes.
    pub fn encode(&self, to: &mut Vec<u8>) {
        match self {
            Message::Hello(hello) => hello.encode(b'H', to),
            Message::Welcome { hello, token } => {
                hello.encode(b'W', to);
                to.extend(token);
            }
            Message::Session { token } => {
                to.push(b'S');
                to.extend(token);
            }
            Message::Refused { reason } => {
                to.push(b'X');
                put_bytes(to, reason.as_bytes());
            }
            Message::Request { id, request } => {
                to.push(b'Q');
                to.extend(id.to_le_bytes());
                request.encode(to);
            }
            Message::Answer { id, answer } => {
                to.push(b'A');
                to.extend(id.to_le_bytes());
                answer.encode(to);
            }
            Message::Cancel { id } => {
                to.push(b'C');
                to.extend(id.to_le_bytes());
            }
            Message::Forget { unit } => {
                to.push(b'F');
                put_bytes(to, unit.bytes());
            }
            Message::Ping => to.push(b'P'),
            Message::Pong => to.push(b'O'),
            Message::At { processor } => {
                to.push(b'T');
                to.extend(processor.to_le_bytes());
            }
        }
    }

    /// Reads a message.
    ///
    /// # Errors
    /// The bytes are not a message of this kind.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadMessage> {
        let mut from = Reader(bytes);
        let message = match from.byte()? {
            b'H' => Message::Hello(Hello::decode(&mut from)?),
            b'W' => Message::Welcome { hello: Hello::decode(&mut from)?, token: from.array()? },
            b'S' => Message::Session { token: from.array()? },
            b'X' => Message::Refused { reason: text(&mut from)? },
            b'Q' => Message::Request { id: number(&mut from)?, request: Request::decode(&mut from)? },
            b'A' => Message::Answer { id: number(&mut from)?, answer: Answer::decode(&mut from)? },
            b'C' => Message::Cancel { id: number(&mut from)? },
            b'F' => Message::Forget { unit: unit(&mut from)? },
            b'P' => Message::Ping,
            b'O' => Message::Pong,
            b'T' => Message::At { processor: u16::from_le_bytes(from.array()?) },
            _ => return Err(BadMessage("expected a message of a link")),
        };
        from.end(message)
    }
}

impl Hello {
    fn encode(&self, kind: u8, to: &mut Vec<u8>) {
        to.push(kind);
        to.extend(MAGIC);
        to.extend(self.version.to_le_bytes());
        to.extend(self.sysid);
        to.extend(self.applid);
        to.extend(self.ccsid.to_le_bytes());
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        if from.array()? != MAGIC {
            return Err(BadMessage("expected a region on the other side of the link"));
        }
        Ok(Hello {
            version: u16::from_le_bytes(from.array()?),
            sysid: from.array()?,
            applid: from.array()?,
            ccsid: u16::from_le_bytes(from.array()?),
        })
    }
}

impl Request {
    fn encode(&self, to: &mut Vec<u8>) {
        match self {
            Request::Link(link) => {
                to.push(b'L');
                put_in_unit(to, link.unit.as_ref());
                to.extend(link.program);
                put_optional_name(to, link.transaction);
                put_user(to, link.user.as_deref());
                to.extend(link.remaining_ms.to_le_bytes());
                link.cargo.encode(to);
            }
            Request::Queue { unit, ask } => {
                to.push(b'Q');
                put_in_unit(to, Some(unit));
                ask.encode(to);
            }
            Request::Start(start) => {
                to.push(b'S');
                put_in_unit(to, start.unit.as_ref());
                put_user(to, start.user.as_deref());
                start.ask.encode(to);
            }
            Request::Prepare { unit, coordinator } => {
                to.push(b'P');
                put_bytes(to, unit.bytes());
                put_bytes(to, coordinator.as_bytes());
            }
            Request::Decide { unit, decision } => {
                to.push(b'D');
                put_bytes(to, unit.bytes());
                to.push(u8::from(*decision == Decision::Commit));
            }
            Request::InDoubt { coordinator } => {
                to.push(b'I');
                put_bytes(to, coordinator.as_bytes());
            }
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'L' => Ok(Request::Link(Box::new(Link {
                unit: in_unit(from)?,
                program: from.array()?,
                transaction: from.optional_name()?,
                user: user(from)?,
                remaining_ms: from.u32()?,
                cargo: Cargo::decode(from)?,
            }))),
            b'Q' => {
                let unit = in_unit(from)?.ok_or(BadMessage("expected the id of a unit of work"))?;
                Ok(Request::Queue { unit, ask: QueueAsk::decode(from)? })
            }
            b'S' => Ok(Request::Start(Box::new(Start {
                unit: in_unit(from)?,
                user: user(from)?,
                ask: StartAsk::decode(from)?,
            }))),
            b'P' => Ok(Request::Prepare { unit: unit(from)?, coordinator: coordinator(from)? }),
            b'D' => {
                let unit = unit(from)?;
                let decision = if from.flag()? { Decision::Commit } else { Decision::Abort };
                Ok(Request::Decide { unit, decision })
            }
            b'I' => Ok(Request::InDoubt { coordinator: coordinator(from)? }),
            _ => Err(BadMessage("expected a request of a region")),
        }
    }
}

impl Answer {
    fn encode(&self, to: &mut Vec<u8>) {
        match self {
            Answer::Linked { cargo, held } => {
                to.push(b'L');
                to.push(u8::from(*held));
                cargo.encode(to);
            }
            Answer::Queue { answer, held } => {
                to.push(b'Q');
                to.push(u8::from(*held));
                answer.encode(to);
            }
            Answer::Start { answer, held } => {
                to.push(b'S');
                to.push(u8::from(*held));
                answer.encode(to);
            }
            Answer::Condition { resp, resp2, held } => {
                to.push(b'C');
                to.push(u8::from(*held));
                to.extend(resp.to_le_bytes());
                to.extend(resp2.to_le_bytes());
            }
            Answer::Abend { code, message } => {
                to.push(b'A');
                to.extend(code);
                put_bytes(to, message.as_bytes());
            }
            Answer::UnitUnknown => to.push(b'U'),
            Answer::Vote { prepared } => to.extend([b'V', u8::from(*prepared)]),
            Answer::Decided { contradicts } => to.extend([b'D', u8::from(*contradicts)]),
            Answer::InDoubt { units } => {
                to.push(b'I');
                to.extend((units.len() as u32).to_le_bytes());
                units.iter().for_each(|unit| put_bytes(to, unit.bytes()));
            }
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'L' => Ok(Answer::Linked { held: from.flag()?, cargo: Cargo::decode(from)? }),
            b'Q' => Ok(Answer::Queue { held: from.flag()?, answer: QueueAnswer::decode(from)? }),
            b'S' => Ok(Answer::Start { held: from.flag()?, answer: StartAnswer::decode(from)? }),
            b'C' => {
                let held = from.flag()?;
                let resp = u16::from_le_bytes(from.array()?);
                Ok(Answer::Condition { resp, resp2: from.u32()?, held })
            }
            b'A' => Ok(Answer::Abend { code: from.array()?, message: text(from)? }),
            b'U' => Ok(Answer::UnitUnknown),
            b'V' => Ok(Answer::Vote { prepared: from.flag()? }),
            b'D' => Ok(Answer::Decided { contradicts: from.flag()? }),
            b'I' => {
                let count = from.u32()? as usize;
                if count > IN_DOUBT_MAX {
                    return Err(BadMessage("expected at most 1,000 units in doubt"));
                }
                let units = (0..count).map(|_| unit(from)).collect::<Result<_, _>>()?;
                Ok(Answer::InDoubt { units })
            }
            _ => Err(BadMessage("expected an answer of a region")),
        }
    }
}

fn number(from: &mut Reader<'_>) -> Result<u64, BadMessage> {
    Ok(u64::from_le_bytes(from.array()?))
}

fn text(from: &mut Reader<'_>) -> Result<String, BadMessage> {
    String::from_utf8(from.bytes()?).map_err(|_| BadMessage("expected text in UTF-8"))
}

fn coordinator(from: &mut Reader<'_>) -> Result<String, BadMessage> {
    let name = text(from)?;
    match (1..=COORDINATOR_MAX_BYTES).contains(&name.len()) {
        true => Ok(name),
        false => Err(BadMessage("expected the name of a coordinator, of 1 to 64 bytes")),
    }
}

fn unit(from: &mut Reader<'_>) -> Result<GlobalId, BadMessage> {
    optional_unit(from)?.ok_or(BadMessage("expected the id of a unit of work"))
}

/// A name has a byte at least, so that a length of 0 is nobody.
fn put_user(to: &mut Vec<u8>, user: Option<&str>) {
    put_bytes(to, user.unwrap_or_default().as_bytes());
}

fn user(from: &mut Reader<'_>) -> Result<Option<Box<str>>, BadMessage> {
    let length = from.u32()? as usize;
    if length > USER_MAX_BYTES {
        return Err(BadMessage("expected a user's name of at most 256 bytes"));
    }
    let text = std::str::from_utf8(from.take(length)?);
    let text = text.map_err(|_| BadMessage("expected a user's name in UTF-8"))?;
    Ok((!text.is_empty()).then(|| text.into()))
}

/// Without a unit, a length of 0 and nothing else.
fn put_in_unit(to: &mut Vec<u8>, unit: Option<&InUnit>) {
    put_bytes(to, unit.map_or(&[], |unit| unit.id.bytes()));
    to.extend(unit.map(|unit| u8::from(unit.is_there)));
}

fn in_unit(from: &mut Reader<'_>) -> Result<Option<InUnit>, BadMessage> {
    let Some(id) = optional_unit(from)? else { return Ok(None) };
    Ok(Some(InUnit { id, is_there: from.flag()? }))
}

fn optional_unit(from: &mut Reader<'_>) -> Result<Option<GlobalId>, BadMessage> {
    let length = from.u32()? as usize;
    let bytes = from.take(length)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    GlobalId::new(bytes).map(Some).map_err(|_| BadMessage("expected the id of a unit of at most 128 bytes"))
}
