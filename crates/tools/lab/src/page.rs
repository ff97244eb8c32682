//! The report of one or more results as one HTML page that needs nothing else.

use askama::Template;
use load::Error;
use load::chart::{self, Column, Data, LINES_MAX_COUNT, Style};
use load::report::STYLE;

use crate::drawing;
use crate::record::{Note, Recorded};
use crate::summary::{Row, Shown, cell, comparison, rows, times};

#[derive(Template)]
#[template(path = "lab.html")]
struct Page<'a> {
    style: &'static str,
    title: String,
    sections: Vec<Section<'a>>,
}

struct Section<'a> {
    recorded: &'a Recorded,
    is_complete: bool,
    columns: Vec<String>,
    lines: Vec<Vec<String>>,
    /// Title and SVG.
    charts: Vec<(String, String)>,
    /// Notes of windows: title, text and SVG.
    notes: Vec<(String, String, String)>,
    /// Target, value, round, attempt and reason of windows that do not count.
    void: Vec<[String; 5]>,
    command: String,
    cores: String,
}

/// Writes the page.
///
/// # Errors
/// Never in practice: templates only fail when writing to memory does.
pub fn render(results: &[Recorded]) -> Result<String, Error> {
    let names: Vec<&str> = results.iter().map(|recorded| recorded.run.experiment.as_str()).collect();
    let page = Page {
        style: STYLE,
        title: names.join(", "),
        sections: results.iter().map(Section::of).collect::<Result<_, _>>()?,
    };
    page.render().map_err(|error| Error::system("cannot write the report", std::io::Error::other(error)))
}

impl Section<'_> {
    fn of(recorded: &Recorded) -> Result<Section<'_>, Error> {
        let rows = rows(recorded);
        let figures = Shown::of_tables(&recorded.run);
        let sweep = recorded.run.sweep.as_ref().map(|(parameter, _)| parameter.clone());
        let mut columns = vec!["target".to_owned()];
        columns.extend(sweep.clone());
        columns.push("rounds".to_owned());
        columns.extend(figures.iter().map(|figure| figure.title.clone()));
        columns.extend(comparison(&recorded.run));
        let line = |row: &Row<'_>| {
            let mut line = vec![row.target.name.clone()];
            line.extend(sweep.is_some().then(|| row.target.value.clone().unwrap_or_default()));
            line.push(row.windows.to_string());
            line.extend(figures.iter().map(|figure| cell(row.spread(&figure.name))));
            line.extend(recorded.run.baseline.is_some().then(|| times(&recorded.run, &rows, row)));
            line
        };
        let void = recorded.rounds.iter().filter_map(|round| {
            let value = round.value.clone().unwrap_or_default();
            let (number, attempt) = (round.round.to_string(), round.attempt.to_string());
            Some([round.target.clone(), value, number, attempt, round.void.clone()?])
        });
        let charts = charts(recorded, &rows).into_iter();
        Ok(Section {
            recorded,
            is_complete: recorded.end.as_ref().is_some_and(|end| end.complete),
            columns,
            lines: rows.iter().map(line).collect(),
            charts: charts
                .map(|data| Ok((data.title.clone(), chart::render(&data)?)))
                .collect::<Result<_, Error>>()?,
            notes: last_notes(recorded).into_iter().map(shown_note).collect::<Result<_, Error>>()?,
            void: void.collect(),
            command: recorded.run.command.join(" "),
            cores: recorded.run.cores.map_or_else(
                || "servers and driver were not bound to cores".to_owned(),
                |(server, driver)| format!("servers on core {server}, driver on core {driver}"),
            ),
        })
    }
}

/// The last note of each target with each value.
fn last_notes(recorded: &Recorded) -> Vec<&Note> {
    let is_of =
        |note: &&Note, name: &str, value: &Option<String>| note.target == name && note.value == *value;
    let last = |target: &crate::record::Target| {
        recorded.notes.iter().rev().find(|note| is_of(note, &target.name, &target.value))
    };
    recorded.targets.iter().filter_map(last).collect()
}

fn shown_note(note: &Note) -> Result<(String, String, String), Error> {
    let value = note.value.as_ref().map(|value| format!(" at {value}")).unwrap_or_default();
    let drawn = note.drawing.as_ref();
    let what = drawn.map(|drawing| format!(": {}", drawing.title)).unwrap_or_default();
    let svg = drawn.map(drawing::render).transpose()?.unwrap_or_default();
    Ok((format!("{}{value}{what}", note.target), note.text.clone().unwrap_or_default(), svg))
}

/// The charts: with a sweep a line for each target, [`LINES_MAX_COUNT`] in a chart; otherwise the targets side by side.
fn charts(recorded: &Recorded, rows: &[Row<'_>]) -> Vec<Data> {
    let mut all = Vec::new();
    for (title, name) in &recorded.run.charts {
        let Some(figure) = Shown::named(&recorded.run, name) else { continue };
        let figure = &figure;
        let data = |title: String, across: &str, columns, style| Data {
            title,
            unit: figure.title.clone(),
            across: across.to_owned(),
            columns,
            style,
        };
        let Some((parameter, _)) = &recorded.run.sweep else {
            let columns = rows.iter().map(|row| column(row.target.name.clone(), row, figure)).collect();
            all.push(data(title.clone(), "", columns, Style::Points));
            continue;
        };
        let mut names: Vec<&str> = Vec::new();
        for row in rows {
            if !names.contains(&row.target.name.as_str()) {
                names.push(&row.target.name);
            }
        }
        for group in names.chunks(LINES_MAX_COUNT) {
            let (title, columns, style) = match group {
                [name] => {
                    let own = rows.iter().filter(|row| row.target.name == *name);
                    let columns = own.map(|row| column(value_of(row), row, figure)).collect();
                    let title = if names.len() > 1 { format!("{title}: {name}") } else { title.clone() };
                    (title, columns, Style::Line)
                }
                _ => {
                    let lines = group.iter().map(|&name| name.to_owned()).collect();
                    (title.clone(), together(rows, group, figure), Style::Lines(lines))
                }
            };
            all.push(data(title, parameter, columns, style));
        }
    }
    all
}

fn value_of(row: &Row<'_>) -> String {
    row.target.value.clone().unwrap_or_default()
}

/// A column for each value of the sweep, with the medians of these targets.
fn together(rows: &[Row<'_>], names: &[&str], figure: &Shown) -> Vec<Column> {
    let mut labels: Vec<String> = Vec::new();
    for row in rows {
        if !labels.contains(&value_of(row)) {
            labels.push(value_of(row));
        }
    }
    let median = |name: &str, label: &str| {
        let row = rows.iter().find(|row| row.target.name == name && value_of(row) == label);
        row.and_then(|row| row.spread(&figure.name)).map_or(f64::NAN, |spread| spread.median)
    };
    let column = |label: String| Column {
        values: names.iter().map(|name| median(name, &label)).collect(),
        label,
        range: None,
        text: None,
    };
    labels.into_iter().map(column).collect()
}

fn column(label: String, row: &Row<'_>, figure: &Shown) -> Column {
    let spread = row.spread(&figure.name);
    Column {
        label,
        values: spread.map(|spread| spread.median).into_iter().collect(),
        range: spread.map(|spread| (spread.min, spread.max)),
        text: None,
    }
}
