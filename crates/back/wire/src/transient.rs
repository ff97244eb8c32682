//! Requests of programs about transient data queues.

use super::bytes::{Reader, put_bytes};
use super::{BadMessage, Name};

/// The most bytes of a record (CICS TS, WRITEQ TD).
pub const TRANSIENT_MAX_BYTES: usize = 32_763;

/// A command on a transient data queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransientAsk {
    /// WRITEQ TD.
    Write {
        /// The queue.
        queue: Name<4>,
        /// The record.
        data: Vec<u8>,
    },
    /// READQ TD.
    Read {
        /// The queue.
        queue: Name<4>,
        /// The task waits for records that another one has.
        waits: bool,
    },
    /// DELETEQ TD.
    Delete {
        /// The queue.
        queue: Name<4>,
    },
}

/// The record that READQ TD has read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransientAnswer {
    /// The record.
    pub data: Vec<u8>,
}

impl TransientAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            TransientAsk::Write { queue, data } => {
                to.push(b'W');
                to.extend(queue);
                put_bytes(to, data);
            }
            TransientAsk::Read { queue, waits } => {
                to.push(b'R');
                to.extend(queue);
                to.push(u8::from(*waits));
            }
            TransientAsk::Delete { queue } => {
                to.push(b'D');
                to.extend(queue);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        let (kind, queue) = (from.byte()?, from.array()?);
        match kind {
            b'W' => Ok(TransientAsk::Write { queue, data: from.bytes()? }),
            b'R' => Ok(TransientAsk::Read { queue, waits: from.flag()? }),
            b'D' => Ok(TransientAsk::Delete { queue }),
            _ => Err(BadMessage("expected a command on a transient data queue")),
        }
    }
}

impl TransientAnswer {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        put_bytes(to, &self.data);
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(TransientAnswer { data: from.bytes()? })
    }
}
