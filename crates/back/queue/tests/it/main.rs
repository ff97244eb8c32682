//! The queue manager on a store whose disk is simulated.

#[path = "../../../../disk/store/tests/it/disk.rs"]
#[allow(dead_code, reason = "the store's tests use all of it")]
mod disk;
mod doubt;
mod model;
mod operating;
mod publishing;
mod refusals;
mod reports;
mod setup;
mod waiting;
