//! A result as rows: each target with each value, its figures as medians with the least and the most of the rounds.

use std::collections::{BTreeMap, BTreeSet};

use load::numbers::{figure, figure_or_na};
use load::stats::Spread;

use crate::figures::Figure;
use crate::record::{Recorded, Run, Target};

/// A target with one value of the sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'a> {
    /// The target.
    pub target: &'a Target,
    /// Windows that count.
    pub windows: usize,
    /// Why windows do not count, in their order.
    pub void: Vec<&'a str>,
    /// The figures over the windows that count, by their names.
    figures: BTreeMap<&'a str, Option<Spread>>,
}

/// A figure as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its name in results.
    pub name: String,
    /// The head of its column.
    pub title: String,
}

impl Shown {
    /// The figure of this name in a run; none if nobody knows it.
    #[must_use]
    pub fn named(run: &Run, name: &str) -> Option<Shown> {
        let known = Figure::named(name).map(|figure| figure.title().to_owned());
        let title = known.or_else(|| run.titles.get(name).cloned())?;
        Some(Shown { name: name.to_owned(), title })
    }

    /// The figures that a table of the run shows.
    #[must_use]
    pub fn of_tables(run: &Run) -> Vec<Shown> {
        run.figures.iter().filter_map(|name| Shown::named(run, name)).collect()
    }
}

impl Row<'_> {
    /// A figure over the windows that count.
    #[must_use]
    pub fn spread(&self, figure: &str) -> Option<Spread> {
        self.figures.get(figure).copied().flatten()
    }
}

/// The head of the column that compares with a value of the sweep, if there is one.
#[must_use]
pub fn comparison(run: &Run) -> Option<String> {
    run.baseline.as_ref().map(|value| format!("times that at {value}"))
}

/// How many times the first figure of a row is that of the row with the value that others are compared with.
#[must_use]
pub fn times(run: &Run, rows: &[Row<'_>], row: &Row<'_>) -> String {
    let is_base =
        |other: &&Row<'_>| other.target.name == row.target.name && other.target.value == run.baseline;
    let first = |row: &Row<'_>| row.spread(run.figures.first()?).map(|spread| spread.median);
    let base = rows.iter().find(is_base).and_then(first);
    figure_or_na(first(row).zip(base).map(|(own, base)| own / base).filter(|times| times.is_finite()))
}

/// The rows of a result, in the order of its targets.
#[must_use]
pub fn rows(recorded: &Recorded) -> Vec<Row<'_>> {
    recorded.targets.iter().map(|target| row(recorded, target)).collect()
}

fn row<'a>(recorded: &'a Recorded, target: &'a Target) -> Row<'a> {
    let own: Vec<_> = (recorded.rounds.iter())
        .filter(|round| round.target == target.name && round.value == target.value)
        .collect();
    let valid: Vec<_> = own.iter().filter(|round| round.void.is_none()).collect();
    let names: BTreeSet<&str> =
        valid.iter().flat_map(|round| round.figures.keys().map(String::as_str)).collect();
    let spread = |name: &str| Spread::of_known(valid.iter().map(|round| round.figures.get(name).copied()));
    Row {
        target,
        windows: valid.len(),
        void: own.iter().filter_map(|round| round.void.as_deref()).collect(),
        figures: names.into_iter().map(|name| (name, spread(name))).collect(),
    }
}

/// A spread as a cell: the median, and the range if there is one.
#[must_use]
pub fn cell(spread: Option<Spread>) -> String {
    match spread {
        Some(spread) if spread.min < spread.max => {
            format!("{} ({}-{})", figure(spread.median), figure(spread.min), figure(spread.max))
        }
        _ => figure_or_na(spread.map(|spread| spread.median)),
    }
}

/// The result as a table for a terminal.
#[must_use]
pub fn table(recorded: &Recorded) -> String {
    let figures = Shown::of_tables(&recorded.run);
    let sweep = recorded.run.sweep.as_ref().map(|(parameter, _)| parameter.clone());
    let mut lines = vec![Vec::from(["target".to_owned()])];
    lines[0].extend(sweep.clone());
    lines[0].extend(["rounds".to_owned(), "void".to_owned()]);
    lines[0].extend(figures.iter().map(|figure| figure.title.clone()));
    lines[0].extend(comparison(&recorded.run));
    let rows = rows(recorded);
    for row in &rows {
        let mut line = vec![row.target.name.clone()];
        line.extend(sweep.is_some().then(|| row.target.value.clone().unwrap_or_default()));
        line.extend([row.windows.to_string(), row.void.len().to_string()]);
        line.extend(figures.iter().map(|figure| cell(row.spread(&figure.name))));
        line.extend(recorded.run.baseline.is_some().then(|| times(&recorded.run, &rows, row)));
        lines.push(line);
    }
    let columns = lines[0].len();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let mut cells = line.iter().zip(&widths);
        if let Some((name, width)) = cells.next() {
            text.push_str(&format!("{name:<width$}"));
        }
        cells.for_each(|(cell, width)| text.push_str(&format!("  {cell:>width$}")));
        text.push('\n');
    }
    text
}

/// Published results of other projects, for a terminal.
#[must_use]
pub fn references(recorded: &Recorded) -> String {
    let one = |(title, text): &(String, String)| format!("{title}\n{}\n\n", text.trim_end());
    recorded.run.references.iter().map(one).collect()
}

/// The beginning of a long reason.
fn shortened(reason: &str) -> String {
    const SHOWN_CHARACTERS: usize = 100;
    match reason.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}...", &reason[..end]),
        None => reason.to_owned(),
    }
}

/// The last line of a run: what was measured, what was not, and where the results are.
#[must_use]
pub fn last_line(recorded: &Recorded, place: &str) -> String {
    let rows = rows(recorded);
    let without = rows.iter().filter(|row| row.windows < recorded.run.rounds as usize).count();
    let void: usize = rows.iter().map(|row| row.void.len()).sum();
    let mut parts =
        vec![format!("measured {} of {}", rows.len() - without, rows.len() + recorded.not_run.len())];
    if void > 0 {
        parts.push(format!("{} void", terminal::count(void, "window")));
    }
    if !recorded.not_run.is_empty() {
        let mut reasons: Vec<String> = (recorded.not_run.iter())
            .map(|not_run| format!("{} ({})", not_run.target, shortened(&not_run.reason)))
            .collect();
        reasons.dedup();
        parts.push(format!("not run: {}", reasons.join(", ")));
    }
    if recorded.end.is_none() {
        parts.push("stopped before the end".to_owned());
    }
    format!("{}: {}; results in {place}", recorded.run.experiment, parts.join("; "))
}
