//! The state of queues, for operators.

use std::sync::Arc;

use message::{Moment, QueueName, Refusal};
use store::ErrorKind;

use crate::definition::{Definition, QueueKind, Trigger};
use crate::manager::{Manager, Queue};

/// Counts of a queue since the manager was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages put and committed.
    pub puts: u64,
    /// Messages got and committed.
    pub gets: u64,
    /// Gets backed out.
    pub backouts: u64,
    /// Messages discarded because they had expired.
    pub expired: u64,
    /// Messages found damaged.
    pub damaged: u64,
    /// Reports about its messages that no queue could take.
    pub reports_lost: u64,
}

/// The state of a queue.
#[derive(Clone, Debug)]
pub struct Inquiry {
    /// Its name.
    pub name: QueueName,
    /// Its definition; none if it was dropped and still has messages.
    pub definition: Option<Arc<Definition>>,
    /// The trigger that is in force.
    pub trigger: Trigger,
    /// All its messages.
    pub depth: usize,
    /// Messages of units that have not ended, and damaged or expired ones.
    pub uncommitted: usize,
    /// The put time of the oldest message that can be got.
    pub oldest: Option<Moment>,
    /// Callers that wait for a message.
    pub waiters: usize,
    /// Bytes of its messages on disk.
    pub disk_bytes: u64,
    /// Bytes of its messages in memory.
    pub memory_bytes: u64,
    /// Its counts.
    pub counters: Counters,
}

impl Manager {
    /// The state of a queue. An alias has the state of its own name: it holds nothing.
    ///
    /// # Errors
    /// `UnknownObjectName`.
    pub fn inquire(&self, name: &QueueName) -> Result<Inquiry, Refusal> {
        match self.core.queue(name) {
            Some(queue) if queue.state().definition.is_some() || queue.state().index.depth() > 0 => {
                Ok(inquire(&queue))
            }
            _ => {
                let text = format!("{name}: there is no such queue");
                Err(Refusal::failed(message::Reason::UnknownObjectName, text))
            }
        }
    }

    /// All queues, by their names.
    #[must_use]
    pub fn inquire_all(&self) -> Vec<Inquiry> {
        let all = self.core.all_queues();
        let is_there = |queue: &Inquiry| queue.definition.is_some() || queue.depth > 0;
        all.iter().map(|queue| inquire(queue)).filter(is_there).collect()
    }

    /// True if the store takes units; false after its disk has failed. It reads from the store.
    #[must_use]
    pub fn is_working(&self) -> bool {
        let read = self.core.store.unit().and_then(|unit| unit.read(&self.core.defined, b"-"));
        !matches!(read, Err(error) if matches!(error.kind(), ErrorKind::Stopped | ErrorKind::Unknown))
    }

    /// The definition of a queue.
    ///
    /// # Errors
    /// `UnknownObjectName`.
    pub fn definition(&self, name: &QueueName) -> Result<Arc<Definition>, Refusal> {
        let inquiry = self.inquire(name)?;
        inquiry.definition.ok_or_else(|| {
            let text = format!("{name}: its definition was dropped");
            Refusal::failed(message::Reason::UnknownObjectName, text)
        })
    }
}

impl Inquiry {
    /// True if it can hold messages.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.definition.as_ref().is_none_or(|definition| definition.kind == QueueKind::Local)
    }
}

fn inquire(queue: &Queue) -> Inquiry {
    let state = queue.state();
    Inquiry {
        name: queue.name.clone(),
        definition: state.definition.clone(),
        trigger: state.trigger().cloned().unwrap_or_default(),
        depth: state.index.depth(),
        uncommitted: state.index.depth() - state.index.ready(),
        oldest: state.index.oldest(),
        waiters: state.waits.open(),
        disk_bytes: state.disk_bytes,
        memory_bytes: state.memory_bytes,
        counters: state.counters,
    }
}
