//! `load programs` measures the cost of handing data from program to program, and of converting text in containers. It
//! measures at the door of a region, without HTTP.

mod measure;
mod report;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::clock::utc_now;
use crate::door::{COMMAREA_MAX_BYTES, Conversion, Door, Method, Transfer, Way};
use crate::error::{Error, ErrorKind};
use crate::interrupt::Interrupt;
use crate::machine::{self, Machine};
use crate::plan::{ROUNDS_MAX_COUNT, STEP_MAX_S};
use crate::stats::Spread;
use measure::Task;

/// Version of the shape of the results.
pub const PROGRAMS_FORMAT: u32 = 2;
/// The largest data and the longest text.
pub const DATA_MAX_BYTES: usize = 1 << 20;

/// Measures programs at the door of a region: data by commarea, channel and TS queue, and conversions of text.
#[derive(Debug, Clone, Args)]
pub struct ProgramsArgs {
    /// Sizes of data in bytes; sizes beyond a commarea's maximum use only channel and TS queue
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "BYTES,...",
        default_value = "1024,2048,4096,8192,16384,32000,65536,131072,262144,524288,1048576"
    )]
    pub sizes: Vec<usize>,
    /// Where the data goes: to a program of the same region, or of another one on this machine
    #[arg(long, value_delimiter = ',', value_name = "WAY,...", default_value = "local,remote")]
    pub ways: Vec<Way>,
    /// Characters of texts to convert
    #[arg(long, value_delimiter = ',', value_name = "N,...", default_value = "1024,32768,1048576")]
    pub characters: Vec<usize>,
    /// Measured time of each step
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    pub duration_s: f64,
    /// Repetitions of all steps; figures are medians over them
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub rounds: u32,
    /// Directory for result.json, result.csv and report.html
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Free text kept with the results, such as the commit
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
}

/// The pairs of code pages of the performance report: UTF-8, EBCDIC, ASCII and UTF-16.
pub const PAIRS: [(u16, u16); 12] = [
    (1208, 437),
    (1208, 37),
    (1208, 1200),
    (437, 1208),
    (37, 1208),
    (1200, 1208),
    (37, 1200),
    (437, 1200),
    (1200, 37),
    (1200, 437),
    (37, 437),
    (437, 37),
];

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramsReport {
    /// [`PROGRAMS_FORMAT`].
    pub format: u32,
    /// Free text of the user.
    pub label: Option<String>,
    /// False when the run was stopped before its end.
    pub complete: bool,
    /// When it began.
    pub started_utc: String,
    /// The command line.
    pub command: Vec<String>,
    /// Version of the driver.
    pub driver_version: String,
    /// The machine.
    pub machine: Machine,
    /// Where the door leads.
    pub place: String,
    /// Measured time of each step.
    pub duration_s: f64,
    /// Repetitions.
    pub rounds: u32,
    /// Data from program to program.
    pub transfers: Vec<TransferStep>,
    /// Text from page to page.
    pub conversions: Vec<ConversionStep>,
}

/// One method with one size, one way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransferStep {
    /// Where the data goes.
    pub way: Way,
    /// The method.
    pub method: Method,
    /// Bytes of each call.
    pub bytes: usize,
    /// The raw numbers of each round.
    pub rounds: Vec<Round>,
}

/// One pair of code pages with one length of text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversionStep {
    /// The CCSID of the text that is put.
    pub from: u16,
    /// The CCSID in which it is got.
    pub into: u16,
    /// Its characters.
    pub characters: usize,
    /// The raw numbers of each round.
    pub rounds: Vec<Round>,
}

/// The raw numbers of one round of one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Calls of a program, or conversions.
    pub calls: u64,
    /// From the first to the last.
    pub seconds: f64,
    /// Processor time of the gateway's process and of the workers together.
    pub cpu_s: f64,
}

/// Calls per second.
pub fn calls_per_s(rounds: &[Round]) -> Option<Spread> {
    Spread::of(rounds.iter().map(|round| round.calls as f64 / round.seconds))
}

/// Processor time of a call, in microseconds.
pub fn cpu_us_per_call(rounds: &[Round]) -> Option<Spread> {
    Spread::of(rounds.iter().map(|round| round.cpu_s * 1e6 / round.calls as f64))
}

impl ConversionStep {
    /// Processor time for 1,024 characters, in microseconds.
    #[must_use]
    pub fn cpu_us_per_1k(&self) -> Option<Spread> {
        let thousands = self.characters as f64 / 1024.0;
        Spread::of(self.rounds.iter().map(|round| round.cpu_s * 1e6 / round.calls as f64 / thousands))
    }
}

/// Runs the experiments at a door, printing progress and tables.
///
/// # Errors
/// An argument cannot be used, a task failed, or the results cannot be written.
pub fn run(args: &ProgramsArgs, door: &mut dyn Door) -> Result<(), Error> {
    let duration = check(args)?;
    let interrupt = Interrupt::on_ctrl_c()?;
    let mut report = begin(args, door);
    let outcome = sweep(&mut report, door, &interrupt, duration);
    report.complete = outcome.is_ok() && !interrupt.is_set();
    print!("{}", report::table(&report));
    if let Some(directory) = &args.output {
        report::write(&report, directory)?;
    }
    outcome?;
    match report.complete {
        true => Ok(()),
        false => {
            Err(Error::new(ErrorKind::Interrupted, "stopped before the end: the results are incomplete"))
        }
    }
}

fn check(args: &ProgramsArgs) -> Result<Duration, Error> {
    let usage = |message: String| Err(Error::new(ErrorKind::Usage, message));
    for (option, values) in [("--sizes", &args.sizes), ("--characters", &args.characters)] {
        // The first eight bytes of data are its length.
        if let Some(value) = values.iter().find(|value| !(8..=DATA_MAX_BYTES).contains(*value)) {
            return usage(format!("{option} must be from 8 to {DATA_MAX_BYTES}, not {value}"));
        }
    }
    if !(1..=ROUNDS_MAX_COUNT).contains(&args.rounds) {
        return usage(format!("--rounds must be from 1 to {ROUNDS_MAX_COUNT}, not {}", args.rounds));
    }
    match args.duration_s {
        seconds if (0.01..=STEP_MAX_S as f64).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        other => usage(format!("--duration-s must be from 0.01 to {STEP_MAX_S}, not {other}")),
    }
}

fn begin(args: &ProgramsArgs, door: &dyn Door) -> ProgramsReport {
    let methods = |bytes: usize| {
        let fits = move |method: &Method| *method != Method::Commarea || bytes <= COMMAREA_MAX_BYTES;
        Method::ALL.into_iter().filter(fits)
    };
    let sizes = |way: Way| {
        let steps =
            args.sizes.iter().flat_map(move |bytes| methods(*bytes).map(move |method| (*bytes, method)));
        steps.map(move |(bytes, method)| TransferStep { way, method, bytes, rounds: Vec::new() })
    };
    let pairs = |characters: usize| {
        PAIRS.map(|(from, into)| ConversionStep { from, into, characters, rounds: Vec::new() })
    };
    ProgramsReport {
        format: PROGRAMS_FORMAT,
        label: args.label.clone(),
        complete: false,
        started_utc: utc_now(),
        command: std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect(),
        driver_version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: machine::describe(),
        place: door.place(),
        duration_s: args.duration_s,
        rounds: args.rounds,
        transfers: args.ways.iter().flat_map(|way| sizes(*way)).collect(),
        conversions: args.characters.iter().flat_map(|characters| pairs(*characters)).collect(),
    }
}

/// Every round goes through all steps, so that a slow change of the machine meets all of them alike.
fn sweep(
    report: &mut ProgramsReport,
    door: &mut dyn Door,
    interrupt: &Interrupt,
    duration: Duration,
) -> Result<(), Error> {
    for number in 1..=report.rounds {
        for step in &mut report.transfers {
            let (way, method, bytes) = (step.way, step.method, step.bytes);
            let times = measure::times(bytes);
            let task = Task::Transfer(Transfer { way, method, bytes, times });
            let Some(round) = measure::round(&mut *door, interrupt, task, duration)? else { return Ok(()) };
            step.rounds.push(round);
            let (way, method) = (way.as_str(), method.as_str());
            terminal::remark!("round {number}: {way} {method} of {bytes} bytes, {} calls", round.calls);
        }
        for step in &mut report.conversions {
            let (from, into, characters) = (step.from, step.into, step.characters);
            let times = measure::times(characters);
            let task = Task::Conversion(Conversion { from, into, characters, times });
            let Some(round) = measure::round(&mut *door, interrupt, task, duration)? else { return Ok(()) };
            step.rounds.push(round);
            terminal::remark!(
                "round {number}: {from} to {into}, {characters} characters, {} conversions",
                round.calls
            );
        }
    }
    Ok(())
}
