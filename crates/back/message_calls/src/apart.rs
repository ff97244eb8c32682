//! Changes of queue definitions and subscriptions. A call makes them in a unit of work of its own, not in that of the task. They wait for the disk,
//! so they run on a thread that serves no requests. The program hears of the result before its next call.

use message::{QueueName, Reason};
use mqi::Fields;
use queue::{Definition, Manager, Subscription};
use wire::Outgoing;

use crate::inquire;
use crate::options::Uses;
use crate::subscribe::Subscribing;

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
    /// MQSUB makes a durable subscription, or changes one.
    Subscribe { subscription: Box<Subscription>, alters: bool },
    /// MQCLOSE removes a durable subscription.
    Unsubscribe { name: String },
}

/// The result of a change.
#[derive(Debug)]
pub(crate) enum Made {
    /// Nothing that the call needs.
    Nothing,
    /// A queue.
    Queue(QueueName),
    /// A subscription, or its new form.
    Subscription(Box<Subscription>),
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
    /// The program gets the handles of the subscription.
    Subscribe(Box<Subscribing>),
    /// The handle is closed.
    Close { handle: i32 },
}

/// The outcome of a change, and how the call goes on.
#[derive(Debug)]
pub struct Changed {
    pub(crate) outcome: Result<Made, Reason>,
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
    fn run(self, manager: &Manager) -> Result<Made, Reason> {
        match self {
            Change::Set { queue, selectors, numbers } => {
                let inquiry = manager.inquire(&queue)?;
                let mut definition = Definition::clone(&*manager.definition(&queue)?);
                definition.attributes.trigger = inquiry.trigger;
                inquire::set(&mut definition.attributes, &selectors, &numbers)?;
                manager.define(definition, true)?;
                Ok(Made::Nothing)
            }
            Change::Make { model, pattern } => Ok(Made::Queue(manager.make_of_model(&model, &pattern)?)),
            Change::Delete { queue, purge } => {
                manager.delete(&queue, purge)?;
                Ok(Made::Nothing)
            }
            Change::Subscribe { subscription, alters } => {
                let made = match alters {
                    true => manager.alter_subscription(*subscription)?,
                    false => manager.subscribe(*subscription)?,
                };
                Ok(Made::Subscription(Box::new(made)))
            }
            Change::Unsubscribe { name } => {
                manager.unsubscribe(&name)?;
                Ok(Made::Nothing)
            }
        }
    }
}
