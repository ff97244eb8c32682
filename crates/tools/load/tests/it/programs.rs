//! The experiments at the door of a region, with a door that does nothing.

use clap::Parser;
use load::door::{Conversion, Door, Method, Transfer, Way};
use load::programs::{PAIRS, ProgramsArgs, ProgramsReport, run};

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    programs: ProgramsArgs,
}

fn arguments(more: &[&str]) -> ProgramsArgs {
    Command::parse_from(["load"].iter().chain(more)).programs
}

/// Counts, and fails from the data of one size on.
#[derive(Debug, Default)]
struct Counting {
    transfers: Vec<Transfer>,
    conversions: Vec<Conversion>,
    fails_from_bytes: Option<usize>,
}

impl Door for Counting {
    fn place(&self) -> String {
        "nowhere".to_owned()
    }

    fn transfer(&mut self, transfer: Transfer) -> Result<(), String> {
        self.transfers.push(transfer);
        match self.fails_from_bytes {
            Some(most) if transfer.bytes >= most => Err("too much".to_owned()),
            _ => Ok(()),
        }
    }

    fn convert(&mut self, conversion: Conversion) -> Result<(), String> {
        self.conversions.push(conversion);
        Ok(())
    }

    fn processes(&self) -> Vec<u32> {
        Vec::new()
    }
}

#[test]
fn every_step_is_run_in_every_round_and_written_down() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().to_str().expect("a path");
    let args = arguments(&[
        "--sizes",
        "1024,32000,65536",
        "--characters",
        "1024",
        "--duration-s",
        "0.01",
        "--rounds",
        "2",
        "--label",
        "<here>",
        "--output",
        output,
    ]);
    let mut door = Counting::default();
    run(&args, &mut door).expect("nothing fails");
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a text");
    let report: ProgramsReport =
        serde_json::from_str(&text("result.json")).expect("the shape of the results");
    assert!(report.complete);
    let of = |way: Way| {
        let steps = report.transfers.iter().filter(move |step| step.way == way);
        steps.map(|step| (step.method, step.bytes)).collect::<Vec<(Method, usize)>>()
    };
    let (commarea, channel, queue) = (Method::Commarea, Method::Channel, Method::Queue);
    // A commarea holds no 64K.
    let expected = [
        (commarea, 1024),
        (channel, 1024),
        (queue, 1024),
        (commarea, 32000),
        (channel, 32000),
        (queue, 32000),
        (channel, 65536),
        (queue, 65536),
    ];
    assert_eq!((of(Way::Local), of(Way::Remote)), (expected.to_vec(), expected.to_vec()));
    assert!(report.transfers.iter().all(|step| step.rounds.len() == 2));
    let calls: u64 = report.transfers.iter().flat_map(|step| &step.rounds).map(|round| round.calls).sum();
    // One task before each round is not measured.
    let all: u64 = door.transfers.iter().map(|transfer| u64::from(transfer.times)).sum();
    let unmeasured: u64 = 2 * 2 * (1000 * 3 + 131 * 3 + 64 * 2);
    assert_eq!(calls + unmeasured, all);
    let pairs: Vec<(u16, u16)> = report.conversions.iter().map(|step| (step.from, step.into)).collect();
    assert_eq!(pairs, PAIRS);
    assert_eq!(text("result.csv").lines().count(), 1 + 2 * (2 * 8 + 12));
    let page = text("report.html");
    assert!(page.contains("&#60;here&#62;") || page.contains("&lt;here&gt;"), "the label is escaped");
    assert_eq!(page.matches("<svg").count(), 13);
}

#[test]
fn a_task_that_fails_ends_the_run() {
    let args = arguments(&["--sizes", "1024,2048", "--duration-s", "0.01", "--rounds", "1"]);
    let mut door = Counting { fails_from_bytes: Some(2048), ..Counting::default() };
    let error = run(&args, &mut door).expect_err("it fails");
    assert_eq!(error.to_string(), "a task failed: too much");
    assert!(door.conversions.is_empty());
}

#[test]
fn arguments_that_cannot_be_are_told() {
    for (more, expected) in [
        (["--sizes", "7"], "--sizes must be from 8 to 1048576, not 7"),
        (["--characters", "2000000"], "--characters must be from 8 to 1048576, not 2000000"),
        (["--rounds", "0"], "--rounds must be from 1 to 1000, not 0"),
        (["--duration-s", "0"], "--duration-s must be from 0.01 to 86400, not 0"),
        (["--duration-s", "NaN"], "--duration-s must be from 0.01 to 86400, not NaN"),
    ] {
        let mut door = Counting::default();
        let error = run(&arguments(&more), &mut door).expect_err(expected);
        assert_eq!(error.to_string(), expected);
        assert!(door.transfers.is_empty());
    }
}
