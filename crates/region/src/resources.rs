//! What the tasks of a region share, and what stays when its programs or limits change.

use std::sync::Mutex;

use crate::queues::Queues;
use crate::settings::Limits;

/// The resources of a region.
#[derive(Debug)]
pub(crate) struct Resources {
    /// The temporary storage queues in memory.
    pub(crate) queues: Mutex<Queues>,
}

impl Resources {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { queues: Mutex::new(Queues::new(limits.queues_max_bytes)) }
    }
}
