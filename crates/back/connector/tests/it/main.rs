//! Groups with real servers, and each possible end of a call.

mod calls;
mod floor;
mod judge;
mod one_way;
mod reload;
mod room;
mod server;
mod shared;
mod sockets;
mod storm;
mod stuck;
mod tls;
