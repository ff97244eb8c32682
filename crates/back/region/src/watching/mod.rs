//! What operators see of a region, its tasks and their ends.

pub(crate) mod board;
pub(crate) mod dumps;
pub(crate) mod readable;
pub(crate) mod trace;
pub(crate) mod view;
pub(crate) mod waits;
