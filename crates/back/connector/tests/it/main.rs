//! Groups with real servers: each way in which a call can end.

mod calls;
mod floor;
mod judge;
mod reload;
mod room;
mod server;
mod shared;
mod storm;
mod tls;
