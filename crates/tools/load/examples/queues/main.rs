//! Drives queues over HTTP, of the gateway or of another broker, and checks every message that comes back.
//!
//! Clients are threads, each with a connection that stays. Every body is unique. Each message must come back once, whole and
//! in order. What was measured is printed as one line of JSON. `perf/queues.py` starts the brokers and calls it.

mod brokers;
mod http;
mod measure;
mod waits;
mod work;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use brokers::Dialect;
use clap::{Parser, ValueEnum};

#[derive(Clone, Debug, Parser)]
pub(crate) struct Options {
    /// Where the broker listens
    #[arg(long)]
    address: SocketAddr,
    #[arg(long, value_enum)]
    dialect: Dialect,
    #[arg(long, value_enum)]
    mode: Mode,
    /// A header of every request, such as "cookie: ..."; may be given several times
    #[arg(long = "header")]
    headers: Vec<String>,
    #[arg(long, default_value_t = 1)]
    clients: usize,
    #[arg(long, default_value_t = 1.0)]
    warmup_s: f64,
    #[arg(long, default_value_t = 5.0)]
    duration_s: f64,
    /// Messages or waits, for modes that do so many
    #[arg(long, default_value_t = 10_000)]
    count: usize,
    /// Bytes of a body
    #[arg(long, default_value_t = 1024)]
    bytes: usize,
    /// The leader of the broker's processes, whose CPU time is read
    #[arg(long)]
    group: u32,
    /// The queue of modes that use one
    #[arg(long, default_value = "DEEP")]
    queue: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Each client: put 50 bytes, get them, put 1 KiB, get it; on queues of its own
    RoundTrip,
    /// A client puts a request and waits for its reply; as many others get requests and put replies
    Exchange,
    /// As `exchange`, by one call of a two-way service
    TwoWay,
    /// Puts, for the duration
    Put,
    /// Gets so many, in the order in which each client has put
    Get,
    /// Puts and gets of the same message by its id
    GetById,
    /// Puts so many
    Fill,
    /// So many waiting gets; then a put wakes one
    Waits,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match options.mode {
        Mode::Waits => waits::run(&options),
        _ => work::run(&options),
    };
    match outcome {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("queues: {text}");
            ExitCode::FAILURE
        }
    }
}

impl Options {
    fn warmup(&self) -> Duration {
        Duration::from_secs_f64(self.warmup_s)
    }

    fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.duration_s)
    }
}
