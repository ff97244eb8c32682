//! The result format: a file of JSON lines, each with its kind. docs/guides/lab.md describes it.
//!
//! The first line is the run, the last one its end. Each line is written when it is known, so a run that was stopped has
//! all that it measured.

use std::collections::BTreeMap;

use load::machine::Machine;
use serde::{Deserialize, Serialize};

use crate::drawing::Drawing;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// One line of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line {
    /// The run: the first line.
    Run(Box<Run>),
    /// A target that is measured.
    Target(Target),
    /// A server or target that is not measured.
    NotRun(NotRun),
    /// One window.
    Round(Round),
    /// A note about the window before.
    Note(Note),
    /// The last line.
    End(End),
}

/// The run and its machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`FORMAT`].
    pub format: u32,
    /// The experiment's name.
    pub experiment: String,
    /// A sentence about the measurement.
    pub description: String,
    /// When it began.
    pub started_utc: String,
    /// Version of the program that runs it.
    pub version: String,
    /// The command line.
    pub command: Vec<String>,
    /// The machine.
    pub machine: Machine,
    /// The core of the servers and that of the driver, if they have cores of their own.
    pub cores: Option<(usize, usize)>,
    /// Rounds that were asked for.
    pub rounds: u32,
    /// Clients at one time; a sweep of `clients` has its own.
    pub clients: u32,
    /// Milliseconds between an answer and the next request of a client.
    pub think_ms: f64,
    /// Seconds before each window.
    pub warmup_s: f64,
    /// Seconds of each window.
    pub duration_s: f64,
    /// The parameter of the sweep, and its values.
    pub sweep: Option<(String, Vec<String>)>,
    /// The value of the sweep to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The figures that tables show.
    pub figures: Vec<String>,
    /// The charts: title and figure.
    pub charts: Vec<(String, String)>,
    /// The heads of the columns of figures that the experiment itself has.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub titles: BTreeMap<String, String>,
    /// Published results of other projects: title and text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<(String, String)>,
    /// The seed for random choices of commands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// A target that is measured, with one value of the sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// The server that it belongs to.
    pub server: String,
    /// The value of the sweep.
    pub value: Option<String>,
    /// Where it is.
    pub url: String,
    /// Different messages.
    pub messages: usize,
    /// Mean length of their bodies.
    pub request_bytes: f64,
    /// Mean length of the bodies of their answers.
    pub answer_bytes: f64,
    /// How answers are judged.
    pub compare: String,
}

/// A target that was not measured, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRun {
    /// The target's name.
    pub target: String,
    /// The value of the sweep, if only that one is not measured.
    pub value: Option<String>,
    /// Why.
    pub reason: String,
}

/// One window of one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The target's name.
    pub target: String,
    /// The value of the sweep.
    pub value: Option<String>,
    /// The round, from 1.
    pub round: u32,
    /// The attempt within the round, from 1: void windows are repeated.
    pub attempt: u32,
    /// Why the window does not count, if it does not.
    pub void: Option<String>,
    /// The figures that were measured, by their names.
    pub figures: BTreeMap<String, f64>,
}

/// A note about a window, beside its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The target's name.
    pub target: String,
    /// The value of the sweep.
    pub value: Option<String>,
    /// The round, from 1.
    pub round: u32,
    /// A text, such as a display.
    pub text: Option<String>,
    /// Packets.
    pub drawing: Option<Drawing>,
}

/// How the run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Whether everything that could run did, to its end.
    pub complete: bool,
    /// Windows that do not count.
    pub void: u32,
}

/// A whole result.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The run.
    pub run: Run,
    /// Targets by value, in their order.
    pub targets: Vec<Target>,
    /// The targets that were not measured.
    pub not_run: Vec<NotRun>,
    /// All windows.
    pub rounds: Vec<Round>,
    /// Notes about windows.
    pub notes: Vec<Note>,
    /// How it ended; none if the file has no end.
    pub end: Option<End>,
}

/// One line, with its line end.
///
/// # Panics
/// Never: the lines have neither maps with other keys than text nor numbers that JSON does not have.
#[must_use]
pub fn line(line: &Line) -> String {
    serde_json::to_string(line).expect("lines are JSON") + "\n"
}

/// Reads a result. A last line that was cut off is left out.
///
/// # Errors
/// The line that is wrong, from 1, and why.
pub fn read(text: &str) -> Result<Recorded, (usize, String)> {
    let mut lines = text.split_inclusive('\n').enumerate().map(|(index, line)| (index + 1, line));
    let (_, first) = lines.next().ok_or((1, "the file is empty".to_owned()))?;
    let parsed = |number, line: &str| {
        serde_json::from_str::<Line>(line)
            .map_err(|error| (number, format!("not a line of a result: {error}")))
    };
    let run = match parsed(1, first)? {
        Line::Run(run) if run.format == FORMAT => *run,
        Line::Run(run) => return Err((1, format!("format {} is not known here, only {FORMAT}", run.format))),
        _ => return Err((1, "the first line is not that of a run".to_owned())),
    };
    let mut recorded =
        Recorded { run, targets: vec![], not_run: vec![], rounds: vec![], notes: vec![], end: None };
    for (number, line) in lines {
        if !line.ends_with('\n') && serde_json::from_str::<Line>(line).is_err() {
            break;
        }
        if recorded.end.is_some() {
            return Err((number, "a line follows the end".to_owned()));
        }
        match parsed(number, line)? {
            Line::Run(_) => return Err((number, "a second run".to_owned())),
            Line::Target(target) => recorded.targets.push(target),
            Line::NotRun(not_run) => recorded.not_run.push(not_run),
            Line::Round(round) => recorded.rounds.push(round),
            Line::Note(note) => recorded.notes.push(note),
            Line::End(end) => recorded.end = Some(end),
        }
    }
    Ok(recorded)
}

/// A figure as results have it: nine significant digits, which JSON carries exactly.
#[must_use]
pub fn rounded(value: f64) -> f64 {
    format!("{value:.8e}").parse().unwrap_or(value)
}
