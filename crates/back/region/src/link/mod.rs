//! Links between regions: programs link to programs of other regions and use their queues, and units of work that are in
//! several regions end everywhere alike.
//!
//! Each region connects to those that it calls; a connection carries the requests of the region that made it. Between them
//! go messages ([`message`]) in frames ([`frame`]) that nobody believes. A task of this region has its [`partners`]; a task of
//! another region has a mirror here. The store of the region in which a unit of work began decides how it ends; a region to which
//! others vote ([`middle`]) passes that on.

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
mod recovery;
pub(crate) mod remote;
mod session;
pub(crate) mod session_thread;
pub(crate) mod shared;
mod starts;
mod stream;

pub use peers::LinkState;
