//! Requests of programs about child tasks, which run beside them: RUN TRANSID, FETCH CHILD, FETCH ANY and
//! FREE CHILD.

use super::bytes::Reader;
use super::{BadMessage, Interface, Name, put_interface, take_interface};

/// A parent's token for a child; it means nothing to other tasks.
pub type ChildToken = [u8; 16];

/// A command on child tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildAsk {
    /// RUN TRANSID.
    Run {
        /// The transaction.
        transaction: Name<4>,
        /// Nothing, or a copy of the channel.
        interface: Interface,
    },
    /// FETCH CHILD, or FETCH ANY without a child.
    Fetch {
        /// The child; none for any child that has ended.
        child: Option<ChildToken>,
        /// The longest wait of the task: 0 for no wait, none for no limit.
        milliseconds: Option<u64>,
        /// The program wants the child's channel.
        channel: bool,
    },
    /// FREE CHILD.
    Free {
        /// The child.
        child: ChildToken,
    },
}

/// The answer to a [`ChildAsk`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildAnswer {
    /// The child runs.
    Running {
        /// The child.
        child: ChildToken,
    },
    /// The child has ended.
    Fetched {
        /// The child.
        child: ChildToken,
        /// How.
        completion: Completion,
        /// Nothing, or the channel that it gave back, under the name that it had.
        interface: Interface,
    },
    /// The child is freed.
    Done,
}

/// How a child has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Its first program has returned.
    Normal,
    /// With an abend of this code.
    Abend(Name<4>),
}

impl ChildAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            ChildAsk::Run { transaction, interface } => {
                to.push(b'R');
                to.extend(transaction);
                put_interface(to, interface);
            }
            ChildAsk::Fetch { child, milliseconds, channel } => {
                to.push(b'F');
                super::bytes::put_optional_name(to, *child);
                super::bytes::put_optional_name(to, milliseconds.map(u64::to_le_bytes));
                to.push(u8::from(*channel));
            }
            ChildAsk::Free { child } => {
                to.push(b'D');
                to.extend(child);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'R' => Ok(ChildAsk::Run { transaction: from.array()?, interface: take_interface(from)? }),
            b'F' => Ok(ChildAsk::Fetch {
                child: from.optional_name()?,
                milliseconds: from.optional_name()?.map(u64::from_le_bytes),
                channel: from.flag()?,
            }),
            b'D' => Ok(ChildAsk::Free { child: from.array()? }),
            _ => Err(BadMessage("expected a command on child tasks")),
        }
    }
}

impl ChildAnswer {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            ChildAnswer::Running { child } => {
                to.push(b'R');
                to.extend(child);
            }
            ChildAnswer::Fetched { child, completion, interface } => {
                to.push(b'F');
                to.extend(child);
                match completion {
                    Completion::Normal => to.push(0),
                    Completion::Abend(code) => {
                        to.push(1);
                        to.extend(code);
                    }
                }
                put_interface(to, interface);
            }
            ChildAnswer::Done => to.push(b'D'),
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'R' => Ok(ChildAnswer::Running { child: from.array()? }),
            b'F' => Ok(ChildAnswer::Fetched {
                child: from.array()?,
                completion: match from.flag()? {
                    false => Completion::Normal,
                    true => Completion::Abend(from.array()?),
                },
                interface: take_interface(from)?,
            }),
            b'D' => Ok(ChildAnswer::Done),
            _ => Err(BadMessage("expected an answer on child tasks")),
        }
    }
}
