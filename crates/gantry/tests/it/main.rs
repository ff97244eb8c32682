//! The binary from outside: processes, real sockets, exact answers.

mod bodies;
mod check;
mod client;
mod documents;
mod errors;
mod folder;
mod http;
mod http2;
mod limits;
mod mapping;
mod performance;
mod process;
mod shutdown;
mod tls;
