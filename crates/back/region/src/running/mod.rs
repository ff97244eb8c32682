//! A task on its way: a worker for it, the conversation with that worker, and how both end.
//!
//! Region and worker share a sealed file in memory (`wire::area`) with one message in it. Two futexes (`wire::bells`)
//! say that a message is there. A region that does not wait at its futex uses a socket instead. The end of the socket
//! says that the other side is gone.
//!
//! - `idle.rs` has the workers that are free, and the tasks that wait for one.
//! - `turns.rs` says which tasks run and which wait.
//! - `memory.rs` limits the memory of workers.
//! - `conversation.rs` follows one task with the caller's own runtime. No thread stands between.
//! - `pool.rs` is the one thread that starts workers, watches how long their tasks take, and learns how they ended.

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
