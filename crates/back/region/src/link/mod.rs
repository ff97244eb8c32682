//! Links between regions: programs link to programs of other regions and use their queues. Units of work that are in
//! several regions end everywhere alike.
//!
//! Each region connects to those that it calls. A connection carries the requests of the region that made it.
//! Messages ([`message`]) travel between them in frames ([`frame`]); each side checks everything in them.
//!
//! # The modules
//!
//! - `message.rs` and `frame.rs` are the protocol, without IO. `stream.rs` and `outbox.rs` are the transport.
//! - `peers.rs` is the way out: one `Connection` for each region, with the requests of many tasks on it.
//! - `caller.rs` is the way in. Its units of work are `Mirror`s.
//! - `session.rs` and `session_thread.rs` are further connections for quick requests, one at a time. The asking thread
//!   writes and reads itself. One thread of the other region carries out the requests. No other thread stands between.
//!
//! Everything but the sessions lives on one thread (`shared.rs`). But whoever has a message writes it to the socket itself, if
//! the socket takes it.
//!
//! # Units of work
//!
//! A task has its `Partners` (`partners.rs`): the regions that must hear how its unit of work ends.
//! `commit.rs` runs the two phases, with this region's store as coordinator. `recovery.rs` says which
//! decisions are sent after a break. The region that decides does it all; the other waits.
//!
//! A mirror whose program goes on to a further region has `Partners` too, under the same id. `middle.rs` prepares those
//! first. The store then keeps their names with its own record. So a unit is a tree, and each region asks only the one
//! above it. A region is in the tree once: a second way into it would be a second mirror, which waits for the locks of
//! the first.

mod border;
mod caller;
mod commit;
mod connection;
pub mod definition;
pub mod frame;
pub mod message;
mod middle;
mod mirror;
mod outbox;
pub(crate) mod partners;
mod peers;
mod quiet;
mod recovery;
pub(crate) mod remote;
mod session;
pub(crate) mod session_thread;
pub(crate) mod shared;
mod starts;
mod stream;

pub use peers::LinkState;
