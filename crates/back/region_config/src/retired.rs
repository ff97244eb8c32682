//! Keys of `[region]` that became constants.

use region::Limits;
use region::link::definition::LinkLimits;
use settings::{GANTRY_FILE, Retired};

/// The keys that are retired from one file.
#[must_use]
pub fn retired_keys(path: &str) -> Vec<Retired> {
    let key = |place, constant| Retired { place, constant };
    if path != GANTRY_FILE {
        return Vec::new();
    }
    let (limits, links) = (Limits::default(), LinkLimits::default());
    vec![
        key(&["region", "worker_area_bytes"], limits.area_bytes as u128),
        key(&["region", "starts_max_bytes"], limits.starts_max_bytes as u128),
        key(&["region", "task_children_max"], limits.children_max as u128),
        key(&["region", "counters_max"], limits.counters_max as u128),
        key(&["region", "counter_reserve"], limits.counter_reserve.into()),
        key(&["region", "operator_messages_max"], limits.operator_messages_max as u128),
        key(&["region", "display_line_max_bytes"], limits.display_line_max_bytes as u128),
        key(&["region", "links", "waiting_max"], links.waiting_max as u128),
        key(&["region", "links", "frame_max_bytes"], links.frame_max_bytes as u128),
        key(&["region", "links", "hello_max_ms"], links.hello_max.as_millis()),
        key(&["region", "links", "reconnect_max_ms"], links.reconnect_max.as_millis()),
    ]
}
