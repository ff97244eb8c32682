//! Requests of programs about temporary storage queues. Names of queues are without blanks at their ends.

use super::BadMessage;
use super::bytes::{Reader, put_bytes, put_optional};

/// The most bytes of an item (CICS TS, WRITEQ TS).
pub const ITEM_MAX_BYTES: usize = 32_763;

/// Where WRITEQ TS puts a new queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Location {
    /// In memory.
    #[default]
    Main,
    /// In the store, not recoverable.
    Auxiliary,
}

/// A command on a temporary storage queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueAsk {
    /// WRITEQ TS, of a new item, or in place of one.
    Write {
        /// The queue.
        queue: Vec<u8>,
        /// The item that is replaced.
        item: Option<i64>,
        /// The item's bytes.
        data: Vec<u8>,
        /// MAIN or AUXILIARY, if the program says so.
        location: Option<Location>,
    },
    /// READQ TS, of an item by its number, or of the next one.
    Read {
        /// The queue.
        queue: Vec<u8>,
        /// The item; none for the next one.
        item: Option<i64>,
    },
    /// DELETEQ TS.
    Delete {
        /// The queue.
        queue: Vec<u8>,
    },
}

/// The answer to a [`QueueAsk`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueAnswer {
    /// How many items the queue has.
    pub items: u32,
    /// The item that was written or read.
    pub item: u32,
    /// The bytes that were read.
    pub data: Vec<u8>,
}

impl QueueAsk {
    /// Adds it to a message.
    pub fn encode(&self, to: &mut Vec<u8>) {
        match self {
            QueueAsk::Write { queue, item, data, location } => {
                to.push(b'W');
                put_bytes(to, queue);
                put_optional(to, *item);
                put_bytes(to, data);
                to.push(match location {
                    None => 0,
                    Some(Location::Main) => 1,
                    Some(Location::Auxiliary) => 2,
                });
            }
            QueueAsk::Read { queue, item } => {
                to.push(b'R');
                put_bytes(to, queue);
                put_optional(to, *item);
            }
            QueueAsk::Delete { queue } => {
                to.push(b'D');
                put_bytes(to, queue);
            }
        }
    }

    /// Takes it from a message.
    ///
    /// # Errors
    /// The bytes are not a request for a queue.
    pub fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'W' => Ok(QueueAsk::Write {
                queue: from.bytes()?,
                item: from.optional()?,
                data: from.bytes()?,
                location: match from.byte()? {
                    0 => None,
                    1 => Some(Location::Main),
                    2 => Some(Location::Auxiliary),
                    _ => return Err(BadMessage("expected MAIN, AUXILIARY or neither")),
                },
            }),
            b'R' => Ok(QueueAsk::Read { queue: from.bytes()?, item: from.optional()? }),
            b'D' => Ok(QueueAsk::Delete { queue: from.bytes()? }),
            _ => Err(BadMessage("expected a command on a temporary storage queue")),
        }
    }
}

impl QueueAnswer {
    /// Adds it to a message.
    pub fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.items.to_le_bytes());
        to.extend(self.item.to_le_bytes());
        put_bytes(to, &self.data);
    }

    /// Takes it from a message.
    ///
    /// # Errors
    /// The bytes are not an answer of a queue.
    pub fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(QueueAnswer { items: from.u32()?, item: from.u32()?, data: from.bytes()? })
    }
}
