//! The report as one self-contained HTML page: the five charts of each target, the tables, and how it was measured.

use askama::Template;

use crate::chart::{self, Column, Data, Style};
use crate::error::Error;
use crate::numbers::{count, figure, figure_or_na};
use crate::result::{Report, StepReport, TargetReport};
use crate::stats::Spread;
use crate::table;

/// The style sheet of pages with charts, in its element.
pub const STYLE: &str = include_str!("../templates/style.html");

/// Renders the page.
///
/// # Errors
/// Never in practice: the templates only fail when writing to memory does.
pub fn render(report: &Report) -> Result<String, Error> {
    let sections =
        report.targets.iter().map(|target| Section::of(target, report)).collect::<Result<_, _>>()?;
    let page = Page { report, sections, columns: table::COLUMNS, command: report.command.join(" ") };
    page.render().map_err(|error| Error::system("cannot write the report", std::io::Error::other(error)))
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    sections: Vec<Section<'a>>,
    columns: [&'static str; 11],
    command: String,
}

/// One target of the page.
struct Section<'a> {
    target: &'a TargetReport,
    tiles: Vec<Tile>,
    charts: Vec<(String, String)>,
    rows: Vec<Row>,
    driver_rows: Vec<[String; 9]>,
}

/// A figure of the largest step, shown large.
struct Tile {
    value: String,
    unit: &'static str,
}

struct Row {
    cells: Vec<(String, bool)>,
    failed: bool,
    failures: String,
}

impl Section<'_> {
    fn of<'a>(target: &'a TargetReport, report: &Report) -> Result<Section<'a>, Error> {
        let steps: Vec<&StepReport> = target.steps.iter().filter(|step| !step.rounds.is_empty()).collect();
        let charts = charts(&steps, report.machine.cores).into_iter();
        let charts = charts.map(|data| Ok((data.title.clone(), chart::render(&data)?)));
        Ok(Section {
            target,
            tiles: steps.iter().max_by_key(|step| step.clients).map(|step| tiles(step)).unwrap_or_default(),
            charts: charts.collect::<Result<_, Error>>()?,
            rows: steps.iter().map(|step| row(step)).collect(),
            driver_rows: steps.iter().map(|step| driver_row(step)).collect(),
        })
    }

    /// The largest number of clients that was measured.
    fn most_clients(&self) -> String {
        let measured = self.target.steps.iter().filter(|step| !step.rounds.is_empty());
        count(measured.map(|step| u64::from(step.clients)).max().unwrap_or(0))
    }
}

fn tiles(step: &StepReport) -> Vec<Tile> {
    let tile = |spread: Option<Spread>, unit| Tile { value: figure_or_na(spread.map(|s| s.median)), unit };
    vec![
        tile(step.figures.tps, "transactions/s"),
        tile(step.figures.response_mean_ms, "ms mean response"),
        tile(step.figures.response_p99_ms, "ms 99th percentile"),
        tile(step.figures.cpu_ms_per_tx, "ms CPU per transaction"),
        Tile { value: count(step.failures.total()), unit: "failed requests" },
    ]
}

fn row(step: &StepReport) -> Row {
    let cells = table::cells(step).map(|cell| {
        let missing = table::is_missing(&cell);
        (cell, missing)
    });
    Row {
        cells: cells.to_vec(),
        failed: step.failures.total() > 0,
        failures: table::failure_kinds(&step.failures),
    }
}

/// How the driver itself did: a reader must be able to judge whether it disturbed the figures.
fn driver_row(step: &StepReport) -> [String; 9] {
    let worst = |figure: fn(&crate::result::Round) -> f64| {
        let worst = step.rounds.iter().map(figure).fold(f64::NAN, f64::max);
        crate::numbers::figure(worst)
    };
    let median = |spread: Option<Spread>| figure_or_na(spread.map(|spread| spread.median));
    let waiting = Spread::of_known(
        step.rounds.iter().map(|round| Some(round.server?.waiting_s / round.cpu_interval_s * 100.0)),
    );
    [
        count(u64::from(step.clients)),
        median(step.figures.service_mean_ms),
        median(step.figures.lateness_mean_ms),
        worst(|round| round.lateness.p99_us / 1e3),
        worst(|round| round.lateness.max_us / 1e3),
        median(step.figures.driver_cpu_pct),
        median(step.figures.server_core_busy_pct),
        median(waiting),
        count(step.rounds.iter().map(|round| round.reconnects).sum()),
    ]
}

/// The five charts of the report, in its order.
fn charts(steps: &[&StepReport], cores: usize) -> Vec<Data> {
    let line = |title: &str, unit: &str, figure: fn(&StepReport) -> Option<Spread>| Data {
        title: title.to_owned(),
        unit: unit.to_owned(),
        across: "clients".to_owned(),
        columns: steps.iter().map(|step| Column::of(count(u64::from(step.clients)), figure(step))).collect(),
        style: Style::Line,
    };
    let of_cores = format!("CPU % (of {} % on {cores} cores)", cores * 100);
    vec![
        line("Transactions per second", "transactions/s", |step| step.figures.tps),
        line("Average response time", "milliseconds", |step| step.figures.response_mean_ms),
        line("CPU cost per transaction", "milliseconds", |step| step.figures.cpu_ms_per_tx),
        line("CPU usage of the server", &of_cores, |step| step.figures.cpu_pct),
        offloadable(steps),
    ]
}

/// The CPU usage, divided into what could run elsewhere and what the service providers need.
fn offloadable(steps: &[&StepReport]) -> Data {
    let columns = steps.iter().map(|step| {
        let share = step.figures.offloadable_pct.map(|spread| spread.median);
        let parts = step.figures.cpu_pct.zip(share).map(|(cpu, share)| {
            let offloadable = cpu.median * share / 100.0;
            vec![offloadable, cpu.median - offloadable]
        });
        Column {
            label: count(u64::from(step.clients)),
            values: parts.unwrap_or_default(),
            range: None,
            text: share.map(|share| format!("{} %", figure(share))),
        }
    });
    Data {
        title: "Offloadable share of CPU usage".to_owned(),
        unit: "CPU % of one core".to_owned(),
        across: "clients".to_owned(),
        columns: columns.collect(),
        style: Style::Stacked(vec!["offloadable".to_owned(), "service provider".to_owned()]),
    }
}
