//! Targets that a command measures: the lab runs it once for each window, and its last line of output says what it found.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use load::interrupt::Interrupt;
use serde::Deserialize;

use crate::drawing::{ARROWS_MAX_COUNT, Drawing};
use crate::file::{Target, Value};
use crate::server::{Groups, Output, Process, Starter, end_of, found, plain, rendered, words};

/// How often the lab looks whether the command has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The most bytes that a command may tell.
const TOLD_MAX_BYTES: u64 = 4 << 20;

/// The report of a command about a window, as JSON.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Told {
    /// Figures by their names.
    pub(crate) figures: BTreeMap<String, f64>,
    /// Why the window does not count.
    pub(crate) void: Option<String>,
    /// Text for the page beside the figures, such as a display.
    pub(crate) text: Option<String>,
    /// Packets that the page draws.
    pub(crate) drawing: Option<Drawing>,
}

/// A command that is ready to run.
pub(crate) struct Prepared {
    folder: PathBuf,
    log: PathBuf,
    output: PathBuf,
    names: BTreeMap<String, String>,
    longest: Duration,
}

/// The values that change from window to window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) warmup_s: f64,
    pub(crate) duration_s: f64,
    pub(crate) seed: u64,
}

/// How a window ended.
pub(crate) enum Ended {
    /// With figures.
    Told(Told),
    /// The user stopped it.
    Interrupted,
    /// Without figures: why.
    Failed(String),
}

impl Prepared {
    /// Writes the folder of a target.
    ///
    /// # Errors
    /// Why it cannot be measured, in one line.
    pub(crate) fn of(starter: &Starter<'_>, target: &Target, value: &Value) -> Result<Prepared, String> {
        let missing: Vec<&str> =
            target.needs.iter().map(String::as_str).filter(|command| found(command).is_none()).collect();
        if !missing.is_empty() {
            return Err(format!("not installed: {}", missing.join(", ")));
        }
        let label = value.label.as_ref().map(|label| format!("-{}", plain(label))).unwrap_or_default();
        let name = plain(target.name.get_ref()) + &label;
        let place = starter.results.join("targets");
        let (folder, names) = starter.folder(&place.join(&name), target.files.as_ref(), value)?;
        Ok(Prepared {
            folder,
            log: place.join(format!("{name}.log")),
            output: place.join(format!("{name}.out")),
            names,
            longest: Duration::from_secs(u64::from(target.max_s)),
        })
    }

    /// Measures one window.
    pub(crate) fn run(
        &self,
        command: &[toml::Spanned<String>],
        window: Window,
        (groups, interrupt): (&Groups, &Interrupt),
    ) -> Ended {
        let mut names = self.names.clone();
        names.insert("warmup_s".to_owned(), window.warmup_s.to_string());
        names.insert("duration_s".to_owned(), window.duration_s.to_string());
        names.insert("seed".to_owned(), window.seed.to_string());
        let words = match words(command, &names) {
            Ok(words) => words,
            Err(message) => return Ended::Failed(message),
        };
        let output = Output { log: &self.log, lines: Some(&self.output) };
        let mut process = match Process::start(&words, &self.folder, output, None, groups) {
            Ok(process) => process,
            Err(message) => return Ended::Failed(message),
        };
        let deadline = Instant::now() + self.longest;
        let status = loop {
            if let Some(status) = process.has_ended() {
                break status;
            }
            if interrupt.is_set() {
                return Ended::Interrupted;
            }
            if Instant::now() >= deadline {
                return Ended::Failed(format!("it takes longer than {} s", self.longest.as_secs()));
            }
            std::thread::sleep(LOOK_EVERY);
        };
        if interrupt.is_set() {
            return Ended::Interrupted;
        }
        if !status.success() {
            return Ended::Failed(format!("the command failed ({status}): {}", end_of(&self.log)));
        }
        match read(&self.output) {
            Ok(told) => Ended::Told(told),
            Err(message) => Ended::Failed(message),
        }
    }
}

/// The report in the last line.
fn read(output: &Path) -> Result<Told, String> {
    let bytes = fs::metadata(output).map_or(0, |about| about.len());
    if bytes > TOLD_MAX_BYTES {
        return Err(format!("the command wrote {bytes} bytes; at most {TOLD_MAX_BYTES} are read"));
    }
    let text = fs::read_to_string(output).map_err(|error| format!("its output cannot be read: {error}"))?;
    told(&text)
}

fn told(text: &str) -> Result<Told, String> {
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let last = last.ok_or_else(|| "the command wrote nothing".to_owned())?;
    let told: Told = serde_json::from_str(last)
        .map_err(|error| format!("the last line of the command is not its figures: {error}"))?;
    if told.drawing.as_ref().is_some_and(|drawing| drawing.arrows.len() > ARROWS_MAX_COUNT) {
        return Err(format!("the command draws more than {ARROWS_MAX_COUNT} packets"));
    }
    Ok(told)
}

/// A command's template with stand-ins, to find faults in it.
pub(crate) fn checked(word: &str, mut names: BTreeMap<String, String>) -> Result<String, String> {
    names.extend(["warmup_s", "duration_s", "seed"].map(|name| (name.to_owned(), "1".to_owned())));
    rendered(word, &names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_has_the_figures() {
        let found = told("noise\n{\"figures\": {\"replies_per_s\": 12.5}, \"text\": \"DISPLAY\"}\n\n");
        let found = found.expect("figures");
        assert_eq!((found.figures["replies_per_s"], found.text.as_deref()), (12.5, Some("DISPLAY")));
        assert!(found.void.is_none() && found.drawing.is_none());
        for (text, why) in [
            ("", "wrote nothing"),
            ("done", "not its figures"),
            ("{\"figures\": {}, \"figure\": 1}", "unknown field `figure`"),
        ] {
            let message = told(text).expect_err(text);
            assert!(message.contains(why), "{message}");
        }
    }
}
