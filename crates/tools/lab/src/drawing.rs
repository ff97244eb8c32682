//! Drawings of packets between two ends, as the lines between two columns that network people draw. Time goes down; each moment
//! has a row of its own, so that what lies milliseconds apart and what lies a second apart can both be read.

use askama::Template;
use load::Error;
use serde::{Deserialize, Serialize};

/// The most arrows of a drawing.
pub const ARROWS_MAX_COUNT: usize = 200;

const LEFT: f64 = 130.0;
const RIGHT: f64 = 430.0;
const TOP: f64 = 40.0;
const ROW: f64 = 17.0;
/// How far across an arrow gets that does not arrive.
const LOST_AT: f64 = 0.55;

/// Packets between two ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawing {
    /// The title of the drawing.
    pub title: String,
    /// The end on the left.
    pub left: String,
    /// The end on the right.
    pub right: String,
    /// The packets.
    pub arrows: Vec<Arrow>,
}

/// A packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrow {
    /// It goes from right to left.
    #[serde(default)]
    pub back: bool,
    /// When it is sent, in milliseconds.
    pub at_ms: f64,
    /// When it arrives; none if it is lost.
    pub until_ms: Option<f64>,
    /// The label of the arrow.
    pub label: String,
}

#[derive(Template)]
#[template(path = "drawing.svg")]
struct Svg<'a> {
    drawing: &'a Drawing,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    height: f64,
    width: f64,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    class: &'static str,
    x1: f64,
    y1: f64,
    x2: f64,
    y2: f64,
    /// Where the head's two other corners are; none if it is lost.
    head: Option<String>,
    label: &'a str,
    label_x: f64,
    label_y: f64,
    time: String,
    time_x: f64,
    anchor: &'static str,
}

/// Draws it as SVG.
///
/// # Errors
/// Never in practice: the template only fails when writing to memory does.
pub fn render(drawing: &Drawing) -> Result<String, Error> {
    let mut moments: Vec<f64> = (drawing.arrows.iter())
        // A lost packet has a row of its own, too.
        .flat_map(|arrow| [Some(arrow.at_ms), arrow.until_ms.or(Some(arrow.at_ms + 1e-4))])
        .flatten()
        .filter(|moment| moment.is_finite())
        .collect();
    moments.sort_by(f64::total_cmp);
    moments.dedup_by(|one, other| (*one - *other).abs() < 1e-6);
    let row = |moment: f64| {
        let place = moments.iter().position(|known| (known - moment).abs() < 1e-6).unwrap_or(0);
        TOP + 14.0 + ROW * place as f64
    };
    let lines = drawing.arrows.iter().map(|arrow| line(arrow, &row)).collect();
    let bottom = TOP + 28.0 + ROW * moments.len() as f64;
    let (height, width) = (bottom + 10.0, RIGHT + LEFT);
    let svg = Svg { drawing, left: LEFT, right: RIGHT, top: TOP, bottom, height, width, lines };
    svg.render().map_err(|error| Error::system("cannot draw packets", std::io::Error::other(error)))
}

fn line<'a>(arrow: &'a Arrow, row: &impl Fn(f64) -> f64) -> Line<'a> {
    let (x1, far) = if arrow.back { (RIGHT, LEFT) } else { (LEFT, RIGHT) };
    let y1 = row(arrow.at_ms);
    let (x2, y2) = match arrow.until_ms {
        Some(until) => (far, row(until)),
        None => (x1 + (far - x1) * LOST_AT, y1 + ROW * 0.6),
    };
    let back = if arrow.back { 1.0 } else { -1.0 };
    let head = arrow.until_ms.map(|_| {
        let (x, slope) = (x2 + 9.0 * back, (y2 - y1) / (x2 - x1) * 9.0 * back);
        format!("{x2:.1},{y2:.1} {x:.1},{:.1} {x:.1},{:.1}", y2 + slope - 4.0, y2 + slope + 4.0)
    });
    Line {
        class: if arrow.until_ms.is_some() { "packet" } else { "packet lost" },
        x1,
        y1,
        x2,
        y2,
        head,
        label: &arrow.label,
        label_x: x1 - 12.0 * back + if arrow.back { -24.0 } else { 24.0 },
        label_y: y1 - 3.0,
        time: format!("{:.1} ms", arrow.at_ms),
        time_x: if arrow.back { RIGHT + 10.0 } else { LEFT - 10.0 },
        anchor: if arrow.back { "start" } else { "end" },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_lines_and_lost_ones_have_no_head() {
        let arrow = |back, at_ms, until_ms, label: &str| Arrow { back, at_ms, until_ms, label: label.into() };
        let drawing = Drawing {
            title: "one is lost".to_owned(),
            left: "client".to_owned(),
            right: "server".to_owned(),
            arrows: vec![
                arrow(false, 0.0, None, "data <1>"),
                arrow(false, 20.0, Some(20.5), "data 1 again"),
                arrow(true, 20.5, Some(21.0), "ACK"),
            ],
        };
        let svg = render(&drawing).expect("an SVG");
        assert_eq!((svg.matches("<line").count(), svg.matches("<polygon").count()), (5, 2), "{svg}");
        assert!(
            svg.contains("packet lost") && svg.contains("data &#60;1&#62;") && svg.contains(">20.0 ms<"),
            "{svg}"
        );
        roxmltree::Document::parse(&svg).expect("XML");
    }
}
