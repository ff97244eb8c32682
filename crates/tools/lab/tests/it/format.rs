//! The result format: every written value is read again, and every fault is reported with its line.

use std::collections::BTreeMap;

use lab::drawing::{Arrow, Drawing};
use lab::record::{self, End, Line, NotRun, Note, Recorded, Round, Run, Target, line, read, rounded};
use load::machine::Machine;
use proptest::prelude::*;

fn run() -> impl Strategy<Value = Run> {
    let sweep = proptest::option::of((".*", proptest::collection::vec(".*", 0..3)));
    (
        (".*", ".*", ".*"),
        (any::<u32>(), any::<u32>(), number()),
        sweep,
        proptest::option::of((0..9_usize, 0..9_usize)),
    )
        .prop_map(|((experiment, description, command), (rounds, clients, seconds), sweep, cores)| Run {
            format: record::FORMAT,
            experiment,
            description,
            started_utc: "2026-11-23T07:00:00Z".to_owned(),
            version: "1".to_owned(),
            command: vec![command],
            machine: Machine::default(),
            cores,
            rounds,
            clients,
            think_ms: seconds,
            warmup_s: seconds,
            duration_s: seconds,
            sweep,
            baseline: None,
            figures: vec!["requests_per_s".to_owned(), "no figure".to_owned()],
            charts: vec![("title".to_owned(), "cpu_us_per_request".to_owned())],
            titles: BTreeMap::from([("own".to_owned(), "own µs".to_owned())]),
            references: vec![("report".to_owned(), "49".to_owned())],
            seed: Some(7),
        })
}

fn number() -> impl Strategy<Value = f64> {
    (-1e15..1e15_f64).prop_map(rounded)
}

fn text() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(".*")
}

fn target() -> impl Strategy<Value = Target> {
    (".*", ".*", text(), any::<usize>(), number()).prop_map(|(name, url, value, messages, bytes)| Target {
        name,
        server: url.clone(),
        value,
        url,
        messages,
        request_bytes: bytes,
        answer_bytes: bytes,
        compare: "same".to_owned(),
    })
}

fn round() -> impl Strategy<Value = Round> {
    let figures = proptest::collection::btree_map(".*", number(), 0..4);
    (".*", text(), text(), any::<u32>(), figures).prop_map(|(target, value, void, round, figures)| Round {
        target,
        value,
        round,
        attempt: round,
        void,
        figures,
    })
}

fn note() -> impl Strategy<Value = Note> {
    let arrow = (any::<bool>(), number(), proptest::option::of(number()), ".*");
    let arrow = arrow.prop_map(|(back, at_ms, until_ms, label)| Arrow { back, at_ms, until_ms, label });
    let arrows = proptest::option::of(proptest::collection::vec(arrow, 0..3));
    (".*", text(), text(), any::<u32>(), arrows).prop_map(|(target, value, text, round, arrows)| {
        let drawing = arrows.map(|arrows| {
            let (left, right) = ("client".to_owned(), "server".to_owned());
            Drawing { title: target.clone(), left, right, arrows }
        });
        Note { target, value, round, text, drawing }
    })
}

fn recorded() -> impl Strategy<Value = Recorded> {
    let not_run = (".*", text(), ".*").prop_map(|(target, value, reason)| NotRun { target, value, reason });
    let end = proptest::option::of((any::<bool>(), any::<u32>()));
    let many = 0..4_usize;
    (
        run(),
        proptest::collection::vec(target(), many.clone()),
        proptest::collection::vec(not_run, many.clone()),
        proptest::collection::vec(round(), many.clone()),
        proptest::collection::vec(note(), many),
        end,
    )
        .prop_map(|(run, targets, not_run, rounds, notes, end)| Recorded {
            run,
            targets,
            not_run,
            rounds,
            notes,
            end: end.map(|(complete, void)| End { complete, void }),
        })
}

fn written(recorded: &Recorded) -> String {
    let mut text = line(&Line::Run(Box::new(recorded.run.clone())));
    recorded.targets.iter().for_each(|target| text.push_str(&line(&Line::Target(target.clone()))));
    recorded.not_run.iter().for_each(|not_run| text.push_str(&line(&Line::NotRun(not_run.clone()))));
    recorded.rounds.iter().for_each(|round| text.push_str(&line(&Line::Round(round.clone()))));
    recorded.notes.iter().for_each(|note| text.push_str(&line(&Line::Note(note.clone()))));
    recorded.end.iter().for_each(|end| text.push_str(&line(&Line::End(end.clone()))));
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_again(recorded in recorded()) {
        prop_assert_eq!(read(&written(&recorded)), Ok(recorded));
    }

    #[test]
    fn a_file_that_was_cut_off_keeps_its_whole_lines(recorded in recorded(), cut in 0.0..1.0_f64) {
        let text = written(&recorded);
        let mut at = (text.len() as f64 * cut) as usize;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let whole = text[..at].matches('\n').count();
        match read(&text[..at]) {
            Err((1, _)) => prop_assert_eq!(whole, 0),
            Err(other) => prop_assert!(false, "{:?}", other),
            Ok(found) => {
                let lines = 1 + found.targets.len() + found.not_run.len() + found.rounds.len() + found.notes.len();
                let lines = lines + usize::from(found.end.is_some());
                // The last line may lack only its line end.
                prop_assert!(lines == whole || lines == whole + 1);
            }
        }
    }

    #[test]
    fn every_result_has_a_table_and_a_page(recorded in recorded()) {
        let table = lab::summary::table(&recorded);
        prop_assert!(table.lines().count() > recorded.targets.len());
        let page = lab::page::render(std::slice::from_ref(&recorded)).expect("a page");
        prop_assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    }
}

fn example() -> Recorded {
    let target = |name: &str| Target {
        name: name.to_owned(),
        server: "s".to_owned(),
        value: None,
        url: "http://127.0.0.1:1/".to_owned(),
        messages: 64,
        request_bytes: 10.0,
        answer_bytes: 20.0,
        compare: "values".to_owned(),
    };
    let round = |number, attempt, void: Option<&str>, rate| Round {
        target: "a<b".to_owned(),
        value: None,
        round: number,
        attempt,
        void: void.map(str::to_owned),
        figures: BTreeMap::from([("requests_per_s".to_owned(), rate), ("own".to_owned(), rate / 2.0)]),
    };
    Recorded {
        run: Run {
            format: record::FORMAT,
            experiment: "e".to_owned(),
            description: "d".to_owned(),
            started_utc: String::new(),
            version: String::new(),
            command: vec![],
            machine: Machine::default(),
            cores: Some((0, 1)),
            rounds: 3,
            clients: 1,
            think_ms: 0.0,
            warmup_s: 1.0,
            duration_s: 1.0,
            sweep: None,
            baseline: None,
            figures: vec!["requests_per_s".to_owned(), "own".to_owned()],
            charts: vec![("Rate".to_owned(), "requests_per_s".to_owned())],
            titles: BTreeMap::from([("own".to_owned(), "own ms".to_owned())]),
            references: vec![("The report".to_owned(), "49 -> 1602".to_owned())],
            seed: Some(11),
        },
        targets: vec![target("a<b"), target("c")],
        not_run: vec![NotRun { target: "g".to_owned(), value: None, reason: "not installed: x".to_owned() }],
        rounds: vec![
            round(1, 1, None, 10.0),
            round(2, 1, Some("too slow"), 1000.0),
            round(2, 2, None, 30.0),
            round(3, 1, None, 20.0),
        ],
        notes: vec![Note {
            target: "a<b".to_owned(),
            value: None,
            round: 3,
            text: Some("PRCRYP1 <ACTIVE>".to_owned()),
            drawing: Some(Drawing {
                title: "one packet".to_owned(),
                left: "client".to_owned(),
                right: "server".to_owned(),
                arrows: vec![Arrow { back: false, at_ms: 0.0, until_ms: None, label: "data".to_owned() }],
            }),
        }],
        end: Some(End { complete: false, void: 1 }),
    }
}

#[test]
fn void_windows_do_not_count_and_are_told() {
    let recorded = example();
    assert!(lab::summary::table(&recorded).contains("20.0 (10.0-30.0)"));
    assert!(lab::summary::table(&recorded).contains("own ms"));
    let line = lab::summary::last_line(&recorded, "there");
    assert_eq!(line, "e: measured 1 of 3; 1 window void; not run: g (not installed: x); results in there");
    let page = lab::page::render(&[recorded]).expect("a page");
    for text in [
        "too slow",
        "not installed: x",
        "Incomplete",
        "a&#60;b",
        "<svg",
        "own ms",
        "49 -&#62; 1602",
        "PRCRYP1 &#60;ACTIVE&#62;",
        "packet lost",
        "<dd>11</dd>",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn rows_are_compared_with_a_value_of_the_sweep() {
    let mut recorded = example();
    recorded.run.sweep = Some(("floor".to_owned(), vec!["1 s".to_owned(), "20 ms".to_owned()]));
    recorded.run.baseline = Some("1 s".to_owned());
    let target = recorded.targets.remove(0);
    let round = recorded.rounds.remove(0);
    let with = |value: &str, rate: f64| {
        let (value, own) = (Some(value.to_owned()), ("requests_per_s".to_owned(), rate));
        let target = Target { value: value.clone(), ..target.clone() };
        (target, Round { value, figures: BTreeMap::from([own]), ..round.clone() })
    };
    (recorded.targets, recorded.rounds) = [with("1 s", 49.0), with("20 ms", 1_568.0)].into_iter().unzip();
    let table = lab::summary::table(&recorded);
    let line = table.lines().find(|line| line.contains("20 ms")).expect("a line");
    assert!(table.contains("times that at 1 s") && line.ends_with(" 32.0"), "{table}");
    assert!(lab::page::render(&[recorded]).expect("a page").contains("<td>32.0</td>"));
}

#[test]
fn wrong_files_are_refused_with_their_line() {
    let good = written(&example());
    let run = good.lines().next().expect("a line").to_owned() + "\n";
    for (text, number, reason) in [
        (String::new(), 1, "empty"),
        ("{}\n".to_owned(), 1, "not a line of a result"),
        (run.replace("\"format\":1", "\"format\":2"), 1, "format 2 is not known"),
        (good.replacen(&run, "", 1), 1, "not that of a run"),
        (run.clone() + &run, 2, "a second run"),
        (run.clone() + "nonsense\n" + &run, 2, "not a line of a result"),
        (good.clone() + good.lines().last().expect("a line") + "\n", 11, "follows the end"),
    ] {
        let (line, message) = read(&text).expect_err(reason);
        assert!(line == number && message.contains(reason), "{line}: {message}");
    }
}
