//! The way out from outside: a server on a real socket that misbehaves as a test wants, and exact requests.

mod exchange;
mod limits;
mod provider;
mod retries;
mod server;
mod targets;
mod tls;
mod tokens;
