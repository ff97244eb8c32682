//! The state that the tasks of a region share. It stays when programs or limits change.
//!
//! A task asks its region for something through its `Work` (`work.rs`). Each family of commands has one
//! module on both sides and in `wire`: its messages in `wire`, its part of the `Work` here, and its worker's
//! side in `commands/` of the crate `worker`. The families here are `temporary/`, `files/` with its alternate
//! indexes, `transient/` with its triggers, `counters/`, `enqueues.rs` and `messages.rs`, whose triggers
//! `message_triggers.rs` has. `system.rs` answers commands about definitions, with the names of
//! `catalogue.rs`.
//!
//! `unit.rs` is the task's unit of work in the store (`durable.rs`). It awaits locks and commits. Changes
//! that the store applies at once run where blocking is allowed. `trouble.rs` turns the store's errors into
//! conditions and abends.

pub(crate) mod catalogue;
pub(crate) mod counters;
pub(crate) mod durable;
pub(crate) mod enqueues;
pub(crate) mod files;
pub(crate) mod message_triggers;
pub(crate) mod messages;
pub(crate) mod operators;
pub(crate) mod system;
pub(crate) mod temporary;
pub(crate) mod transient;
pub(crate) mod trouble;
pub(crate) mod unit;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use message_calls::Opens;
use store::{Decision, GlobalId};

use crate::around::outward::Around;
use crate::resources::counters::NamedCounters;
use crate::resources::durable::Durable;
use crate::resources::message_triggers::MessageTriggers;
use crate::resources::operators::Operators;
use crate::resources::temporary::cursors::Cursors;
use crate::resources::temporary::main::Queues;
use crate::resources::transient::triggers::Triggers;
use crate::settings::Settings;
use crate::starts::Starts;
use crate::watching::board::Board;
use crate::watching::dumps::Writer;
use crate::watching::trace::Tracer;

/// The resources of a region.
#[derive(Debug)]
pub(crate) struct Resources {
    /// The figures for operators.
    pub(crate) board: Arc<Board>,
    /// The temporary storage queues in memory.
    pub(crate) queues: Mutex<Queues>,
    /// The store of everything that is durable.
    pub(crate) durable: Durable,
    /// Where the readers of auxiliary queues are.
    pub(crate) cursors: Mutex<Cursors>,
    /// Auxiliary queues are swept.
    pub(crate) sweeps: AtomicBool,
    /// The named counters.
    pub(crate) counters: NamedCounters,
    /// The tasks that are to be started.
    pub(crate) starts: Arc<Starts>,
    /// Which transient data queues have had their tasks started.
    pub(crate) triggers: Triggers,
    /// The messages to the operators.
    pub(crate) operators: Mutex<Operators>,
    /// The way out.
    pub(crate) around: Around,
    /// Queues of messages that tasks have open.
    pub(crate) opens: Opens,
    /// The starts of their triggers.
    pub(crate) message_triggers: MessageTriggers,
    /// Tasks that are followed command by command.
    pub(crate) tracer: Tracer,
    /// Dumps of abends.
    pub(crate) dumps: Writer,
}

impl Resources {
    /// A unit that was in doubt has ended in the store: its messages follow.
    pub(crate) fn settle_messages(&self, unit: &GlobalId, decision: Decision) {
        if let Some(manager) = self.around.queue_manager() {
            manager.settle_unit(unit, decision);
        }
    }

    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            board: Arc::default(),
            queues: Mutex::new(Queues::new(settings.limits.queues_max_bytes)),
            durable: Durable::new(settings.store.clone()),
            cursors: Mutex::default(),
            sweeps: AtomicBool::new(false),
            counters: NamedCounters::default(),
            starts: Arc::default(),
            triggers: Triggers::default(),
            operators: Mutex::default(),
            around: Around::default(),
            opens: Opens::default(),
            message_triggers: MessageTriggers::default(),
            tracer: Tracer::default(),
            dumps: Writer::default(),
        }
    }
}

impl Drop for Resources {
    fn drop(&mut self) {
        // The last user of the region is gone, so that no program takes numbers any more.
        if let Err(trouble) = self.counters.settle(&self.durable) {
            tracing::warn!("named counters go on with gaps: {}", trouble.message);
        }
    }
}
