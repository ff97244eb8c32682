//! Frames against a small server, and requests that come at a rate.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use load::frames::Framing;
use load::result::{Report, Round};
use load::{Error, ErrorKind};

use crate::arguments::args;
use crate::server::{Manner, start};

/// The server's reply to a message.
#[derive(Debug, Clone, Copy)]
enum Reply {
    Echo,
    /// The message the other way round.
    Reversed,
    /// The reply has a byte too many behind it.
    Overlong,
    /// It closes the connection instead.
    Close,
    /// Each reply takes so long.
    After(Duration),
}

fn serve(framing: &str, reply: Reply) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let framing = Framing::parse(framing).expect("a framing");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (framing, stream) = (framing.clone(), stream.expect("a connection"));
            std::thread::spawn(move || answer(stream, &framing, reply));
        }
    });
    address
}

fn answer(mut stream: TcpStream, framing: &Framing, reply: Reply) -> Option<()> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    stream.set_nodelay(true).ok()?;
    loop {
        match stream.read(&mut buffer).ok()? {
            0 => return None,
            read => bytes.extend_from_slice(&buffer[..read]),
        }
        while let Some(found) = framing.scan(&bytes, 0).expect("a frame") {
            let mut message = bytes[found.message].to_vec();
            bytes.drain(..found.end);
            match reply {
                Reply::Echo => {}
                Reply::Reversed => message.reverse(),
                Reply::Close => return None,
                Reply::After(time) => std::thread::sleep(time),
                Reply::Overlong => {}
            }
            let mut frame = framing.frame(&message).expect("it fits");
            if matches!(reply, Reply::Overlong) {
                frame.push(0);
            }
            stream.write_all(&frame).ok()?;
        }
    }
}

fn run(address: SocketAddr, words: &str) -> (Result<(), Error>, Option<Report>) {
    let directory = tempfile::tempdir().expect("a directory");
    let output = directory.path().display().to_string();
    let target = format!("t=tcp://{address}");
    let mut all = vec!["--target", &target, "--output", &output, "--rounds", "1", "--warmup-s", "0"];
    all.extend(words.split_ascii_whitespace());
    let outcome = load::run(args(&all));
    let json = std::fs::read_to_string(directory.path().join("result.json")).ok();
    (outcome, json.map(|json| serde_json::from_str(&json).expect("a report")))
}

fn only_round(report: Option<Report>) -> Round {
    report.expect("results").targets[0].steps[0].rounds[0].clone()
}

#[test]
fn every_framing_carries_requests_and_replies() {
    for framing in
        ["length", "length-2-inclusive", "length-inclusive-little", "llzz", "delimiter:0d0a", "fixed:300"]
    {
        let address = serve(framing, Reply::Echo);
        let words = format!(
            "--framing {framing} --message-bytes 300 --expect-echo --clients 3 --think-ms 0 --duration-s 0.2"
        );
        let (outcome, report) = run(address, &words);
        outcome.unwrap_or_else(|error| panic!("{framing}: {error}"));
        let report = report.expect("results");
        assert_eq!((report.targets[0].request_body_bytes, report.targets[0].response_body_bytes), (300, 300));
        let round = only_round(Some(report));
        assert!(round.transactions > 3 && round.failures.total() == 0, "{framing}: {round:?}");
    }
}

#[test]
fn the_bytes_of_replies_are_compared() {
    let address = serve("length", Reply::Reversed);
    let words = "--body TEXT --clients 1 --think-ms 0 --duration-s 0.1";
    let (outcome, report) = run(address, &format!("{words} --expect-body TXET"));
    outcome.expect("the reply is as expected");
    assert!(only_round(report).transactions > 0);
    let (outcome, report) = run(address, &format!("{words} --expect-body TEXT"));
    let error = outcome.expect_err("the first reply is another");
    assert!(error.kind() == ErrorKind::Server && report.is_none(), "{error}");
    let (outcome, report) = run(address, &format!("{words} --expect-echo --allow-errors"));
    outcome.expect("errors are allowed");
    let round = only_round(report);
    assert!(round.transactions == 0 && round.failures.content > 0, "{round:?}");
}

#[test]
fn what_is_no_reply_is_told() {
    for (reply, what) in [(Reply::Overlong, "bytes follow"), (Reply::Close, "ended before the reply")] {
        let (outcome, _) = run(serve("llzz", reply), "--framing llzz --body TEXT --duration-s 0.1");
        let error = outcome.expect_err("no reply").to_string();
        assert!(error.contains("not a frame") && error.contains(what), "{error}");
    }
    let address = serve("length", Reply::Echo);
    for (words, what) in [
        ("--framing fixed:5 --body TEXT", "needs 5"),
        ("--framing lines --body TEXT", "not a framing"),
        ("", "needs --body"),
        ("--body TEXT --method PUT", "are for HTTP"),
    ] {
        let error = run(address, words).0.expect_err(words);
        assert!(error.kind() == ErrorKind::Usage && error.to_string().contains(what), "{error}");
    }
}

#[test]
fn requests_come_at_a_rate_whether_or_not_there_are_replies() {
    let server = start(Manner::Echo);
    let url = format!("t={}", server.url("/x"));
    let directory = tempfile::tempdir().expect("a directory");
    let output = directory.path().display().to_string();
    let words = ["--target", &url, "--output", &output, "--rate", "200", "--clients", "8", "--threads", "2"];
    let more = ["--rounds", "1", "--warmup-s", "0", "--duration-s", "1"];
    load::run(args(&[&words[..], &more].concat())).expect("no failure");
    let json = std::fs::read_to_string(directory.path().join("result.json")).expect("results");
    let report: Report = serde_json::from_str(&json).expect("a report");
    assert_eq!(report.settings.rate_per_s, Some(200.0));
    let round = only_round(Some(report));
    // Each one of them has its time, however slow the machine is.
    assert_eq!(round.response.count, 200);
}

#[test]
fn what_a_slow_server_cannot_take_is_counted_with_the_time_it_waited() {
    // One connection and 50 ms for a reply: of 100 requests in a second at most 20 are answered.
    let address = serve("length", Reply::After(Duration::from_millis(50)));
    let words = "--body TEXT --rate 100 --clients 1 --duration-s 1 --timeout-ms 200 --allow-errors";
    let (outcome, report) = run(address, words);
    outcome.expect("errors are allowed");
    let round = only_round(report);
    assert_eq!(round.response.count, 100, "{round:?}");
    assert!(round.transactions <= 21 && round.failures.timeout >= 60, "{round:?}");
    assert!(round.response.p50_us >= 150_000.0, "{:?}", round.response);
}
