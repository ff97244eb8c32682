//! The sections of this crate: `[[interceptor]]`, `policy` and the rule sets, `[interceptors]` of an API, and `[traces]`.

mod interceptors;
#[cfg(feature = "wasm")]
mod module;
mod traces;
mod written;

pub use interceptors::{Around, Interceptors};
pub use traces::TracesSection;
pub use written::{ChainSection, InterceptorSection};

use settings::{GANTRY_FILE, Retired};

use crate::traces::{BATCH_MAX_SPANS, BATCH_WAIT};

/// The retired keys of a file.
#[must_use]
pub fn retired_keys(path: &str) -> Vec<Retired> {
    if path != GANTRY_FILE {
        return Vec::new();
    }
    let key = |place, constant| Retired { place, constant };
    vec![
        key(&["interceptor", "answer_max_bytes"], interceptors::ANSWER_MAX_BYTES as u128),
        key(&["traces", "batch_max_spans"], BATCH_MAX_SPANS as u128),
        key(&["traces", "batch_wait_ms"], BATCH_WAIT.as_millis()),
    ]
}
