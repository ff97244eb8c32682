//! A task on its way: a worker for it, the conversation with that, and how both end.

pub(crate) mod conversation;
pub(crate) mod copies;
pub(crate) mod ending;
pub(crate) mod idle;
pub(crate) mod memory;
pub(crate) mod output;
pub(crate) mod pool;
pub(crate) mod process;
pub(crate) mod ready;
pub(crate) mod turns;
