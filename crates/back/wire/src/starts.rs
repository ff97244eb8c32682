//! Requests of programs about tasks that start at a time: START, RETRIEVE, CANCEL, and DELAY where it can be
//! cancelled.

use super::bytes::{Reader, put_bytes, put_optional_name};
use super::{BadMessage, Interface, Name, put_interface, take_interface};

/// A command on started tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartAsk {
    /// START.
    Start(Start),
    /// RETRIEVE of the data that the task was started with.
    Retrieve(WantedData),
    /// CANCEL.
    Cancel {
        /// The name of the request to cancel.
        request: Name<8>,
    },
    /// DELAY with REQID.
    Delay {
        /// The name for CANCEL.
        request: Name<8>,
        /// How long the task waits.
        milliseconds: u64,
    },
}

/// A task to be started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The transaction.
    pub transaction: Name<4>,
    /// The time until it begins, in milliseconds.
    pub milliseconds: u64,
    /// REQID; the region makes one if it is missing.
    pub request: Option<Name<8>>,
    /// USERID.
    pub user: Option<Name<8>>,
    /// The task is started when the unit of work commits, and not at all if it does not.
    pub protect: bool,
    /// The data for RETRIEVE.
    pub data: StartedData,
    /// Nothing, or the channel that the task gets.
    pub interface: Interface,
}

/// The data that a task was started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartedData {
    /// FROM.
    pub data: Option<Vec<u8>>,
    /// The data begin with function management headers.
    pub headers: bool,
    /// RTRANSID.
    pub return_transaction: Option<Name<4>>,
    /// RTERMID.
    pub return_terminal: Option<Name<4>>,
    /// QUEUE.
    pub queue: Option<Name<8>>,
}

/// The parts of [`StartedData`] that RETRIEVE wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedData {
    /// INTO or SET.
    pub data: bool,
    /// RTRANSID.
    pub return_transaction: bool,
    /// RTERMID.
    pub return_terminal: bool,
    /// QUEUE.
    pub queue: bool,
}

/// The answer to a [`StartAsk`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartAnswer {
    /// The task will be started.
    Started {
        /// REQID, also where the region has made it.
        request: Name<8>,
    },
    /// The data for RETRIEVE.
    Retrieved(StartedData),
    /// It is cancelled, or the time is over.
    Done,
}

impl StartAsk {
    /// Adds it to a message.
    pub fn encode(&self, to: &mut Vec<u8>) {
        match self {
            StartAsk::Start(start) => {
                to.push(b'S');
                to.extend(start.transaction);
                to.extend(start.milliseconds.to_le_bytes());
                put_optional_name(to, start.request);
                put_optional_name(to, start.user);
                to.push(u8::from(start.protect));
                start.data.encode(to);
                put_interface(to, &start.interface);
            }
            StartAsk::Retrieve(wanted) => {
                let WantedData { data, return_transaction, return_terminal, queue } = *wanted;
                to.push(b'R');
                to.extend([data, return_transaction, return_terminal, queue].map(u8::from));
            }
            StartAsk::Cancel { request } => {
                to.push(b'C');
                to.extend(request);
            }
            StartAsk::Delay { request, milliseconds } => {
                to.push(b'D');
                to.extend(request);
                to.extend(milliseconds.to_le_bytes());
            }
        }
    }

    /// Takes it from a message.
    ///
    /// # Errors
    /// The bytes are not a request for a start.
    pub fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'S' => Ok(StartAsk::Start(Start {
                transaction: from.array()?,
                milliseconds: from.u64()?,
                request: from.optional_name()?,
                user: from.optional_name()?,
                protect: from.flag()?,
                data: StartedData::decode(from)?,
                interface: take_interface(from)?,
            })),
            b'R' => Ok(StartAsk::Retrieve(WantedData {
                data: from.flag()?,
                return_transaction: from.flag()?,
                return_terminal: from.flag()?,
                queue: from.flag()?,
            })),
            b'C' => Ok(StartAsk::Cancel { request: from.array()? }),
            b'D' => Ok(StartAsk::Delay { request: from.array()?, milliseconds: from.u64()? }),
            _ => Err(BadMessage("expected a command on started tasks")),
        }
    }
}

impl StartedData {
    fn encode(&self, to: &mut Vec<u8>) {
        to.push(u8::from(self.data.is_some()));
        put_bytes(to, self.data.as_deref().unwrap_or_default());
        to.push(u8::from(self.headers));
        put_optional_name(to, self.return_transaction);
        put_optional_name(to, self.return_terminal);
        put_optional_name(to, self.queue);
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let given = from.flag()?;
        let data = from.bytes()?;
        if !given && !data.is_empty() {
            return Err(BadMessage("expected no data in place of what is missing"));
        }
        Ok(Self {
            data: given.then_some(data),
            headers: from.flag()?,
            return_transaction: from.optional_name()?,
            return_terminal: from.optional_name()?,
            queue: from.optional_name()?,
        })
    }
}

impl StartAnswer {
    /// Adds it to a message.
    pub fn encode(&self, to: &mut Vec<u8>) {
        match self {
            StartAnswer::Started { request } => {
                to.push(b'S');
                to.extend(request);
            }
            StartAnswer::Retrieved(data) => {
                to.push(b'R');
                data.encode(to);
            }
            StartAnswer::Done => to.push(b'D'),
        }
    }

    /// Takes it from a message.
    ///
    /// # Errors
    /// The bytes are not an answer to a start.
    pub fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'S' => Ok(StartAnswer::Started { request: from.array()? }),
            b'R' => Ok(StartAnswer::Retrieved(StartedData::decode(from)?)),
            b'D' => Ok(StartAnswer::Done),
            _ => Err(BadMessage("expected an answer on started tasks")),
        }
    }
}
