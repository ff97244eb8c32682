//! What the tasks of a region share, and what stays when its programs or limits change.

use std::sync::{Arc, Mutex};

use crate::board::Board;
use crate::counters::NamedCounters;
use crate::cursors::Cursors;
use crate::dumps::Writer;
use crate::durable::Durable;
use crate::operators::Operators;
use crate::queues::Queues;
use crate::settings::Settings;
use crate::starts::Starts;
use crate::surroundings::Around;
use crate::trace::Tracer;
use crate::triggers::Triggers;

/// The resources of a region.
#[derive(Debug)]
pub(crate) struct Resources {
    /// What operators can see.
    pub(crate) board: Arc<Board>,
    /// The temporary storage queues in memory.
    pub(crate) queues: Mutex<Queues>,
    /// The store of everything that is durable.
    pub(crate) durable: Durable,
    /// Where the readers of auxiliary queues are.
    pub(crate) cursors: Mutex<Cursors>,
    /// The named counters.
    pub(crate) counters: NamedCounters,
    /// The tasks that are to be started.
    pub(crate) starts: Arc<Starts>,
    /// Which transient data queues have had their tasks started.
    pub(crate) triggers: Triggers,
    /// What the operators were told.
    pub(crate) operators: Mutex<Operators>,
    /// The way out.
    pub(crate) around: Around,
    /// Tasks that are followed command by command.
    pub(crate) tracer: Tracer,
    /// Dumps of abends.
    pub(crate) dumps: Writer,
}

impl Resources {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            board: Arc::default(),
            queues: Mutex::new(Queues::new(settings.limits.queues_max_bytes)),
            durable: Durable::new(settings.store.clone()),
            cursors: Mutex::default(),
            counters: NamedCounters::default(),
            starts: Arc::default(),
            triggers: Triggers::default(),
            operators: Mutex::default(),
            around: Around::default(),
            tracer: Tracer::default(),
            dumps: Writer::default(),
        }
    }
}

impl Drop for Resources {
    fn drop(&mut self) {
        // The last that had to do with the region is gone: nobody takes numbers any more.
        if let Err(trouble) = self.counters.settle(&self.durable) {
            tracing::warn!("named counters go on with gaps: {}", trouble.message);
        }
    }
}
