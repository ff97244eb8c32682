//! Charts as SVG: from figures to coordinates, which the template `chart.svg` only writes down.

use std::fmt;

use askama::Template;

use crate::error::Error;
use crate::numbers::{figure, tick};
use crate::stats::Spread;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
/// The height of a row of names below a chart of several lines.
const LEGEND_ROW: f64 = 18.0;
/// About the width of a character of a label, and of a name in a legend.
const LABEL_CHARACTER: f64 = 6.2;
const LEGEND_CHARACTER: f64 = 6.4;
/// Between the labels of two columns.
const LABEL_GAP: f64 = 10.0;
/// The most lines of a label that is broken.
const LABEL_LINES_MAX_COUNT: usize = 4;
/// The most lines in one chart: one for each colour.
pub const LINES_MAX_COUNT: usize = 6;
const PLOT_LEFT: f64 = 84.0;
const PLOT_RIGHT: f64 = 546.0;
const PLOT_TOP: f64 = 26.0;
const PLOT_BOTTOM: f64 = 246.0;
const BAR_MAX_WIDTH: f64 = 46.0;
/// More columns than this, and only some are labelled.
const LABELS_MAX_COUNT: usize = 12;
/// About this many lines of the grid.
const TICKS_WANTED: f64 = 5.0;
/// The smallest and the largest value that an axis ends at.
const SCALE_MIN: f64 = 1e-250;
const SCALE_MAX: f64 = 1e250;

/// The content of a chart: values side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// The title of the chart.
    pub title: String,
    /// The name of the vertical axis, with its unit.
    pub unit: String,
    /// The name of the horizontal axis: clients, bytes ...
    pub across: String,
    /// One for each value of the horizontal axis, such as a number of clients.
    pub columns: Vec<Column>,
    /// A line through the values, or bars.
    pub style: Style,
}

/// How the values are drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Style {
    /// Points joined by a line.
    Line,
    /// Several lines with these names. Each column has a value for each of them.
    Lines(Vec<String>),
    /// Points alone, of things without an order.
    Points,
    /// Bars of parts upon each other; the names are those of the parts, the lowest first.
    Stacked(Vec<String>),
}

/// The values of one column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// The label on the horizontal axis. It is broken into lines where it is longer than its column is wide.
    pub label: String,
    /// One value, or one for each line or part of a stack; empty or not finite when not measured.
    pub values: Vec<f64>,
    /// Smallest and largest value of any round.
    pub range: Option<(f64, f64)>,
    /// Instead of the sum of the values as the text above the mark.
    pub text: Option<String>,
}

impl Column {
    /// The middle of the rounds, with their range; nothing if it was not measured.
    pub(crate) fn of(label: String, spread: Option<Spread>) -> Self {
        Self {
            label,
            values: spread.map(|spread| spread.median).into_iter().collect(),
            range: spread.map(|spread| (spread.min, spread.max)),
            text: None,
        }
    }

    fn total(&self) -> Option<f64> {
        let total: f64 = self.values.iter().sum();
        (!self.values.is_empty() && total.is_finite()).then_some(total)
    }

    /// The highest value to be drawn.
    fn top(&self, style: &Style) -> f64 {
        if let Style::Lines(_) = style {
            return self.values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
        }
        let high = self.range.map(|(_, high)| high).filter(|high| high.is_finite());
        self.total().unwrap_or(0.0).max(high.unwrap_or(0.0))
    }
}

/// Draws the chart.
///
/// # Errors
/// Never in practice: the template only fails when writing to memory does.
pub fn render(data: &Data) -> Result<String, Error> {
    Drawing::of(data)
        .render()
        .map_err(|error| Error::system("cannot draw a chart", std::io::Error::other(error)))
}

/// A coordinate, written with one decimal.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Px(f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.0)
    }
}

#[derive(Template)]
#[template(path = "chart.svg")]
struct Drawing<'a> {
    title: &'a str,
    unit: &'a str,
    across: &'a str,
    width: Px,
    height: Px,
    left: Px,
    right: Px,
    bottom: Px,
    middle_x: Px,
    middle_y: Px,
    ticks: Vec<(Px, String)>,
    /// Points of each unbroken stretch of a line, and the number of its colour.
    lines: Vec<(usize, String)>,
    marks: Vec<Mark>,
    legend: Vec<Entry>,
}

/// A name in the legend.
struct Entry {
    x: Px,
    y: Px,
    part: usize,
    name: String,
}

/// The drawing of one column.
struct Mark {
    x: Px,
    /// The lines of the label.
    label: Vec<String>,
    tip: String,
    bars: Vec<Bar>,
    /// Number of the colour, and the height.
    dots: Vec<(usize, Px)>,
    whisker: Option<(Px, Px)>,
    text: Option<(Px, String)>,
    missing: bool,
}

struct Bar {
    part: usize,
    x: Px,
    y: Px,
    width: Px,
    height: Px,
}

impl Drawing<'_> {
    fn of(data: &Data) -> Drawing<'_> {
        let axis = Axis::up_to(data.columns.iter().map(|column| column.top(&data.style)).fold(0.0, f64::max));
        let count = data.columns.len().max(1);
        let pitch = (PLOT_RIGHT - PLOT_LEFT) / count as f64;
        let every = count.div_ceil(LABELS_MAX_COUNT);
        let place = |index: usize| PLOT_LEFT + pitch * (index as f64 + 0.5);
        let marks = data
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| mark(data, column, &axis, place(index), pitch, index % every == 0));
        let lines = match &data.style {
            Style::Line => line_stretches(data, &axis, 0, &place),
            Style::Lines(names) => {
                (0..names.len()).flat_map(|part| line_stretches(data, &axis, part, &place)).collect()
            }
            Style::Points | Style::Stacked(_) => Vec::new(),
        };
        let (legend, rows) = legend(&data.style);
        Drawing {
            title: &data.title,
            unit: &data.unit,
            across: &data.across,
            width: Px(WIDTH),
            height: Px(HEIGHT + LEGEND_ROW * rows as f64),
            left: Px(PLOT_LEFT),
            right: Px(PLOT_RIGHT),
            bottom: Px(PLOT_BOTTOM),
            middle_x: Px((PLOT_LEFT + PLOT_RIGHT) / 2.0),
            middle_y: Px((PLOT_TOP + PLOT_BOTTOM) / 2.0),
            ticks: axis.ticks().map(|value| (Px(axis.y(value)), tick(value, axis.step))).collect(),
            lines,
            marks: marks.collect(),
            legend,
        }
    }
}

/// The names of parts above a chart, or of lines in rows below it, and how many rows these are.
fn legend(style: &Style) -> (Vec<Entry>, usize) {
    let (names, below) = match style {
        Style::Stacked(names) => (names, false),
        Style::Lines(names) => (names, true),
        Style::Line | Style::Points => return (Vec::new(), 0),
    };
    let (mut x, mut row) = (PLOT_LEFT, 0);
    let mut entries = Vec::new();
    for (part, name) in names.iter().enumerate() {
        let width = 34.0 + name.chars().count() as f64 * LEGEND_CHARACTER;
        if below && x > PLOT_LEFT && x + width > WIDTH {
            (x, row) = (PLOT_LEFT, row + 1);
        }
        let y = if below { HEIGHT + LEGEND_ROW * row as f64 } else { 3.0 };
        entries.push(Entry { x: Px(x), y: Px(y), part: part + 1, name: name.clone() });
        x += width;
    }
    (entries, if below { row + 1 } else { 0 })
}

/// A line, broken where a value is missing.
fn line_stretches(
    data: &Data,
    axis: &Axis,
    part: usize,
    place: &impl Fn(usize) -> f64,
) -> Vec<(usize, String)> {
    let mut stretches = vec![Vec::new()];
    for (index, column) in data.columns.iter().enumerate() {
        let value = column.values.get(part).copied().filter(|value| value.is_finite());
        match (value, stretches.last_mut()) {
            (Some(value), Some(stretch)) => {
                stretch.push(format!("{},{}", Px(place(index)), Px(axis.y(value))))
            }
            _ => stretches.push(Vec::new()),
        }
    }
    stretches.retain(|stretch| stretch.len() > 1);
    stretches.iter().map(|stretch| (part + 1, stretch.join(" "))).collect()
}

/// A label in lines that are about as wide as its column.
fn broken(label: &str, pitch: f64) -> Vec<String> {
    let most = (((pitch - LABEL_GAP) / LABEL_CHARACTER) as usize).max(1);
    let mut lines = Vec::new();
    for line in label.lines() {
        let mut own = String::new();
        for word in line.split_whitespace() {
            if !own.is_empty() && own.chars().count() + 1 + word.chars().count() > most {
                lines.push(std::mem::take(&mut own));
            }
            if !own.is_empty() {
                own.push(' ');
            }
            own.push_str(word);
        }
        lines.push(own);
    }
    if lines.len() > LABEL_LINES_MAX_COUNT {
        lines.truncate(LABEL_LINES_MAX_COUNT);
        lines[LABEL_LINES_MAX_COUNT - 1].push('…');
    }
    lines
}

fn mark(data: &Data, column: &Column, axis: &Axis, x: f64, pitch: f64, labelled: bool) -> Mark {
    let total = column.total();
    let range = column.range.filter(|(low, high)| low.is_finite() && high.is_finite() && low < high);
    let values = || column.values.iter().enumerate().filter(|(_, value)| value.is_finite());
    let (dots, bars, text): (Vec<_>, _, _) = match (&data.style, total) {
        (Style::Stacked(_), Some(total)) => (Vec::new(), bars(column, axis, x, pitch), Some(total)),
        (Style::Stacked(_), None) => (Vec::new(), Vec::new(), None),
        // Texts of several lines would hide one another.
        (Style::Lines(_), _) => {
            (values().map(|(part, value)| (part + 1, Px(axis.y(*value)))).collect(), Vec::new(), None)
        }
        (Style::Line | Style::Points, total) => {
            (total.iter().map(|total| (1, Px(axis.y(*total)))).collect(), Vec::new(), total)
        }
    };
    let text = text.map(|total| column.text.clone().unwrap_or_else(|| figure(total)));
    let whisker = range.filter(|_| matches!(data.style, Style::Line | Style::Points));
    let text_y = axis.y(column.top(&data.style)) - 11.0;
    Mark {
        x: Px(x),
        label: if labelled { broken(&column.label, pitch) } else { Vec::new() },
        tip: tip(data, column, range),
        missing: dots.is_empty() && bars.is_empty(),
        bars,
        dots,
        whisker: whisker.map(|(low, high)| (Px(axis.y(low)), Px(axis.y(high)))),
        text: text.filter(|_| labelled).map(|text| (Px(text_y), text)),
    }
}

fn bars(column: &Column, axis: &Axis, x: f64, pitch: f64) -> Vec<Bar> {
    let width = (pitch * 0.6).min(BAR_MAX_WIDTH);
    let mut below = 0.0;
    let mut bars = Vec::new();
    for (part, value) in column.values.iter().enumerate() {
        let (from, to) = (axis.y(below), axis.y(below + value));
        below += value;
        bars.push(Bar {
            part: part + 1,
            x: Px(x - width / 2.0),
            y: Px(to),
            width: Px(width),
            height: Px(from - to),
        });
    }
    bars
}

/// The text at the pointer: each value with its unit, and its range over the rounds.
fn tip(data: &Data, column: &Column, range: Option<(f64, f64)>) -> String {
    let mut tip = format!("{} {}: ", column.label.replace('\n', " "), data.across);
    let named = |names: &[String], unit: &str| {
        let parts = names.iter().zip(&column.values).filter(|(_, value)| value.is_finite());
        let parts: Vec<String> = parts.map(|(name, value)| format!("{name} {}", figure(*value))).collect();
        format!("{} ({unit})", parts.join(", "))
    };
    match (&data.style, column.total()) {
        (Style::Lines(names), _) => tip.push_str(&named(names, &data.unit)),
        (_, None) => tip.push_str("not measured"),
        (Style::Line | Style::Points, Some(total)) => {
            tip.push_str(&format!("{} {}", figure(total), data.unit))
        }
        (Style::Stacked(names), Some(_)) => tip.push_str(&named(names, &data.unit)),
    }
    if let Some((low, high)) = range {
        tip.push_str(&format!(", rounds from {} to {}", figure(low), figure(high)));
    }
    tip
}

/// The vertical axis, always from zero: a cut axis makes small differences look large.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// Between two lines of the grid: 1, 2 or 5 times a power of ten.
    pub step: f64,
    /// The value at the upper end.
    pub top: f64,
}

impl Axis {
    /// An axis on which this value fits.
    pub fn up_to(value: f64) -> Axis {
        // Within these bounds no step or top can underflow or overflow.
        let value = if value > 0.0 { value.clamp(SCALE_MIN, SCALE_MAX) } else { 1.0 };
        let rough = value / TICKS_WANTED;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|factor| factor * power)
            .into_iter()
            .find(|step| *step >= rough * 0.999);
        let step = step.unwrap_or(power * 10.0);
        // A little tolerance, so that a value just at a line does not add another one.
        let lines = (value / step - 1e-9).ceil().max(1.0);
        Axis { step, top: step * lines }
    }

    fn ticks(self) -> impl Iterator<Item = f64> {
        let count = (self.top / self.step).round() as u32;
        (0..=count).map(move |index| f64::from(index) * self.step)
    }

    fn y(self, value: f64) -> f64 {
        let share = (value / self.top).clamp(0.0, 1.0);
        PLOT_BOTTOM - share * (PLOT_BOTTOM - PLOT_TOP)
    }
}
