//! The quick path: how a call costs no more than two switches between processes.
//!
//! - `pace.rs` knows which programs are quick. The region's thread waits for them at the bell.
//! - `batch.rs` takes tasks of one program that come at one time to a worker together. A word of the shared memory says
//!   which of them have begun. The others can be taken back.
//! - `processors.rs` keeps threads that wait for each other on one processor.

pub(crate) mod batch;
pub(crate) mod pace;
pub(crate) mod processors;
