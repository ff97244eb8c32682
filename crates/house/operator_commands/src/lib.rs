//! `gantry region` and `gantry connector`: show a running gateway to operators and carry out their
//! commands, over the admin address.
//!
//! The data path: the arguments become a request of administration (its paths are those of the
//! crate `administration`). `asked` sends it with the operator's credentials. `scan` is for the
//! pickup folders of pipelines. `shown` and `recorded` turn the answer into tables for people, or
//! the gateway's JSON is printed unchanged. The exit code tells whether the command succeeded.
//!
//! Only `salvage` works on a file: a damaged store, which no gateway can open.
//!
//! Deliberately absent: the region and the endpoint groups themselves. All other work goes over the
//! admin address of a gateway, which may be on another machine.

mod asked;
mod backup;
mod connector;
mod health;
mod queue;
mod recorded;
mod salvage;
mod scan;
mod shown;
mod table;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

use administration::paths;
use clap::{Args, Subcommand, ValueEnum};
use http::Method;
use serde_json::{Value, json};

use asked::{ANSWER_MAX, Gateway};
pub use backup::{BackupArgs, run as run_backup};
pub use connector::{ConnectorArgs, run as run_connector};
pub use health::{HealthArgs, run as run_health};
pub use queue::{QueueArgs, run as run_queue};
pub use salvage::{StoreArgs, run as run_store};

pub use scan::{ScanArgs, scan};
use watch::{Request, Watch};

/// The exit code if no gateway answers.
const NOT_REACHED: u8 = 3;
/// The exit code if the gateway refuses the user.
const NOT_AUTHORIZED: u8 = 4;

/// Which gateway, what of its region, and how it is shown.
#[derive(Debug, Args)]
pub struct RegionArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    watch: Watch,
}

/// Which gateway, and the form of its answer.
#[derive(Debug, Args)]
struct Common {
    #[command(flatten)]
    place: Place,
    /// Print the gateway's JSON, for use by programs.
    #[arg(long, global = true)]
    json: bool,
}

/// Where the gateway is, and who asks.
#[derive(Debug, Args)]
struct Place {
    /// The admin address: a URL, or HOST:PORT.
    #[arg(long, global = true, value_name = "URL", default_value = "http://127.0.0.1:2223")]
    admin: String,
    /// The user name.
    #[arg(long, global = true, value_name = "NAME")]
    user: Option<String>,
    /// The file whose first line is the user's password.
    #[arg(long, global = true, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// The file with an API key, instead of a user.
    #[arg(long, global = true, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// The header of the API key.
    #[arg(long, global = true, value_name = "NAME", default_value = "x-api-key")]
    key_header: String,
    /// PEM certificates to trust, instead of the system's.
    #[arg(long, global = true, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Seconds to wait for an answer; without it, as long as the command usually takes.
    #[arg(long, global = true, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout_s: Option<u64>,
}

/// The part of the region to show or act on.
#[derive(Debug, Subcommand)]
enum What {
    /// List programs: state, use and last abend.
    Programs,
    /// List running tasks, and what they wait for.
    Tasks,
    /// List STARTs whose tasks have not begun: when they are due, and what they have.
    Starts,
    /// Cancel a START whose task has not begun.
    Cancel {
        /// The request, as `starts` shows it.
        request: String,
    },
    /// List files: organization, status, records and locks.
    Files,
    /// Worker processes.
    Workers,
    /// Temporary storage queues.
    Queues,
    /// One item of a temporary storage queue, in hexadecimal and as text.
    Queue {
        /// The queue's name without trailing blanks.
        name: String,
        /// The item, from 1.
        #[arg(long, default_value_t = 1)]
        item: u64,
    },
    /// Links to other regions.
    Links,
    /// List units of work in doubt, and decisions that operators forced.
    Units,
    /// End a task and back out its unit of work.
    Purge {
        /// The task's number.
        task: u32,
    },
    /// Start a transaction. Its program gets the data with RETRIEVE.
    Start {
        /// The transaction, as [[region.transaction]] has it.
        transaction: String,
        /// The data, as text.
        #[arg(long, value_name = "TEXT")]
        data: Option<String>,
    },
    /// Commit or back out a unit of work in doubt, without waiting for the region that decides.
    Force {
        /// The unit, as `units` shows it.
        unit: String,
        /// How it ends.
        decision: Decision,
    },
    /// Trace the commands of tasks.
    #[command(subcommand)]
    Trace(Trace),
    /// Dumps of abends.
    Dumps,
    /// One dump.
    Dump {
        /// The dump, as `dumps` shows it.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
enum Trace {
    /// Trace tasks that begin from now on; this replaces the current trace.
    On(TraceOn),
    /// Stop tracing; `show` still shows the recorded commands.
    Off,
    /// Show the commands of traced tasks.
    Show,
}

#[derive(Debug, Args)]
struct TraceOn {
    /// Trace the tasks of a program, or those of a user.
    whose: Whose,
    /// The program or the user.
    name: String,
    /// Also record the first 64 bytes of data areas.
    #[arg(long)]
    data: bool,
    /// Seconds until the trace ends; at most 3,600.
    #[arg(long, value_name = "N", default_value_t = 300)]
    seconds: u64,
    /// Commands to keep; at most 10,000. The oldest are dropped first.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    records: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Whose {
    Program,
    User,
}

impl TraceOn {
    fn body(&self) -> Value {
        let whose = match self.whose {
            Whose::Program => "program",
            Whose::User => "user",
        };
        json!({ whose: self.name, "data": self.data, "seconds": self.seconds, "records": self.records })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Decision {
    Commit,
    Backout,
}

/// Why a command failed.
#[derive(Debug)]
pub struct Trouble {
    kind: Kind,
    /// The text for people.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    NotReached,
    NotAuthorized,
    /// The region or the object does not exist, or the command makes no sense.
    Refused,
}

impl Trouble {
    /// The exit code of the process.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self.kind {
            Kind::NotReached => ExitCode::from(NOT_REACHED),
            Kind::NotAuthorized => ExitCode::from(NOT_AUTHORIZED),
            Kind::Refused => ExitCode::FAILURE,
        }
    }

    fn refused(message: impl Into<String>) -> Self {
        Self { kind: Kind::Refused, message: message.into() }
    }
}

/// Sends the command to the gateway and prints the answer.
///
/// # Errors
/// The gateway was not reached, or did not carry out the command.
pub fn run(args: &RegionArgs) -> Result<ExitCode, Trouble> {
    let gateway = Gateway::at(&args.common.place, ANSWER_MAX)?;
    let what = args.what.as_ref();
    args.watch.ask(&gateway, request(what), args.common.json, |answer: &Value| show(what, answer))
}

/// The request of a command: method, path and query, and body.
fn request(what: Option<&What>) -> Request {
    let get = |path: &str| (Method::GET, path.to_owned(), None);
    let post = |path: String| (Method::POST, path, None);
    match what {
        None => get(paths::REGION),
        Some(What::Programs) => get(paths::PROGRAMS),
        Some(What::Tasks) => get(paths::TASKS),
        Some(What::Starts) => get(paths::STARTS),
        Some(What::Cancel { request }) => post(paths::with_name(paths::CANCEL, &asked::escaped(request))),
        Some(What::Files) => get(paths::FILES),
        Some(What::Workers) => get(paths::WORKERS),
        Some(What::Queues) => get(paths::QUEUES),
        Some(What::Queue { name, item }) => {
            let queue = paths::with_name(paths::QUEUE, &asked::escaped(name));
            get(&format!("{queue}?item={item}"))
        }
        Some(What::Links) => get(paths::LINKS),
        Some(What::Units) => get(paths::UNITS),
        Some(What::Purge { task }) => post(paths::with_name(paths::PURGE, &task.to_string())),
        Some(What::Start { transaction, data }) => {
            let target = paths::with_name(paths::START, &asked::escaped(transaction));
            (
                Method::POST,
                target,
                Some(data.as_ref().map_or_else(|| json!({}), |data| json!({ "data": data }))),
            )
        }
        Some(What::Force { unit, decision }) => {
            let end = match decision {
                Decision::Commit => paths::COMMIT,
                Decision::Backout => paths::BACKOUT,
            };
            post(paths::with_name(end, &asked::escaped(unit)))
        }
        Some(What::Trace(Trace::On(on))) => (Method::POST, paths::TRACE.to_owned(), Some(on.body())),
        Some(What::Trace(Trace::Off)) => post(paths::TRACE_OFF.to_owned()),
        Some(What::Trace(Trace::Show)) => get(paths::TRACE),
        Some(What::Dumps) => get(paths::DUMPS),
        Some(What::Dump { id }) => get(&paths::with_name(paths::DUMP, &asked::escaped(id))),
    }
}

fn show(what: Option<&What>, answer: &Value) -> String {
    match what {
        None => shown::summary(answer),
        Some(What::Programs) => shown::programs(answer),
        Some(What::Tasks) => shown::tasks(answer),
        Some(What::Starts) => shown::starts(answer),
        Some(What::Cancel { request }) => shown::cancelled(request, answer),
        Some(What::Files) => shown::files(answer),
        Some(What::Workers) => shown::workers(answer),
        Some(What::Queues) => shown::queues(answer),
        Some(What::Queue { .. }) => shown::item(answer),
        Some(What::Links) => shown::links(answer),
        Some(What::Units) => shown::units(answer),
        Some(What::Trace(Trace::Show)) => recorded::trace(answer),
        Some(What::Trace(_)) => recorded::trace_state(answer),
        Some(What::Dumps) => recorded::dumps(answer),
        Some(What::Dump { .. }) => recorded::dump(answer),
        Some(What::Purge { task }) => shown::purged(*task, answer),
        Some(What::Start { transaction, .. }) => shown::started(transaction, answer),
        Some(What::Force { unit, decision: Decision::Commit }) => format!("unit {unit} is committed\n"),
        Some(What::Force { unit, decision: Decision::Backout }) => format!("unit {unit} is backed out\n"),
    }
}
