//! Whole runs against the small server: counts and logic, never how fast anything is.

use std::io::{Read, Write};
use std::sync::atomic::Ordering;

use load::result::{Report, Round};
use load::{Error, ErrorKind};

use crate::arguments::args;
use crate::server::{Manner, Server, start};

/// Runs `words` against the server with a short window, and reads `result.json` back if it was written.
fn run(server: &Server, words: &str) -> (Result<(), Error>, Option<Report>) {
    let directory = tempfile::tempdir().expect("a directory");
    let output = directory.path().join("results");
    let (target, output_text) = (format!("t={}", server.url("/x")), output.display().to_string());
    let mut all = vec!["--target", &target, "--body", "12345678", "--output", &output_text];
    all.extend(words.split_ascii_whitespace());
    let outcome = load::run(args(&all));
    let json = std::fs::read_to_string(output.join("result.json")).ok();
    if json.is_some() {
        assert!(output.join("result.csv").exists() && output.join("report.html").exists());
    }
    (outcome, json.map(|json| serde_json::from_str(&json).expect("a report")))
}

fn rounds(report: &Report) -> Vec<&Round> {
    report.targets.iter().flat_map(|target| &target.steps).flat_map(|step| &step.rounds).collect()
}

#[test]
fn clients_keep_their_connections_and_every_answer_is_counted() {
    let server = start(Manner::Echo);
    let words =
        "--clients 3,5 --think-ms 10 --duration-s 0.3 --warmup-s 0.1 --rounds 2 --threads 2 --expect-bytes 8";
    let (outcome, report) = run(&server, words);
    outcome.expect("no failure");
    let report = report.expect("results");
    assert!(report.complete);
    assert_eq!(report.targets[0].response_body_bytes, 8);
    assert_eq!(report.targets[0].server_pid, Some(std::process::id()));
    let rounds = rounds(&report);
    assert_eq!(rounds.len(), 4);
    assert!(rounds.iter().all(|round| round.transactions > 0 && round.reconnects == 0));
    assert!(rounds.iter().all(|round| round.server.is_some()));
    let counted: u64 = rounds.iter().map(|round| round.transactions).sum();
    assert!(server.requests.load(Ordering::Relaxed) >= counted);
    // One connection to look before the run, and one for each client in each of its rounds.
    assert_eq!(server.connections.load(Ordering::Relaxed), 1 + 2 * (3 + 5));
}

#[test]
fn without_think_time_clients_send_at_once() {
    let server = start(Manner::Echo);
    let (outcome, report) = run(&server, "--clients 4 --think-ms 0 --duration-s 0.2 --warmup-s 0 --rounds 1");
    outcome.expect("no failure");
    let report = report.expect("results");
    let round = rounds(&report)[0];
    assert!(round.transactions > 4);
    assert_eq!(server.connections.load(Ordering::Relaxed), 5);
}

#[test]
fn a_stall_reaches_the_response_times_of_all_clients() {
    let server = start(Manner::StallAt { request: 45, ms: 300 });
    // 20 clients, each due once within the first 100 ms of the stall: at least 19 of at most 180 requests wait for
    // 200 ms or more, however fast or slow the machine is.
    let (outcome, report) =
        run(&server, "--clients 20 --think-ms 100 --duration-s 0.8 --warmup-s 0 --rounds 1");
    outcome.expect("no failure");
    let report = report.expect("results");
    let response = rounds(&report)[0].response;
    assert!(response.max_us >= 250_000.0, "{response:?}");
    assert!(response.p90_us >= 150_000.0, "{response:?}");
}

#[test]
fn a_server_that_closes_connections_is_called_again() {
    let server = start(Manner::CloseEach);
    let (outcome, report) =
        run(&server, "--clients 2 --think-ms 5 --duration-s 0.3 --warmup-s 0.1 --rounds 1");
    outcome.expect("no failure");
    let report = report.expect("results");
    let round = rounds(&report)[0];
    assert!(round.reconnects > 0 && round.transactions > 0, "{round:?}");
}

#[test]
fn failed_requests_fail_the_command_but_the_results_are_kept() {
    for (manner, kind) in
        [(Manner::FailFrom { request: 20 }, "status"), (Manner::SilentFrom { request: 20 }, "timeout")]
    {
        let server = start(manner);
        let words = "--clients 2 --think-ms 5 --duration-s 0.5 --warmup-s 0 --rounds 1 --timeout-ms 100";
        let (outcome, report) = run(&server, words);
        let error = outcome.expect_err("requests failed");
        assert_eq!((error.kind(), error.exit_code()), (ErrorKind::Failures, 1));
        assert!(error.to_string().contains(kind), "{error}");
        let report = report.expect("results in spite of failures");
        assert!(report.failures().total() > 0);
        assert_eq!(report.failures().status > 0, kind == "status");
        let (outcome, _) = run(&server, &format!("{words} --allow-errors --expect-status 503"));
        assert_eq!(outcome.is_ok(), kind == "status", "a silent server cannot even be looked at");
    }
}

#[test]
fn the_offloadable_share_comes_from_the_metrics_page() {
    let server = start(Manner::Metrics);
    let words = "--clients 1 --think-ms 20 --duration-s 0.2 --warmup-s 0 --rounds 1 --metrics-url";
    let (outcome, report) = run(&server, &format!("{words} {}", server.url("/metrics")));
    outcome.expect("no failure");
    let report = report.expect("results");
    let use_of_server = rounds(&report)[0].server.expect("the CPU time of this process");
    // The counter grows with each request, far more than the process uses: the share is held at its lower end.
    assert!(use_of_server.provider_cpu_s.is_some_and(|seconds| seconds >= 1.0));
    assert_eq!(rounds(&report)[0].offloadable_pct(), Some(0.0));

    let (outcome, report) = run(&server, &format!("{words} {}", server.url("/elsewhere")));
    outcome.expect("a page without the metric is no failure");
    assert_eq!(rounds(&report.expect("results"))[0].offloadable_pct(), None);
}

#[test]
fn a_server_that_cannot_be_measured_is_told_in_one_line() {
    let told = |server: &Server, words: &str, part: &str| {
        let (outcome, report) = run(server, words);
        let error = outcome.expect_err("nothing to measure");
        assert_eq!((error.kind(), report.is_none()), (ErrorKind::Server, true), "{error}");
        let text = error.to_string();
        assert!(text.contains(part) && !text.contains('\n'), "{text:?} should contain {part:?}");
    };
    let server = start(Manner::Echo);
    told(&server, "--expect-bytes 9", "answers 8 bytes where 9 are expected");
    told(&server, "--expect-status 201", "answers status 200 where 201 is expected");
    told(&server, "--server-pid 4294967295", "cannot read the CPU time of process");
    told(&start(Manner::SilentFrom { request: 1 }), "--timeout-ms 50", "no answer within 50 ms");

    // A server that ends during the warm-up; nobody waits for the end of the window.
    let mut short = std::process::Command::new("sleep").arg("0.5").spawn().expect("a process");
    let pid = short.id();
    let reaped = std::thread::spawn(move || short.wait());
    let words = format!("--server-pid {pid} --warmup-s 1 --duration-s 3600");
    told(&server, &words, &format!("cannot read the CPU time of process {pid}"));
    reaped.join().expect("a thread").expect("it has ended");

    // Bound, so that nobody else takes the port, but not listening.
    let nobody = tokio::net::TcpSocket::new_v4().expect("a socket");
    nobody.bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
    let gone = Server { address: nobody.local_addr().expect("an address"), ..server };
    told(&gone, "", "no server at 127.0.0.1");
}

#[test]
fn a_server_that_does_not_speak_http_is_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let _ = stream.read(&mut [0; 512]);
        let _ = stream.write_all(b"SSH-2.0-nothing\r\n");
    });
    let error = load::run(args(&["--target", &format!("http://{address}/")])).expect_err("not HTTP");
    assert!(error.to_string().contains("is not HTTP/1.1"), "{error}");
}

#[test]
fn a_body_larger_than_the_sockets_buffers_is_sent_in_pieces() {
    let server = start(Manner::Echo);
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), vec![b'x'; 3_000_000]).expect("written");
    let words = ["--target", &server.url("/x"), "--body", &format!("@{}", file.path().display())];
    let rest = "--expect-bytes 3000000 --clients 2 --think-ms 10 --duration-s 0.3 --warmup-s 0 --rounds 1";
    let words: Vec<&str> = words.into_iter().chain(rest.split_ascii_whitespace()).collect();
    load::run(args(&words)).expect("no failure");
}
