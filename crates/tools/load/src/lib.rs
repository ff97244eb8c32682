//! Workload driver: clients with think time or requests at a rate, over HTTP or in frames, sweeps of the number of clients, the CPU cost of the
//! server, and a report with charts. It is a black box over the wire that depends on nothing else of Gantry.
//!
//! One thread drives all clients with one `epoll` loop and a precise timer. So the driver costs less per request than
//! the server that it measures. Deliberately absent: TLS, HTTP/2, redirects, cookies, pipelining.
//!
//! Reading order: [`cli`] (what was asked) makes a [`plan`]. The experiment runs each round as a [`step`] of the driver.
//! The driver's clients send a target's requests in turn, read answers with a [`reader`] ([`response`] for HTTP, [`frames`]) and
//! count in a [`tally`]. [`result`] holds what was measured;
//! [`report`] and [`chart`] draw it.
//!
//! [`programs`] does not measure over the wire. It measures at the [`door`] of a region. The crate `gantry` implements
//! [`door::Door`] in its module `load_door`, with a region of its own process. That door also leads to programs of
//! another region. [`group`] measures an endpoint group at a door of its own.

pub mod chart;
pub mod cli;
mod client;
mod clock;
pub mod door;
mod driver;
pub mod error;
mod experiment;
pub mod frames;
pub mod group;
pub mod interrupt;
pub mod machine;
pub mod metrics;
pub mod numbers;
pub mod plan;
pub mod process;
pub mod programs;
pub mod reader;
pub mod report;
pub mod response;
pub mod result;
pub mod stats;
pub mod step;
pub mod table;
pub mod tally;
pub mod wire;

pub use cli::{LoadArgs, run};
pub use error::{Error, ErrorKind};
