//! Charts and the report's page: well formed, also with extreme values.

use load::chart::{Axis, Column, Data, Style, render};
use proptest::prelude::*;

/// Fails when tags are not balanced, or an attribute is not a number.
pub(crate) fn assert_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in xml.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("every tag ends");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "closing tag in {xml}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "tags left open in {xml}");
    assert!(!xml.contains("\"NaN") && !xml.contains("inf\"") && !xml.contains(",NaN"), "{xml}");
}

fn column(label: &str, values: &[f64]) -> Column {
    Column { label: label.to_owned(), values: values.to_vec(), range: None, text: None }
}

fn line(values: &[f64]) -> String {
    let columns = values.iter().enumerate().map(|(index, value)| column(&index.to_string(), &[*value]));
    let (title, unit) = ("A <title> & more".to_owned(), "ms".to_owned());
    let svg = render(&Data {
        title,
        unit,
        across: "clients".into(),
        columns: columns.collect(),
        style: Style::Line,
    })
    .expect("a chart");
    assert_well_formed(&svg);
    svg
}

#[test]
fn a_line_has_points_values_and_labels() {
    let svg = line(&[998.0, 1_993.0, 2_996.0]);
    assert_eq!(svg.matches("class=\"dot part1\"").count(), 3);
    assert_eq!(svg.matches("<polyline").count(), 1);
    assert!(svg.contains(">2,996</text>"));
    assert!(svg.contains("<title>1 clients: 1,993 ms</title>"));
    assert!(svg.contains(">clients</text>") && svg.contains(">ms</text>"));
    assert!(!svg.contains("<title> &"), "text is escaped");
}

#[test]
fn extreme_values_are_drawn() {
    for values in [
        &[][..],
        &[0.0],
        &[0.0, 0.0, 0.0],
        &[1e300, 1.0],
        &[1e-300, 2e-12],
        &[f64::NAN, 5.0, f64::INFINITY],
        &[f64::MAX, f64::MAX],
        &[5.0; 60],
    ] {
        line(values);
    }
    assert!(line(&[f64::NAN]).contains(">n/a</text>"));
    assert_eq!(line(&[1.0, f64::NAN, 2.0, 3.0]).matches("<polyline").count(), 1, "a gap breaks the line");
    assert_eq!(line(&[7.0]).matches("class=\"dot part1\"").count(), 1);
}

#[test]
fn a_range_is_drawn_behind_its_point() {
    let mut with_range = column("100", &[4.0]);
    with_range.range = Some((3.0, 6.0));
    let data = Data {
        title: "t".into(),
        unit: "ms".into(),
        across: "clients".into(),
        columns: vec![with_range],
        style: Style::Line,
    };
    let svg = render(&data).expect("a chart");
    assert_well_formed(&svg);
    assert!(svg.contains("class=\"whisker\""));
    assert!(svg.contains("rounds from 3.00 to 6.00"));
}

#[test]
fn parts_are_stacked() {
    let columns = vec![column("100", &[9.0, 1.0]), column("200", &[])];
    let style = Style::Stacked(vec!["offloadable".into(), "provider".into()]);
    let svg =
        render(&Data { title: "t".into(), unit: "CPU %".into(), across: "clients".into(), columns, style })
            .expect("a chart");
    assert_well_formed(&svg);
    assert_eq!(svg.matches("<rect class=\"part1\"").count(), 2, "one bar and one entry of the legend");
    assert!(svg.contains("offloadable 9.00, provider 1.00 (CPU %)"));
    assert!(svg.contains("200 clients: not measured"));
    // The axis ends at 10: the lower part takes nine tenths of the 220 units, the upper one stands on it.
    assert!(svg.contains("y=\"48.0\" width=\"46.0\" height=\"198.0\""), "{svg}");
    assert!(svg.contains("y=\"26.0\" width=\"46.0\" height=\"22.0\""), "{svg}");
}

#[test]
fn lines_stand_in_one_chart_with_their_names() {
    let names: Vec<String> = (1..=3).map(|number| format!("a target with a long name {number}")).collect();
    let columns = vec![column("1", &[1.0, 2.0, f64::NAN]), column("10", &[3.0, 4.0, 5.0]), column("50", &[])];
    let style = Style::Lines(names.clone());
    let data = Data { title: "t".into(), unit: "ms".into(), across: "clients".into(), columns, style };
    let svg = render(&data).expect("a chart");
    assert_well_formed(&svg);
    assert_eq!(svg.matches("<polyline").count(), 2, "the third has one value");
    assert_eq!(svg.matches("<circle").count(), 5);
    assert!(svg.contains("class=\"line line2\"") && svg.contains("class=\"dot part3\""), "{svg}");
    let tip = "1 clients: a target with a long name 1 1.00, a target with a long name 2 2.00 (ms)";
    assert!(svg.contains(tip), "{svg}");
    assert!(names.iter().all(|name| svg.contains(&format!(">{name}</text>"))), "{svg}");
    assert!(svg.contains(">n/a</text>"), "nothing was measured at 50");
    // Two names fit side by side: two rows, of 18 units each.
    assert!(svg.contains("viewBox=\"0 0 560.0 336.0\""), "{svg}");
}

#[test]
fn long_labels_are_broken() {
    let columns = vec![column("header program, called in and out", &[1.0]); 6];
    let style = Style::Points;
    let data = Data { title: "t".into(), unit: "ms".into(), across: String::new(), columns, style };
    let svg = render(&data).expect("a chart");
    assert_well_formed(&svg);
    for part in [">header</text>", ">program,</text>", ">called in</text>", ">and out</text>"] {
        assert_eq!(svg.matches(part).count(), 6, "{part} in {svg}");
    }
    let data = Data { columns: vec![column("COBOL alone", &[1.0]); 6], ..data };
    assert!(!render(&data).expect("a chart").contains(">COBOL alone<"), "neighbours would touch");
    let data = Data { columns: vec![column("a b c d e f", &[1.0]); 60], ..data };
    assert!(render(&data).expect("a chart").contains(">d…</text>"), "only so many lines");
}

proptest! {
    #[test]
    fn any_value_fits_its_axis(value in prop::num::f64::POSITIVE | prop::num::f64::ZERO) {
        let axis = Axis::up_to(value);
        prop_assert!(axis.step > 0.0 && axis.step.is_finite() && axis.top >= axis.step * 0.999);
        prop_assert!(axis.top / axis.step < 10.5);
        prop_assert!(!(value > 1e-240 && value < 1e240) || axis.top >= value * 0.999_999);
    }
}
