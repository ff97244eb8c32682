//! What the tasks of a region share, and what stays when its programs or limits change.

use std::sync::Mutex;

use crate::cursors::Cursors;
use crate::durable::Durable;
use crate::queues::Queues;
use crate::settings::Settings;

/// The resources of a region.
#[derive(Debug)]
pub(crate) struct Resources {
    /// The temporary storage queues in memory.
    pub(crate) queues: Mutex<Queues>,
    /// The store of everything that is durable.
    pub(crate) durable: Durable,
    /// Where the readers of auxiliary queues are.
    pub(crate) cursors: Mutex<Cursors>,
}

impl Resources {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            queues: Mutex::new(Queues::new(settings.limits.queues_max_bytes)),
            durable: Durable::new(settings.store.clone()),
            cursors: Mutex::default(),
        }
    }
}
