//! `gantry lab`: experiments are text files. A file names servers, targets, a sweep and rounds; the lab runs it, and leaves
//! JSON lines and one page behind.
//!
//! Data path: [`file`] reads and checks an experiment. `run` starts its servers, each with a folder that [`template`]s
//! become. `messages` makes the requests and asks each once. `load::step` measures the windows, or a `command` does. [`record`]
//! has the lines, `summary` and [`page`] show them, with charts and the [`drawing`]s of packets. The shipped files are in the repository's folder `experiments`.
//!
//! - A **target** is what is called: a path of a server, with its messages and their answers.
//! - A **value** is one of the sweep's; each target is measured with each.
//! - A **window** is one measurement; a **round** has a window of each target with each value.
//! - A **void** window does not count, and is repeated.
//!
//! Deliberately absent: knowledge of what a server is. A server is a folder, a command and a port.

#[macro_use(print, eprintln)]
extern crate terminal;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use calendar::Utc;
use clap::{Args, Subcommand};
use load::{Error, ErrorKind};
use rust_embed::Embed;
use settings::Files;
use toml::Spanned;

use crate::file::Experiment;
use crate::run::{RESULT_FILE, usage};

mod command;
pub mod drawing;
pub mod figures;
pub mod file;
mod messages;
pub mod page;
pub mod record;
mod run;
mod server;
pub mod summary;
pub mod template;
mod values;

/// The folder of the files that the program carries.
const SHIPPED: &str = "experiments";

#[derive(Embed)]
#[folder = "../../../experiments"]
struct Shipped;

/// The arguments of `gantry lab`.
#[derive(Debug, Args)]
pub struct LabArgs {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Debug, Subcommand)]
enum LabCommand {
    /// List the experiments that the program carries.
    List,
    /// Run an experiment, and leave its results in a folder.
    Run(RunArgs),
    /// Write the page of one or more results again.
    Report(ReportArgs),
}

#[derive(Debug, Args)]
struct RunArgs {
    /// The name of an experiment of `lab list`, or the path of an experiment file (*.toml)
    experiment: String,
    /// The folder of the results [default: lab-results/NAME-TIME]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Rounds, instead of those of the file
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Seconds of each window, instead of those of the file
    #[arg(long, value_name = "S")]
    duration_s: Option<f64>,
    /// Seconds of warm-up before each window, instead of those of the file
    #[arg(long, value_name = "S")]
    warmup_s: Option<f64>,
    /// Do not bind servers and driver to cores; the rules on busy cores do not apply
    #[arg(long)]
    unpinned: bool,
    /// The first seed for random choices of commands, instead of a random one
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Write each message and its first answer to files below messages/ in the folder of the results
    #[arg(long)]
    keep_messages: bool,
}

#[derive(Debug, Args)]
struct ReportArgs {
    /// Folders of results
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// The page [default: report.html in the first folder]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// One line for the user, with the exit code to end with.
pub fn run(args: LabArgs) -> Result<ExitCode, Error> {
    match args.command {
        LabCommand::List => list(),
        LabCommand::Run(args) => run_one(&args),
        LabCommand::Report(args) => report(&args),
    }
}

/// The time of day now.
pub(crate) fn now() -> Utc {
    Utc::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// The files that the program carries.
#[must_use]
pub fn shipped() -> Files {
    let file = |path: std::borrow::Cow<'static, str>| {
        let bytes = Shipped::get(&path)?.data.into_owned();
        Some((format!("{SHIPPED}/{path}"), bytes))
    };
    let files: BTreeMap<String, Vec<u8>> = Shipped::iter().filter_map(file).collect();
    Files::Example("lab".to_owned(), Arc::new(files))
}

/// The paths of the experiments among the files that the program carries.
#[must_use]
pub fn experiments(files: &Files) -> Vec<String> {
    let mut names = files.list(SHIPPED).unwrap_or_default();
    names.retain(|name| name.ends_with(".toml"));
    names.into_iter().map(|name| format!("{SHIPPED}/{name}")).collect()
}

fn list() -> Result<ExitCode, Error> {
    let files = shipped();
    for path in experiments(&files) {
        let experiment = Experiment::read(&files, &path).map_err(|problems| usage(problems.lines()))?;
        let (_, time) = experiment.estimate(experiment.written.target.len());
        let written = &experiment.written;
        let needs = written.server.iter().flat_map(|server| &server.needs);
        let needs = needs.chain(written.target.iter().flat_map(|target| &target.needs));
        let needs: std::collections::BTreeSet<&str> = needs.map(String::as_str).collect();
        let missing: Vec<&str> =
            needs.into_iter().filter(|command| server::found(command).is_none()).collect();
        let about = &experiment.written.description;
        let lacks =
            if missing.is_empty() { String::new() } else { format!("; lacks {}", missing.join(", ")) };
        print!("{:<16} {about} (about {}{lacks})\n", experiment.name, run::minutes(time));
    }
    Ok(ExitCode::SUCCESS)
}

fn chosen(args: &RunArgs) -> Result<Experiment, Error> {
    let text = args.experiment.as_str();
    let (files, path) = if text.ends_with(".toml") || text.contains('/') {
        let file = Path::new(text);
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        (Files::at(folder.to_owned()), name)
    } else {
        let (files, path) = (shipped(), format!("{SHIPPED}/{text}.toml"));
        if !experiments(&files).contains(&path) {
            let name =
                |path: &String| path.trim_start_matches("experiments/").trim_end_matches(".toml").to_owned();
            let known: Vec<String> = experiments(&files).iter().map(name).collect();
            let message = format!("there is no experiment '{text}'; known: {}", known.join(", "));
            return Err(usage(message));
        }
        (files, path)
    };
    let mut experiment = Experiment::read(&files, &path).map_err(|problems| {
        terminal::show(&problems);
        usage(format!("{text}: {}", terminal::count(problems.error_count(), "fault")))
    })?;
    let written = &mut experiment.written;
    let ranges = [
        args.rounds.is_some_and(|rounds| !(1..=load::plan::ROUNDS_MAX_COUNT).contains(&rounds)),
        args.duration_s.is_some_and(|seconds| !(0.01..=load::plan::STEP_MAX_S as f64).contains(&seconds)),
        args.warmup_s.is_some_and(|seconds| !(0.0..=load::plan::STEP_MAX_S as f64).contains(&seconds)),
    ];
    if ranges.contains(&true) {
        return Err(usage("--rounds, --duration-s or --warmup-s is out of range"));
    }
    let other = |value| Spanned::new(0..0, value);
    written.rounds = args.rounds.map_or_else(|| written.rounds.clone(), other);
    written.load.duration_s = args
        .duration_s
        .map_or_else(|| written.load.duration_s.clone(), |seconds| Spanned::new(0..0, seconds));
    written.load.warmup_s = args.warmup_s.unwrap_or(written.load.warmup_s);
    if args.unpinned {
        written.cores = None;
    }
    Ok(experiment)
}

fn run_one(args: &RunArgs) -> Result<ExitCode, Error> {
    let experiment = chosen(args)?;
    let place = args.output.clone().unwrap_or_else(|| {
        let time = now().in_seconds().replace(':', "");
        Path::new("lab-results").join(format!("{}-{time}", server::plain(&experiment.name)))
    });
    if place.join(RESULT_FILE).exists() {
        return Err(usage(format!("{} has results already", place.display())));
    }
    terminal::remark!("{}", experiment.written.description);
    terminal::remark!("{}", run::intent(&experiment));
    terminal::remark!("results go to {}", place.display());
    let messages = args.keep_messages.then(|| place.join("messages"));
    let how = run::How { messages: messages.as_deref(), seed: args.seed.unwrap_or_else(chance) };
    let outcome = run::run(&experiment, &place, how)?;
    let recorded = read_folder(&place)?;
    write_page(&place.join("report.html"), std::slice::from_ref(&recorded))?;
    print!(
        "\n{}\n{}{}\n",
        summary::table(&recorded),
        summary::references(&recorded),
        summary::last_line(&recorded, &place.display().to_string())
    );
    if outcome.is_interrupted {
        return Err(Error::new(ErrorKind::Interrupted, "stopped before the end: the results are incomplete"));
    }
    Ok(if outcome.is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A number by chance, short enough to be typed.
fn chance() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0) % 1_000_000_000
}

fn report(args: &ReportArgs) -> Result<ExitCode, Error> {
    let results = args.folders.iter().map(|folder| read_folder(folder)).collect::<Result<Vec<_>, _>>()?;
    let page = args.output.clone().unwrap_or_else(|| args.folders[0].join("report.html"));
    write_page(&page, &results)?;
    for (recorded, folder) in results.iter().zip(&args.folders) {
        print!(
            "{}\n{}\n\n",
            summary::table(recorded),
            summary::last_line(recorded, &folder.display().to_string())
        );
    }
    terminal::remark!("wrote {}", page.display());
    Ok(ExitCode::SUCCESS)
}

fn read_folder(folder: &Path) -> Result<record::Recorded, Error> {
    let path = folder.join(RESULT_FILE);
    let text = fs::read_to_string(&path)
        .map_err(|error| Error::system(format!("cannot read {}", path.display()), error))?;
    record::read(&text).map_err(|(line, message)| usage(format!("{}:{line}: {message}", path.display())))
}

fn write_page(path: &Path, results: &[record::Recorded]) -> Result<(), Error> {
    let page = page::render(results)?;
    fs::write(path, page).map_err(|error| Error::system(format!("cannot write {}", path.display()), error))
}
