//! Groups with real servers: each way in which a call can end.

mod calls;
mod reload;
mod server;
