//! A result as rows: each target with each value, its figures as medians with the least and the most of the rounds.

use load::numbers::{figure, figure_or_na};
use load::stats::Spread;

use crate::figures::Figure;
use crate::record::{Recorded, Target};
use crate::run::shown;

/// A target with one value of the sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'a> {
    /// The target.
    pub target: &'a Target,
    /// Windows that count.
    pub windows: usize,
    /// Why windows do not count, in their order.
    pub void: Vec<&'a str>,
    /// The figures over the windows that count.
    figures: Vec<(Figure, Option<Spread>)>,
}

impl Row<'_> {
    /// A figure over the windows that count.
    #[must_use]
    pub fn spread(&self, figure: Figure) -> Option<Spread> {
        self.figures.iter().find(|(known, _)| *known == figure)?.1
    }
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
    let spread = |figure: Figure| {
        Spread::of_known(valid.iter().map(|round| round.figures.get(figure.name()).copied()))
    };
    Row {
        target,
        windows: valid.len(),
        void: own.iter().filter_map(|round| round.void.as_deref()).collect(),
        figures: Figure::ALL.map(|figure| (figure, spread(figure))).to_vec(),
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
    let figures = shown(&recorded.run.figures);
    let sweep = recorded.run.sweep.as_ref().map(|(parameter, _)| parameter.clone());
    let mut lines = vec![Vec::from(["target".to_owned()])];
    lines[0].extend(sweep.clone());
    lines[0].extend(["rounds".to_owned(), "void".to_owned()]);
    lines[0].extend(figures.iter().map(|figure| figure.title().to_owned()));
    for row in rows(recorded) {
        let mut line = vec![row.target.name.clone()];
        line.extend(sweep.is_some().then(|| row.target.value.clone().unwrap_or_default()));
        line.extend([row.windows.to_string(), row.void.len().to_string()]);
        line.extend(figures.iter().map(|figure| cell(row.spread(*figure))));
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
