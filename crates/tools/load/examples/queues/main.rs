//! Drives queues over HTTP, of the gateway or of another broker, and checks every message that comes back.
//!
//! Clients are threads, each with a connection that stays. Every body is unique. Each message must come back once, whole and
//! in order. The driver prints the results as one line of JSON. `perf/queues.py` starts the brokers and calls
//! the driver.

mod brokers;
mod http;
mod measure;
mod relay;
mod waits;
mod work;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use brokers::Dialect;
use clap::{Parser, ValueEnum};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

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
    /// A user and his password, USER:PASSWORD: each client logs in once, for a token
    #[arg(long)]
    login: Option<String>,
    /// Each client logs in again before every request and reply (modes `note` and `call`)
    #[arg(long, requires = "login")]
    login_each: bool,
    /// The broker speaks TLS as `localhost`, with this certificate or one of this authority (PEM)
    #[arg(long)]
    ca: Option<PathBuf>,
    /// A relay adds this time to each round trip; without it there is no relay
    #[arg(long)]
    delay_ms: Option<u64>,
    /// The path of the service of mode `call`
    #[arg(long, default_value = "/two-way/ask")]
    path: String,
    #[arg(long, default_value_t = 1)]
    clients: usize,
    #[arg(long, default_value_t = 1.0)]
    warmup_s: f64,
    #[arg(long, default_value_t = 5.0)]
    duration_s: f64,
    /// The number of messages or waits, for modes that have one
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
    /// A client puts a request and waits for its reply; for each such client, another one gets requests and
    /// puts replies
    Exchange,
    /// As `exchange`, by one call of a two-way service
    TwoWay,
    /// A client puts a request of 50 bytes and gets the reply of 1 KB, which a listener of the gateway puts
    Note,
    /// As `note`, by one call of a two-way service
    Call,
    /// Puts, for the duration
    Put,
    /// Gets this number of messages, in the order in which each client has put them
    Get,
    /// Puts and gets of the same message by its id
    GetById,
    /// Puts this number of messages
    Fill,
    /// So many waiting gets; then a put wakes one
    Waits,
}

fn main() -> ExitCode {
    let mut options = Options::parse();
    if let Some(delay_ms) = options.delay_ms {
        match relay::start(options.address, Duration::from_millis(delay_ms)) {
            Ok(address) => options.address = address,
            Err(text) => {
                eprintln!("queues: {text}");
                return ExitCode::FAILURE;
            }
        }
    }
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
    /// The settings of TLS; none for clear text.
    fn tls(&self) -> Result<Option<Arc<ClientConfig>>, String> {
        let Some(file) = &self.ca else { return Ok(None) };
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let certificate = CertificateDer::from_pem_file(file).map_err(|error| failed(&error))?;
        let mut roots = RootCertStore::empty();
        roots.add(certificate).map_err(|error| failed(&error))?;
        Ok(Some(Arc::new(ClientConfig::builder().with_root_certificates(roots).with_no_client_auth())))
    }

    fn warmup(&self) -> Duration {
        Duration::from_secs_f64(self.warmup_s)
    }

    fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.duration_s)
    }
}
