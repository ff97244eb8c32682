//! Requests of programs about names that they hold: ENQ and DEQ.

use super::BadMessage;
use super::bytes::{Reader, put_bytes};

/// The longest name, in bytes (CICS TS, ENQ).
pub const RESOURCE_MAX_BYTES: usize = 255;

/// ENQ or DEQ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnqueueAsk {
    /// ENQ.
    Enqueue {
        /// The name.
        resource: Vec<u8>,
        /// It is held until the task ends, not only until the next syncpoint.
        for_task: bool,
        /// The task waits if another one has it.
        waits: bool,
    },
    /// DEQ.
    Dequeue {
        /// The name.
        resource: Vec<u8>,
    },
}

impl EnqueueAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            EnqueueAsk::Enqueue { resource, for_task, waits } => {
                to.push(b'E');
                to.push(u8::from(*for_task));
                to.push(u8::from(*waits));
                put_bytes(to, resource);
            }
            EnqueueAsk::Dequeue { resource } => {
                to.push(b'D');
                put_bytes(to, resource);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'E' => {
                let (for_task, waits) = (from.flag()?, from.flag()?);
                Ok(EnqueueAsk::Enqueue { resource: from.bytes()?, for_task, waits })
            }
            b'D' => Ok(EnqueueAsk::Dequeue { resource: from.bytes()? }),
            _ => Err(BadMessage("expected ENQ or DEQ")),
        }
    }
}
