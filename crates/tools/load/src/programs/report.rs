//! The cost of the programs, as tables on a terminal, as CSV, and as a page with charts.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use askama::Template;

use super::{ConversionStep, ProgramsReport, Round, TransferStep, calls_per_s, cpu_us_per_call};
use crate::chart::{self, Column, Data, Style};
use crate::door::{Method, Way};
use crate::error::Error;
use crate::numbers::{count, figure_or_na};
use crate::stats::Spread;

#[derive(Template)]
#[template(path = "programs.html")]
struct Page<'a> {
    report: &'a ProgramsReport,
    charts: Vec<(String, String)>,
    transfers: Vec<[String; 5]>,
    conversions: Vec<[String; 5]>,
    command: String,
}

/// The titles of the columns.
const TRANSFERS: [&str; 5] = ["way", "method", "bytes", "calls/s", "CPU µs/call"];
const CONVERSIONS: [&str; 5] = ["from", "into", "characters", "conversions/s", "CPU µs/1K"];

/// The tables for a terminal.
pub(super) fn table(report: &ProgramsReport) -> String {
    let mut text = String::new();
    let mut line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>14}")).collect();
        text.push_str(&cells.join(""));
        text.push('\n');
    };
    line(&TRANSFERS.map(str::to_owned));
    report.transfers.iter().for_each(|step| line(&transfer(step)));
    line(&CONVERSIONS.map(str::to_owned));
    report.conversions.iter().for_each(|step| line(&conversion(step)));
    text
}

fn median(spread: Option<Spread>) -> String {
    figure_or_na(spread.map(|spread| spread.median))
}

fn transfer(step: &TransferStep) -> [String; 5] {
    let TransferStep { way, method, bytes, rounds } = step;
    let bytes = count(*bytes as u64);
    let (way, method) = (way.as_str().to_owned(), method.as_str().to_owned());
    [way, method, bytes, median(calls_per_s(rounds)), median(cpu_us_per_call(rounds))]
}

fn conversion(step: &ConversionStep) -> [String; 5] {
    let rate = median(calls_per_s(&step.rounds));
    let characters = count(step.characters as u64);
    [step.from.to_string(), step.into.to_string(), characters, rate, median(step.cpu_us_per_1k())]
}

/// Writes result.json, result.csv and report.html.
pub(super) fn write(report: &ProgramsReport, directory: &Path) -> Result<(), Error> {
    let failed = |what: String| move |error| Error::system(what, error);
    fs::create_dir_all(directory)
        .map_err(failed(format!("cannot make the directory {}", directory.display())))?;
    let json = serde_json::to_string_pretty(report)
        .map_err(|error| Error::system("cannot write the result", error))?;
    for (name, text) in
        [("result.json", json + "\n"), ("result.csv", csv(report)), ("report.html", render(report)?)]
    {
        let path = directory.join(name);
        fs::write(&path, text).map_err(failed(format!("cannot write {}", path.display())))?;
    }
    Ok(())
}

/// One line for each round, the first line with the names of the columns.
pub(crate) fn csv(report: &ProgramsReport) -> String {
    let mut csv =
        String::from("experiment,way,method,from,into,bytes_or_characters,round,calls,seconds,cpu_s\n");
    let mut lines = |head: &str, size: usize, rounds: &[Round]| {
        for (index, Round { calls, seconds, cpu_s }) in rounds.iter().enumerate() {
            let number = index + 1;
            writeln!(csv, "{head},{size},{number},{calls},{seconds},{cpu_s}").expect("a string takes all");
        }
    };
    for step in &report.transfers {
        lines(&format!("transfer,{},,", step.method.as_str()), step.bytes, &step.rounds);
    }
    for step in &report.conversions {
        lines(&format!("conversion,,,{},{}", step.from, step.into), step.characters, &step.rounds);
    }
    csv
}

/// The page.
pub(crate) fn render(report: &ProgramsReport) -> Result<String, Error> {
    let mut charts = Vec::new();
    let ways = [(Way::Local, "in one region"), (Way::Remote, "between two regions")];
    for (method, (way, place)) in Method::ALL.into_iter().flat_map(|method| ways.map(|way| (method, way))) {
        let of_both = |step: &&TransferStep| step.method == method && step.way == way;
        let steps: Vec<&TransferStep> = report.transfers.iter().filter(of_both).collect();
        if steps.is_empty() {
            continue;
        }
        for (what, unit, figure) in [
            ("CPU cost per call", "microseconds", cpu_us_per_call as fn(&[Round]) -> Option<Spread>),
            ("Calls per second", "calls/s", calls_per_s),
        ] {
            let columns =
                steps.iter().map(|step| Column::of(size(step.bytes), figure(&step.rounds))).collect();
            charts.push(Data {
                title: format!("{what}: {} {place}", method.as_str()),
                unit: unit.to_owned(),
                across: "bytes".to_owned(),
                columns,
                style: Style::Line,
            });
        }
    }
    let lengths: BTreeSet<usize> = report.conversions.iter().map(|step| step.characters).collect();
    for characters in lengths {
        let steps = report.conversions.iter().filter(|step| step.characters == characters);
        let columns = steps
            .map(|step| Column::of(format!("{}\n→ {}", step.from, step.into), step.cpu_us_per_1k()))
            .collect();
        charts.push(Data {
            title: format!("CPU cost to convert 1K characters, texts of {}", size(characters)),
            unit: "microseconds".to_owned(),
            across: "code pages".to_owned(),
            columns,
            style: Style::Points,
        });
    }
    let drawn = charts.into_iter().map(|data| Ok((data.title.clone(), chart::render(&data)?)));
    let page = Page {
        report,
        charts: drawn.collect::<Result<_, Error>>()?,
        transfers: report.transfers.iter().map(transfer).collect(),
        conversions: report.conversions.iter().map(conversion).collect(),
        command: report.command.join(" "),
    };
    page.render().map_err(|error| Error::system("cannot write the report", std::io::Error::other(error)))
}

/// `1K`, `32,000`, `1M`.
fn size(bytes: usize) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{}K", bytes >> 10),
        _ => count(bytes as u64),
    }
}
