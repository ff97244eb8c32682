//! The worker's clock.

use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) use program::moment::{ABSTIME_MAX, Moment};

/// Now.
pub(crate) fn now() -> Moment {
    Moment::at(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}
