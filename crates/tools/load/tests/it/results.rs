//! The shape of the results on data that was made up.

use load::machine::Machine;
use load::report;
use load::result::{RESULT_FORMAT, Report, Round, ServerUse, Settings, StepReport, TargetReport};
use load::table;
use load::tally::{Exchange, Failure, Tally, Window};

use crate::charts::assert_well_formed;

/// A round of one second with this many transactions of 2 ms each; the server used 20 µs for each, of which the
/// provider a tenth.
fn round(transactions: u64) -> Round {
    let mut tally = Tally::new(Window { start_ns: 0, end_ns: 1_000_000_000 });
    for index in 0..transactions {
        let start = index * 1_000;
        tally.answered(Exchange { intended_ns: start, sent_ns: start + 500_000, done_ns: start + 2_000_000 });
    }
    let cpu_s = transactions as f64 * 20e-6;
    Round {
        server: Some(ServerUse {
            cpu_s,
            waiting_s: 0.0,
            memory_mib: Some(12.0),
            core_busy_pct: Some(50.0),
            provider_cpu_s: Some(cpu_s / 10.0),
        }),
        driver_cpu_s: cpu_s / 2.0,
        cpu_interval_s: 1.0,
        ..Round::of(&tally, 1.0)
    }
}

fn run_of(rounds: &[Round]) -> Report {
    let mut step = StepReport::new(500);
    rounds.iter().for_each(|round| step.push(round.clone()));
    let settings = Settings {
        think_ms: 100.0,
        rate_per_s: None,
        warmup_s: 2.0,
        duration_s: 1.0,
        rounds: 3,
        timeout_ms: 5_000.0,
        threads: 1,
        spin_us: 0.0,
        pin_core: Some(1),
    };
    let target = TargetReport {
        name: "1K, \"quoted\" <b>".to_owned(),
        method: "PUT".to_owned(),
        url: "http://127.0.0.1:2222/x?a=1&b=2".to_owned(),
        request_body_bytes: 37,
        response_body_bytes: 1_580,
        server_pid: Some(1),
        steps: vec![step, StepReport::new(600)],
    };
    Report {
        format: RESULT_FORMAT,
        label: Some("commit <abc>".to_owned()),
        complete: true,
        started_utc: "2016-08-26T09:30:00Z".to_owned(),
        command: vec!["gantry".to_owned(), "load".to_owned()],
        driver_version: "0".to_owned(),
        machine: Machine { cores: 2, ..Machine::default() },
        settings,
        targets: vec![target],
        notes: Vec::new(),
    }
}

#[test]
fn figures_are_medians_over_the_rounds() {
    let report = run_of(&[round(100), round(300), round(120)]);
    let figures = &report.targets[0].steps[0].figures;
    let tps = figures.tps.expect("measured");
    assert_eq!((tps.min, tps.median, tps.max), (100.0, 120.0, 300.0));
    let near = |spread: Option<load::stats::Spread>, value: f64| {
        let median = spread.expect("measured").median;
        assert!((median - value).abs() < 1e-9, "{median} is not {value}");
    };
    near(figures.response_mean_ms, 2.0);
    near(figures.service_mean_ms, 1.5);
    near(figures.lateness_mean_ms, 0.5);
    near(figures.cpu_ms_per_tx, 0.02);
    near(figures.driver_cpu_ms_per_tx, 0.01);
    near(figures.cpu_pct, 0.24);
    near(figures.offloadable_pct, 90.0);
    near(figures.server_core_busy_pct, 50.0);
}

#[test]
fn a_round_without_transactions_has_no_cost_per_transaction() {
    let report = run_of(&[round(0)]);
    let figures = &report.targets[0].steps[0].figures;
    assert_eq!(figures.tps.map(|tps| tps.median), Some(0.0));
    assert_eq!(
        (figures.cpu_ms_per_tx, figures.response_mean_ms, figures.offloadable_pct),
        (None, None, None)
    );
}

#[test]
fn json_is_read_back_as_it_was_written() {
    let report = run_of(&[round(100), round(0)]);
    let json = serde_json::to_string(&report).expect("JSON");
    assert_eq!(serde_json::from_str::<Report>(&json).expect("a report"), report);
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(value["targets"][0]["steps"][0]["rounds"][0]["transactions"], 100);
    assert_eq!(value["targets"][0]["steps"][1]["figures"]["tps"], serde_json::Value::Null);
}

#[test]
fn csv_has_a_line_for_each_round() {
    let csv = run_of(&[round(100), round(0)]).to_csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3);
    let columns = lines[0].split(',').count();
    // The name of the target is quoted and has one comma of its own.
    assert!(lines[1].starts_with("\"1K, \"\"quoted\"\" <b>\",500,1,100,100,2,"), "{}", lines[1]);
    assert!(lines.iter().skip(1).all(|line| line.split(',').count() == columns + 1), "{csv}");
}

#[test]
fn the_table_has_a_line_for_each_step_that_was_measured() {
    let mut report = run_of(&[round(4_985)]);
    report.complete = false;
    let mut tally = Tally::new(Window { start_ns: 0, end_ns: 10 });
    tally.failed(Exchange { intended_ns: 1, sent_ns: 1, done_ns: 2 }, Failure::Status(503));
    report.targets[0].steps[0].push(Round { cpu_interval_s: 1.0, ..Round::of(&tally, 1.0) });
    let text = table::render(&report);
    assert!(text.contains("INCOMPLETE"), "{text}");
    assert!(text.contains("errors at 500 clients: status 1"), "{text}");
    assert!(text.lines().any(|line| line.trim_start().starts_with("500 ")), "{text}");
    assert!(!text.contains("600"), "{text}");
}

#[test]
fn the_page_is_self_contained_and_well_formed() {
    for rounds in [vec![], vec![round(0)], vec![round(100), round(200)]] {
        let html = report::render(&run_of(&rounds)).expect("a page");
        let charts = if rounds.is_empty() { 0 } else { 5 };
        assert_eq!(html.matches("<svg").count(), charts);
        assert!(
            html.contains("commit &#60;abc&#62;") || html.contains("commit &lt;abc&gt;"),
            "text is escaped"
        );
        assert!(
            !html.contains("<script") && !html.contains("<link") && !html.contains("src="),
            "nothing is fetched"
        );
        assert!(html.contains("prefers-color-scheme: dark"));
        for svg in html.split("<svg").skip(1) {
            let (svg, _) = svg.split_once("</svg>").expect("every chart ends");
            assert_well_formed(&format!("<svg{svg}</svg>"));
        }
    }
}
