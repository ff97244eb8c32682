//! The results on a terminal: one line of progress per round, one table per target at the end.

use crate::numbers::{NOT_MEASURED, count, figure_or_na};
use crate::result::{Report, Round, StepReport, TargetReport};
use crate::stats::Spread;
use crate::tally::Failures;

/// The titles of the columns, as in the report's table of figures.
pub const COLUMNS: [&str; 11] = [
    "clients",
    "tx/s",
    "mean ms",
    "p50 ms",
    "p99 ms",
    "max ms",
    "late ms",
    "CPU ms/tx",
    "CPU %",
    "offload %",
    "errors",
];

/// The cells of one step: medians over the rounds, but the largest of the longest response times.
pub fn cells(step: &StepReport) -> [String; 11] {
    let figures = &step.figures;
    let median = |spread: Option<Spread>| figure_or_na(spread.map(|spread| spread.median));
    [
        count(u64::from(step.clients)),
        median(figures.tps),
        median(figures.response_mean_ms),
        median(figures.response_p50_ms),
        median(figures.response_p99_ms),
        figure_or_na(figures.response_max_ms.map(|spread| spread.max)),
        median(figures.lateness_mean_ms),
        median(figures.cpu_ms_per_tx),
        median(figures.cpu_pct),
        median(figures.offloadable_pct),
        count(step.failures.total()),
    ]
}

/// The line shown when a round of a step is done.
pub fn progress(target: &str, clients: u32, number: u32, rounds: u32, round: &Round) -> String {
    let mean = (round.response.count > 0).then_some(round.response.mean_us / 1e3);
    let mut line = format!(
        "{target}  round {number}/{rounds}  {clients} clients  {} tx/s  mean {} ms",
        figure_or_na(Some(round.tps())),
        figure_or_na(mean),
    );
    if let Some(cpu) = round.cpu_ms_per_tx() {
        line.push_str(&format!("  CPU {} ms/tx", figure_or_na(Some(cpu))));
    }
    if round.failures.total() > 0 {
        line.push_str(&format!("  FAILED: {}", failure_kinds(&round.failures)));
        if let Some(status) = round.unexpected_status {
            line.push_str(&format!(" (last status {status})"));
        }
    }
    line
}

/// The kinds of failures that occurred, with their counts.
pub fn failure_kinds(failures: &Failures) -> String {
    let kinds = [
        ("connect", failures.connect),
        ("timeout", failures.timeout),
        ("status", failures.status),
        ("body length", failures.body_length),
        ("content", failures.content),
        ("broken answer", failures.broken_answer),
    ];
    let present: Vec<String> =
        kinds.iter().filter(|(_, n)| *n > 0).map(|(kind, n)| format!("{kind} {}", count(*n))).collect();
    if present.is_empty() { "none".to_owned() } else { present.join(", ") }
}

/// All tables of the run.
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    if !report.complete {
        text.push_str("\nINCOMPLETE: the run was stopped before its end.\n");
    }
    for target in &report.targets {
        text.push_str(&format!(
            "\n{}  {} {}  ({} byte request, {} byte response)\n",
            target.name,
            target.method,
            target.url,
            count(target.request_body_bytes as u64),
            count(target.response_body_bytes),
        ));
        text.push_str(&target_table(target));
        for step in target.steps.iter().filter(|step| step.failures.total() > 0) {
            text.push_str(&format!(
                "errors at {} clients: {}\n",
                step.clients,
                failure_kinds(&step.failures)
            ));
        }
    }
    text
}

fn target_table(target: &TargetReport) -> String {
    let mut lines = vec![COLUMNS.map(str::to_owned)];
    lines.extend(target.steps.iter().filter(|step| !step.rounds.is_empty()).map(cells));
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: [usize; 11] = std::array::from_fn(width);
    let mut text = String::new();
    for line in &lines {
        let padded: Vec<String> =
            line.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        text.push_str(&padded.join("  "));
        text.push('\n');
    }
    text
}

/// Whether a cell says that its figure was not measured.
pub fn is_missing(cell: &str) -> bool {
    cell == NOT_MEASURED
}
