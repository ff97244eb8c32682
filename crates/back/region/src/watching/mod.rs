//! A region as operators see it: its tasks and their ends.
//!
//! All this costs a task that runs well next to nothing. A worker notes each command in the shared memory
//! (`wire::notes`), where the last ones outlive it. It tells more (`wire::Told`) only if its task is traced
//! (`trace.rs`) or abends.
//!
//! - `board.rs` has the figures, and `view.rs` the part of them that is shown. `files.rs` shows the files,
//!   and `contents.rs` tells whether their records have changed.
//! - `dumps/` writes the evidence of failed tasks, on a thread of its own.

pub(crate) mod board;
pub(crate) mod contents;
pub(crate) mod dumps;
pub(crate) mod files;
pub(crate) mod trace;
pub(crate) mod view;
pub(crate) mod waits;
