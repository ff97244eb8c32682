//! `load group` at a door of the test's own.

use std::rc::Rc;
use std::time::Duration;

use clap::Parser;
use load::group::{GroupArgs, GroupDoor, Outcome};
use load::result::Report;
use load::tally::Failure;
use load::{Error, ErrorKind};

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    group: GroupArgs,
}

/// Replies after a pause, but not to everything.
#[derive(Debug)]
enum Door {
    Echo(Duration),
    Refuse,
    Reverse,
}

impl GroupDoor for Door {
    fn place(&self) -> String {
        "a test".to_owned()
    }

    fn send(&self, mut request: Vec<u8>, timeout: Duration) -> Outcome<'_> {
        Box::pin(async move {
            match self {
                Door::Refuse => return Err(Failure::Status(503)),
                Door::Reverse => request.reverse(),
                Door::Echo(time) if *time > timeout => {
                    tokio::time::sleep(timeout).await;
                    return Err(Failure::Timeout);
                }
                Door::Echo(time) => tokio::time::sleep(*time).await,
            }
            Ok(request)
        })
    }
}

fn run(door: Door, words: &str) -> (Result<(), Error>, Option<Report>) {
    let directory = tempfile::tempdir().expect("a directory");
    let output = directory.path().display().to_string();
    let fixed = ["group", "CRYPSVR1", "--output", &output, "--rounds", "1", "--warmup-s", "0"];
    let words = fixed.into_iter().chain(words.split_ascii_whitespace());
    let args = Command::try_parse_from(words).expect("arguments").group;
    let outcome = load::group::run(&args, || Ok(Rc::new(door)));
    let json = std::fs::read_to_string(directory.path().join("result.json")).ok();
    (outcome, json.map(|json| serde_json::from_str(&json).expect("a report")))
}

#[test]
fn clients_wait_for_their_replies() {
    let words = "--message-bytes 100 --expect-echo --clients 1,4 --duration-s 0.3";
    let (outcome, report) = run(Door::Echo(Duration::from_millis(20)), words);
    outcome.expect("no failure");
    let steps = report.expect("results").targets.remove(0).steps;
    let counted: Vec<u64> = steps.iter().map(|step| step.rounds[0].transactions).collect();
    assert!((1..=15).contains(&counted[0]) && (4..=60).contains(&counted[1]), "{counted:?}");
    assert!(steps[0].rounds[0].response.min_us >= 20_000.0);
}

#[test]
fn a_rate_does_not_wait() {
    let (outcome, report) =
        run(Door::Echo(Duration::from_millis(300)), "--body x --rate 100 --duration-s 0.5");
    outcome.expect("no failure");
    assert_eq!(report.expect("results").targets[0].steps[0].rounds[0].response.count, 50);
}

#[test]
fn failures_are_told_apart() {
    for (door, words, count) in [
        (Door::Refuse, "--body x --think-ms 5", "status"),
        (Door::Reverse, "--body xy --expect-echo --think-ms 5", "content"),
        (Door::Echo(Duration::from_secs(1)), "--body x --timeout-ms 20", "timeout"),
    ] {
        let (outcome, report) = run(door, &format!("{words} --clients 1 --duration-s 0.2"));
        assert_eq!(outcome.expect_err(count).kind(), ErrorKind::Failures);
        let failures = report.expect("results").failures();
        let own = match count {
            "status" => failures.status,
            "content" => failures.content,
            _ => failures.timeout,
        };
        assert!(own > 0 && own == failures.total(), "{count}: {failures:?}");
    }
}
