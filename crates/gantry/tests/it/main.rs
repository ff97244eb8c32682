//! The binary from outside: processes, real sockets, exact answers.

mod bodies;
mod certificates;
mod check;
mod client;
mod connections;
mod contract;
mod deploy;
mod documents;
mod errors;
mod folder;
mod from_schema;
mod heads;
mod http;
mod http2;
mod import;
mod limits;
mod mapping;
mod performance;
mod process;
mod record;
mod reload;
mod responses;
mod security;
mod shutdown;
mod tls;
mod zos_connect;
