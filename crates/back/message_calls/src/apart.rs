//! Changes of queue definitions. A call makes them in a unit of work of its own, not in that of the task. They wait for the disk,
//! so they run on a thread that serves no requests. The program hears of the result before its next call.

use message::{QueueName, Reason};
use mqi::Fields;
use queue::{Definition, Manager};
use wire::Outgoing;

use crate::inquire;
use crate::options::Uses;

/// A change of definitions, and how the call goes on after it.
#[derive(Debug)]
pub struct Apart {
    change: Change,
    then: Then,
}

/// A change of definitions.
#[derive(Debug)]
pub(crate) enum Change {
    /// MQSET of a queue whose definition is in the store.
    Set { queue: QueueName, selectors: Vec<i32>, numbers: Vec<i32> },
    /// A permanent queue is made of a model.
    Make { model: QueueName, pattern: String },
    /// MQCLOSE deletes a permanent queue.
    Delete { queue: QueueName, purge: bool },
}

/// How a call goes on.
#[derive(Debug)]
pub(crate) enum Then {
    /// It is done.
    Answer,
    /// The queue that was made is opened.
    Open { object: Fields, uses: Uses },
    /// A message is put on the queue that was made.
    PutOne { object: Fields, message: Outgoing },
    /// The handle is closed.
    Close { handle: i32 },
}

/// The outcome of a change, and how the call goes on.
#[derive(Debug)]
pub struct Changed {
    /// The queue that was made, if one was.
    pub(crate) outcome: Result<Option<QueueName>, Reason>,
    pub(crate) then: Then,
}

impl Apart {
    pub(crate) fn new(change: Change, then: Then) -> Self {
        Self { change, then }
    }

    /// Changes the definitions. It waits for the disk.
    #[must_use]
    pub fn run(self, manager: &Manager) -> Changed {
        let Self { change, then } = self;
        Changed { outcome: change.run(manager), then }
    }
}

impl Change {
    fn run(self, manager: &Manager) -> Result<Option<QueueName>, Reason> {
        match self {
            Change::Set { queue, selectors, numbers } => {
                let inquiry = manager.inquire(&queue)?;
                let mut definition = Definition::clone(&*manager.definition(&queue)?);
                definition.attributes.trigger = inquiry.trigger;
                inquire::set(&mut definition.attributes, &selectors, &numbers)?;
                manager.define(definition, true)?;
                Ok(None)
            }
            Change::Make { model, pattern } => Ok(Some(manager.make_of_model(&model, &pattern)?)),
            Change::Delete { queue, purge } => {
                manager.delete(&queue, purge)?;
                Ok(None)
            }
        }
    }
}
