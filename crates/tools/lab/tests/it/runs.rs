//! Whole runs: against a small server in the test, and with servers that cannot run.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use lab::LabArgs;
use lab::record::{Recorded, read};
use load::{Error, ErrorKind};

/// A server that sends bodies back, on threads of the test; after a number of requests, all in upper case.
fn echo(right: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let count = count.clone();
            std::thread::spawn(move || serve(stream, &count, right));
        }
    });
    address
}

fn serve(stream: TcpStream, count: &std::sync::atomic::AtomicUsize, right: usize) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut length, mut line) = (0, String::new());
        while reader.read_line(&mut line).is_ok_and(|read| read > 0) && !line.trim().is_empty() {
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            line.clear();
        }
        let mut body = vec![0; length];
        if line.is_empty() || reader.read_exact(&mut body).is_err() {
            return;
        }
        if count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= right {
            body.make_ascii_uppercase();
        }
        let mut answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n").into_bytes();
        answer.extend(body);
        if reader.get_mut().write_all(&answer).is_err() {
            return;
        }
    }
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: LabArgs,
}

fn run(words: &[&str]) -> Result<ExitCode, Error> {
    lab::run(Line::parse_from([&["lab"], words].concat()).args)
}

/// Runs an experiment of this text and reads what it left.
fn result(folder: &Path, text: &str) -> (ExitCode, Recorded) {
    let (file, output) = (folder.join("e.toml"), folder.join("results"));
    std::fs::write(&file, text).expect("a file");
    std::fs::write(folder.join("m.txt"), "<m><n>{{message}}</n><v>{{text v 3 9}}</v></m>").expect("a file");
    let (file, place) = (file.display().to_string(), output.display().to_string());
    let code = run(&["run", &file, "--output", &place, "--keep-messages"]);
    assert!(output.join("report.html").exists());
    let text = std::fs::read_to_string(output.join("result.jsonl")).expect("a result");
    (code.expect("no error"), read(&text).expect("a result"))
}

const LOAD: &str = "description = \"a test\"\nrounds = 2\nvoid.repeats_max = 50\n[load]\nclients = 3\nwarmup_s = 0\nduration_s = 0.1\n";

fn target(name: &str, place: &str, more: &str) -> String {
    format!("[[target]]\nname = \"{name}\"\n{place}\nrequest = \"m.txt\"\nmessages = 5\n{more}\n")
}

fn same(one: ExitCode, other: ExitCode) -> bool {
    format!("{one:?}") == format!("{other:?}")
}

#[test]
fn a_whole_run_measures_every_target_value_and_round() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("url = \"http://{}/\"", echo(usize::MAX));
    let text = LOAD.to_owned()
        + "[sweep]\nparameter = \"clients\"\nvalues = [1, 2]\n"
        + &target("bytes", &url, "answer = \"m.txt\"")
        + &target("values", &url, "answer = \"m.txt\"\ncompare = \"values\"\nwarmup_requests = 50")
        + &target("same", &url, "")
        + "[[chart]]\ntitle = \"Rate\"\nfigure = \"requests_per_s\"\n";
    let (code, recorded) = result(folder.path(), &text);
    assert!(same(code, ExitCode::SUCCESS));
    assert!(recorded.end.is_some_and(|end| end.complete));
    assert_eq!((recorded.targets.len(), recorded.not_run.len()), (6, 0));
    assert!(
        recorded
            .targets
            .iter()
            .all(|target| target.messages == 5 && target.request_bytes == target.answer_bytes)
    );
    // On a machine that stands still a window may have no answer; it is measured again.
    let places: Vec<_> = (recorded.rounds.iter().filter(|round| round.void.is_none()))
        .map(|round| (round.round, round.value.as_deref().unwrap_or(""), round.target.as_str()))
        .collect();
    let expected = [1, 2].iter().flat_map(|round| {
        ["1", "2"]
            .iter()
            .flat_map(move |value| ["bytes", "values", "same"].map(|name| (*round, *value, name)))
    });
    assert_eq!(places, expected.collect::<Vec<_>>());
    for round in &recorded.rounds {
        assert_eq!(round.figures["requests_per_s"] > 0.0, round.void.is_none(), "{round:?}");
    }
    let output = folder.path().join("results");
    for name in ["bytes-1", "values-2", "same-2"] {
        let file =
            |end: &str| std::fs::read(output.join("messages").join(name).join(end)).expect("a message");
        assert_eq!(file("4.request"), file("4.answer"));
        assert!(file("4.request").starts_with(b"<m><n>4</n>"));
    }
    let output = output.display().to_string();
    assert!(run(&["report", &output]).is_ok());
    // A folder with results is not written again.
    let file = folder.path().join("e.toml").display().to_string();
    let again = run(&["run", &file, "--output", &output]).expect_err("results are there");
    assert_eq!(again.kind(), ErrorKind::Usage);
}

#[test]
fn a_wrong_answer_makes_the_window_void_and_the_run_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    // Right when each message is asked once, wrong when it is measured.
    let url = format!("url = \"http://{}/\"", echo(5));
    let text = LOAD.replace("rounds = 2\nvoid.repeats_max = 50", "rounds = 1\nvoid.repeats_max = 1")
        + &target("t", &url, "answer = \"m.txt\"");
    let (code, recorded) = result(folder.path(), &text);
    assert!(same(code, ExitCode::FAILURE));
    assert_eq!(recorded.rounds.len(), 2);
    for (round, attempt) in recorded.rounds.iter().zip(1..) {
        assert_eq!((round.round, round.attempt), (1, attempt));
        assert!(
            round.void.as_ref().is_some_and(
                |void| void.contains("wrong answers: content") || void.contains("no answer came")
            )
        );
    }
    assert!(recorded.end.is_some_and(|end| !end.complete && end.void == 2));
}

#[test]
fn what_cannot_run_is_said_and_the_others_are_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("url = \"http://{}/\"", echo(usize::MAX));
    let server = |name: &str, more: &str| format!("[[server]]\nname = \"{name}\"\n{more}\n");
    let at = |name: &str| target(name, &format!("server = \"{name}\"\npath = \"/\""), "");
    let text = LOAD.to_owned()
        + &server("absent", "needs = [\"no-such-command-here\"]\nstart = [\"no-such-command-here\"]")
        + &server("ends", "start = [\"sh\", \"-c\", \"echo broken; exit 3\"]")
        + &server("unready", "start = [\"sleep\", \"1000\"]\nready_max_s = 1")
        + &server(
            "unmade",
            "prepare = [[\"sh\", \"-c\", \"echo no compiler; false\"]]\nstart = [\"sleep\", \"1000\"]",
        )
        + &["absent", "ends", "unready", "unmade"].map(at).concat()
        + &target("wrong", &url, "answer = \"e.toml\"")
        + &target("status", &url, "status = 201")
        + &target("there", &url, "");
    let (code, recorded) = result(folder.path(), &text);
    assert!(same(code, ExitCode::FAILURE));
    let reasons: Vec<_> =
        recorded.not_run.iter().map(|not_run| (not_run.target.as_str(), not_run.reason.as_str())).collect();
    for (target, reason) in [
        ("absent", "not installed: no-such-command-here"),
        ("ends", "the server ended (exit status: 3): broken"),
        ("unready", "the server is not ready within 1 s: it said nothing"),
        ("unmade", "failed (exit status: 1): no compiler"),
        ("wrong", "answer to message 0: it differs from byte 0 on"),
        ("status", "status 200 instead of 201"),
    ] {
        assert!(reasons.iter().any(|(name, why)| *name == target && why.contains(reason)), "{reasons:?}");
    }
    let valid = recorded.rounds.iter().filter(|round| round.void.is_none()).count();
    assert_eq!((recorded.not_run.len(), valid), (6, 2));
}

#[test]
fn a_command_measures_a_target_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("files")).expect("a folder");
    // The first window of each value is void, the second counts.
    let script = "test -f once && void=null || void='\"cold\"'; touch once; echo noise; \
        echo '{\"figures\": {\"own\": '$1', \"seconds\": '$2'}, \"void\": '$void', \"text\": \"value {{size}}\"}'";
    std::fs::write(folder.path().join("files/measure.sh"), script).expect("a file");
    let text = LOAD.replace("rounds = 2\n", "rounds = 2\nfigures = [\"own\", \"seconds\"]\n")
        + "[sweep]\nparameter = \"size\"\nvalues = [3, 4]\n"
        + "[[figure]]\nname = \"own\"\ntitle = \"own ms\"\n[[figure]]\nname = \"seconds\"\ntitle = \"s\"\n"
        + "[[chart]]\ntitle = \"Own\"\nfigure = \"own\"\n"
        + "[[target]]\nname = \"told\"\nfiles = \"files\"\n"
        + "command = [\"sh\", \"measure.sh\", \"{{size}}\", \"{{duration_s}}\", \"{{seed}}\"]\n"
        + "[[target]]\nname = \"broken\"\ncommand = [\"sh\", \"-c\", \"echo why >&2; exit 4\"]\n";
    let (code, recorded) = result(folder.path(), &text);
    assert!(same(code, ExitCode::FAILURE), "one target is broken");
    let told: Vec<_> =
        recorded.rounds.iter().map(|round| (round.figures["own"], round.void.is_some())).collect();
    assert_eq!(told, [(3.0, true), (3.0, false), (4.0, true), (4.0, false), (3.0, false), (4.0, false)]);
    assert!(recorded.rounds.iter().all(|round| round.figures["seconds"] == 0.1));
    assert_eq!(recorded.notes.iter().filter(|note| note.text.as_deref() == Some("value 4")).count(), 2);
    assert_eq!(recorded.not_run.len(), 2);
    assert!(recorded.not_run.iter().all(|not_run| not_run.reason.contains("(exit status: 4): why")));
    let table = lab::summary::table(&recorded);
    assert!(table.contains("own ms"), "{table}");
}

#[test]
fn a_server_of_frames_is_measured() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let (mut length, stream) = ([0; 2], &mut stream);
                while stream.read_exact(&mut length).is_ok() {
                    let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
                    stream.read_exact(&mut message).expect("a message");
                    stream.write_all(&[&length[..], &message].concat()).expect("it takes it");
                }
            });
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("url = \"tcp://{address}\"\nframing = \"length-2\"");
    let text = LOAD.to_owned() + &target("frames", &url, "answer = \"m.txt\"");
    let (code, recorded) = result(folder.path(), &text);
    assert!(same(code, ExitCode::SUCCESS));
    assert_eq!(recorded.targets[0].request_bytes, recorded.targets[0].answer_bytes);
    let message = std::fs::read(folder.path().join("results/messages/frames/4.request")).expect("a message");
    assert!(message.starts_with(b"<m><n>4</n>"));
}

#[test]
fn unknown_names_are_refused_with_those_that_exist() {
    let error = run(&["run", "typical-of-me"]).expect_err("no such experiment");
    assert_eq!(error.exit_code(), 2);
    assert!(error.to_string().contains("known: added, api-mapping, "), "{error}");
    let missing = run(&["report", "/nowhere"]).expect_err("no results");
    assert!(missing.to_string().contains("/nowhere/result.jsonl"));
}
