//! The command line of the driver: what was written, turned into a [`Plan`] with every fault told in one line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use http::Method;

use crate::error::{Error, ErrorKind};
use crate::experiment;
use crate::frames::Framing;
use crate::plan::{
    CLIENTS_MAX_COUNT, Call, Endpoint, Expect, Plan, Protocol, REQUEST_BODY_MAX_BYTES, ROUNDS_MAX_COUNT,
    STEP_MAX_S, Server, THREADS_MAX_COUNT, Target, build_request,
};
use crate::reader::FRAME_STATUS;

/// Measures a server over HTTP or in frames: transaction rate, response time, CPU cost per transaction.
///
/// Without arguments it runs the canonical workload against http://127.0.0.1:2222: 1K and 4K responses, 100 to
/// 500 clients with 100 ms think time, three rounds (about six minutes).
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// The server to call, as NAME=URL or URL; may be given several times. tcp://HOST:PORT is a server of frames
    #[arg(long = "target", value_name = "NAME=URL")]
    pub targets: Vec<String>,
    /// Method of all requests [default: PUT with a body, GET without]
    #[arg(long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Request body, or @FILE; given once for all targets, or once for each in their order
    #[arg(long = "body", value_name = "TEXT|@FILE")]
    pub bodies: Vec<String>,
    /// How messages stand in the stream of tcp:// targets: length, with -2, -inclusive and -little as needed, llzz,
    /// delimiter:HEX or fixed:BYTES
    #[arg(long, value_name = "FRAMING", default_value = "length")]
    pub framing: String,
    /// Send 64 different messages of this number of bytes to tcp:// targets, instead of --body
    #[arg(long, value_name = "N", conflicts_with = "bodies")]
    pub message_bytes: Option<usize>,
    /// The expected reply of tcp:// targets, or @FILE; given once for all targets, or once for each
    #[arg(long = "expect-body", value_name = "TEXT|@FILE")]
    pub expect_bodies: Vec<String>,
    /// Each reply of tcp:// targets must be its request
    #[arg(long, conflicts_with = "expect_bodies")]
    pub expect_echo: bool,
    /// A request header, as 'Name: value'; may be given several times
    #[arg(long = "header", value_name = "HEADER")]
    pub headers: Vec<String>,
    /// Numbers of clients, one step each
    #[arg(long, value_delimiter = ',', value_name = "N,...", default_value = "100,200,300,400,500")]
    pub clients: Vec<u32>,
    /// Think time between a response and the client's next request; 0 keeps the server busy
    #[arg(long, value_name = "MS", default_value_t = 100.0)]
    pub think_ms: f64,
    /// Requests a second, whether or not there are answers; --clients are then the connections. Without it each client
    /// waits for its answer and thinks
    #[arg(long, value_name = "N")]
    pub rate: Option<f64>,
    /// Measured time of each step
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    pub duration_s: f64,
    /// Warm-up time before each measured window
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    pub warmup_s: f64,
    /// Repetitions of the whole sweep; figures are medians over them
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub rounds: u32,
    /// Time limit of one request
    #[arg(long, value_name = "MS", default_value_t = 5_000.0)]
    pub timeout_ms: f64,
    /// The expected status
    #[arg(long, value_name = "STATUS", default_value_t = 200)]
    pub expect_status: u16,
    /// The expected body length; given once for all targets, or once for each
    #[arg(long, value_name = "N")]
    pub expect_bytes: Vec<u64>,
    /// Threads that drive the clients
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: u32,
    /// Core that the driver runs on
    #[arg(long, value_name = "CORE")]
    pub pin_core: Option<usize>,
    /// How long before a request is due the driver stops sleeping and polls; covers the wake-up time of most machines
    #[arg(long, value_name = "US", default_value_t = 60.0)]
    pub spin_us: f64,
    /// Process whose CPU time is measured [default: the process that listens on the target's port]
    #[arg(long, value_name = "PID", conflicts_with_all = ["server_port_owner", "no_server_cpu"])]
    pub server_pid: Option<u32>,
    /// Fail when the process that listens on the target's port cannot be found
    #[arg(long, conflicts_with = "no_server_cpu")]
    pub server_port_owner: bool,
    /// Do not measure the server's CPU time
    #[arg(long)]
    pub no_server_cpu: bool,
    /// Prometheus page with gantry_provider_cpu_seconds_total, for the offloadable share
    #[arg(long, value_name = "URL")]
    pub metrics_url: Option<String>,
    /// Directory for result.json, result.csv and report.html
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Free text kept with the results, such as the commit
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// Print the figures as one line of JSON instead of the table
    #[arg(long)]
    pub json: bool,
    /// Exit with 0 even when requests failed
    #[arg(long)]
    pub allow_errors: bool,
}

/// Runs the driver to its end, printing progress and a table.
///
/// # Errors
/// [`Error`] with one line for the user and the exit code to end with; results measured so far are written.
pub fn run(args: LoadArgs) -> Result<(), Error> {
    let plan = args.plan()?;
    experiment::run(&plan)
}

/// One scenario of the canonical workload: name, URL and body, as in report 000, section 2.3.
const CANONICAL: [(&str, &str, &str); 2] = [
    (
        "1K",
        "http://127.0.0.1:2222/performance.api/mapping/CABASIC-RS2/1",
        r#"{"CABASICOperation":{"count_out":32}}"#,
    ),
    (
        "4K",
        "http://127.0.0.1:2222/performance.api/mapping/CABASIC-RS3/1",
        r#"{"CABASICOperation":{"count_out":128}}"#,
    ),
];

impl LoadArgs {
    /// Checks everything and reads the files of the bodies.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for the first argument that cannot be used.
    pub fn plan(&self) -> Result<Plan, Error> {
        check_range("--rounds", self.rounds, ROUNDS_MAX_COUNT)?;
        check_range("--threads", self.threads, THREADS_MAX_COUNT)?;
        if self.clients.is_empty() {
            return Err(usage("--clients needs at least one number"));
        }
        for &clients in &self.clients {
            check_range("--clients", clients, CLIENTS_MAX_COUNT)?;
        }
        if !(100..=599).contains(&self.expect_status) {
            return Err(usage(format!(
                "--expect-status must be from 100 to 599, not {}",
                self.expect_status
            )));
        }
        if self.rate.is_some_and(|rate| !(0.001..=1e7).contains(&rate)) {
            return Err(usage("--rate must be from 0.001 to 10000000 requests a second"));
        }
        Ok(Plan {
            label: self.label.clone(),
            targets: self.planned_targets()?,
            clients: self.clients.clone(),
            rounds: self.rounds,
            think: duration("--think-ms", self.think_ms, 1e-3, 0.0)?,
            rate: self.rate,
            warmup: duration("--warmup-s", self.warmup_s, 1.0, 0.0)?,
            duration: duration("--duration-s", self.duration_s, 1.0, 0.01)?,
            timeout: duration("--timeout-ms", self.timeout_ms, 1e-3, 1e-3)?,
            threads: self.threads,
            spin: duration("--spin-us", self.spin_us, 1e-6, 0.0)?,
            pin_core: self.pin_core,
            server: match (self.server_pid, self.no_server_cpu) {
                (Some(pid), _) => Server::Pid(pid),
                (None, true) => Server::Unmeasured,
                (None, false) if self.server_port_owner => Server::PortOwner,
                (None, false) => Server::PortOwnerIfFound,
            },
            metrics: self.metrics_url.as_deref().map(Endpoint::parse).transpose()?,
            output: self.output.clone(),
            prints_json: self.json,
            allow_errors: self.allow_errors,
        })
    }

    fn planned_targets(&self) -> Result<Vec<Target>, Error> {
        if self.targets.is_empty() {
            if !self.bodies.is_empty() || self.method.is_some() {
                return Err(usage("--body and --method need a --target"));
            }
            let target = |(index, (name, url, body)): (usize, &(&str, &str, &str))| {
                self.target(
                    name,
                    url,
                    Some(body.as_bytes()),
                    nth(&self.expect_bytes, index, CANONICAL.len(), "--expect-bytes")?,
                )
            };
            return CANONICAL.iter().enumerate().map(target).collect();
        }
        let count = self.targets.len();
        let mut targets: Vec<Target> = Vec::with_capacity(count);
        for (index, text) in self.targets.iter().enumerate() {
            let (name, url) = named_url(text);
            if targets.iter().any(|target| target.name == name) {
                return Err(usage(format!(
                    "two targets are named {name:?}: give them names with --target NAME=URL"
                )));
            }
            let body = nth(&self.bodies, index, count, "--body")?.map(|text| read_body(text)).transpose()?;
            let bytes = nth(&self.expect_bytes, index, count, "--expect-bytes")?;
            if let Some(endpoint) = Endpoint::parse_tcp(url) {
                let reply = nth(&self.expect_bodies, index, count, "--expect-body")?;
                let reply = reply.map(|text| read_body(text)).transpose()?;
                targets.push(self.framed_target(name, url, endpoint?, body, reply, bytes)?);
                continue;
            }
            if self.message_bytes.is_some() || self.expect_echo || !self.expect_bodies.is_empty() {
                let options = "--message-bytes, --expect-body and --expect-echo";
                return Err(usage(format!("{options} are for tcp:// targets, not for {url}")));
            }
            targets.push(self.target(name, url, body.as_deref(), bytes)?);
        }
        Ok(targets)
    }

    fn target(
        &self,
        name: &str,
        url: &str,
        body: Option<&[u8]>,
        bytes: Option<&u64>,
    ) -> Result<Target, Error> {
        let method = match &self.method {
            Some(method) => method.parse().map_err(|_| usage(format!("{method:?} is not an HTTP method")))?,
            None if body.is_some() => Method::PUT,
            None => Method::GET,
        };
        if method == Method::CONNECT {
            return Err(usage("the method CONNECT cannot be measured"));
        }
        let endpoint = Endpoint::parse(url)?;
        let request = build_request(&method, &endpoint, &self.headers, body, true)?;
        Ok(Target {
            name: name.to_owned(),
            url: url.to_owned(),
            protocol: Protocol::Http,
            method,
            endpoint,
            calls: vec![Call::unchecked(request, body.map_or(0, <[u8]>::len))],
            keeps_connections: true,
            expect: Expect { status: self.expect_status, bytes: bytes.copied() },
        })
    }

    /// A server of frames.
    fn framed_target(
        &self,
        name: &str,
        url: &str,
        endpoint: Endpoint,
        body: Option<Vec<u8>>,
        reply: Option<Vec<u8>>,
        bytes: Option<&u64>,
    ) -> Result<Target, Error> {
        let framing = Framing::parse(&self.framing).map_err(usage)?;
        if self.method.is_some() || !self.headers.is_empty() {
            return Err(usage(format!("--method and --header are for HTTP, not for {url}")));
        }
        let messages = match (self.message_bytes, body) {
            (Some(bytes), _) => different_messages(bytes)?,
            (None, Some(body)) => vec![body],
            (None, None) => return Err(usage(format!("{url} needs --body or --message-bytes"))),
        };
        let call = |message: Vec<u8>| {
            let request = framing.frame(&message).map_err(usage)?;
            let (body_bytes, echo) = (message.len(), self.expect_echo.then_some(message));
            Ok(Call { request, body_bytes, answer: echo.or_else(|| reply.clone()) })
        };
        Ok(Target {
            name: name.to_owned(),
            url: url.to_owned(),
            calls: messages.into_iter().map(call).collect::<Result<_, Error>>()?,
            protocol: Protocol::Frames(framing),
            method: Method::POST,
            endpoint,
            keeps_connections: true,
            expect: Expect { status: FRAME_STATUS, bytes: bytes.copied() },
        })
    }
}

/// How many messages `--message-bytes` makes.
const MESSAGES_COUNT: usize = 64;

/// Messages of this number of bytes that all differ, the same in each run. Their bytes are letters, so that
/// no delimiter is in them.
pub(crate) fn different_messages(bytes: usize) -> Result<Vec<Vec<u8>>, Error> {
    if !(2..=REQUEST_BODY_MAX_BYTES as usize).contains(&bytes) {
        return Err(usage(format!(
            "--message-bytes must be from 2 to {REQUEST_BODY_MAX_BYTES}, not {bytes}"
        )));
    }
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        b'A' + ((state >> 32) % 26) as u8
    };
    let message = |number: usize| {
        let mut message: Vec<u8> = (0..bytes).map(|_| letter()).collect();
        // The first two letters number it.
        (message[0], message[1]) = (b'A' + (number / 26) as u8, b'A' + (number % 26) as u8);
        message
    };
    Ok((0..MESSAGES_COUNT).map(message).collect())
}

pub(crate) fn usage(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, message)
}

/// Splits `NAME=URL`. A `=` that comes after a `/` or `:` belongs to the URL, which then is its own name.
fn named_url(text: &str) -> (&str, &str) {
    match text.split_once('=') {
        Some((name, url)) if !name.is_empty() && !name.contains(['/', ':', '?']) => (name, url),
        _ => (text, text),
    }
}

/// The value for the target at `index`: the only one given, or the one at its place.
fn nth<'a, T>(given: &'a [T], index: usize, targets: usize, option: &str) -> Result<Option<&'a T>, Error> {
    match given.len() {
        0 => Ok(None),
        1 => Ok(given.first()),
        count if count == targets => Ok(given.get(index)),
        count => Err(usage(format!(
            "{option} is given {count} times for {targets} targets: give it once or {targets} times"
        ))),
    }
}

pub(crate) fn read_body(text: &str) -> Result<Vec<u8>, Error> {
    let body = match text.strip_prefix('@') {
        None => text.as_bytes().to_vec(),
        Some(file) => {
            let size = std::fs::metadata(file)
                .map_err(|error| usage(format!("cannot read the body {file}: {error}")))?;
            if !size.is_file() || size.len() > REQUEST_BODY_MAX_BYTES {
                return Err(usage(format!(
                    "the body {file} is not a file of at most {REQUEST_BODY_MAX_BYTES} bytes"
                )));
            }
            std::fs::read(file).map_err(|error| usage(format!("cannot read the body {file}: {error}")))?
        }
    };
    Ok(body)
}

pub(crate) fn check_range(option: &str, value: u32, max: u32) -> Result<(), Error> {
    if (1..=max).contains(&value) {
        return Ok(());
    }
    Err(usage(format!("{option} must be from 1 to {max}, not {value}")))
}

/// A number of some unit as a duration, at least `min_s` and at most [`STEP_MAX_S`] seconds.
pub(crate) fn duration(option: &str, value: f64, unit_s: f64, min_s: f64) -> Result<Duration, Error> {
    let seconds = value * unit_s;
    if seconds.is_finite() && (min_s..=STEP_MAX_S as f64).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    let (min, max) = (min_s / unit_s, STEP_MAX_S as f64 / unit_s);
    Err(usage(format!("{option} must be from {min} to {max}, not {value}")))
}
