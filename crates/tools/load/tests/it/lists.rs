//! Lists of requests whose answers are compared, connections of one request, and the CPU time of a process group.

use std::process::{Child, Command};
use std::sync::atomic::Ordering;
use std::time::Duration;

use load::interrupt::Interrupt;
use load::plan::{Call, Endpoint, Expect, Protocol, Target, build_request};
use load::process;
use load::result::Round;
use load::step::{Measured, Step, measure};

use crate::server::{Manner, Server, start};

/// A target with one request for each body, which expects these answers.
fn target(server: &Server, bodies: &[(&str, &str)], keeps_connections: bool) -> Target {
    let url = server.url("/x");
    let endpoint = Endpoint::parse(&url).expect("a URL");
    let call = |(body, answer): &(&str, &str)| Call {
        request: build_request(&http::Method::PUT, &endpoint, &[], Some(body.as_bytes()), keeps_connections)
            .expect("a request"),
        body_bytes: body.len(),
        answer: Some(answer.as_bytes().to_vec()),
    };
    Target {
        name: "t".to_owned(),
        url: url.clone(),
        protocol: Protocol::Http,
        method: http::Method::PUT,
        calls: bodies.iter().map(call).collect(),
        endpoint,
        keeps_connections,
        expect: Expect { status: 200, bytes: None },
    }
}

fn run(target: &Target, clients: u32, server: Measured) -> Round {
    let step = Step {
        target,
        clients,
        threads: 1,
        think: Duration::ZERO,
        rate: None,
        warmup: Duration::ZERO,
        duration: Duration::from_millis(200),
        timeout: Duration::from_secs(20),
        spin: Duration::ZERO,
        server,
        metrics: None,
        driver_core: None,
    };
    measure(&step, &Interrupt::default()).expect("a measurement").expect("not interrupted")
}

#[test]
fn every_answer_of_a_list_is_compared() {
    let server = start(Manner::Echo);
    let same = [("one", "one"), ("second", "second"), ("", "")];
    let round = run(&target(&server, &same, true), 2, Measured::Nothing);
    assert_eq!(round.failures.total(), 0);
    assert!(round.transactions > 3);
    for other in [("two", "tvo"), ("two", "twoo"), ("two", "tw"), ("two", "")] {
        let round = run(&target(&server, &[("one", "one"), other], true), 1, Measured::Nothing);
        assert!(round.failures.content > 0, "{other:?}");
        assert_eq!(round.failures.total(), round.failures.content);
        // Requests alternate, so about half of the answers are right.
        assert!(round.transactions > 0 && round.failures.content <= round.transactions + 2);
    }
}

#[test]
fn each_request_has_a_connection_of_its_own_where_connections_are_not_kept() {
    let server = start(Manner::Echo);
    let round = run(&target(&server, &[("one", "one")], false), 2, Measured::Nothing);
    assert_eq!((round.failures.total(), round.reconnects), (0, 0));
    assert!(round.transactions > 2);
    let requests = server.requests.load(Ordering::Relaxed);
    assert_eq!(server.connections.load(Ordering::Relaxed), requests);
}

/// Ends the shell and its group at the end of the test.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        let _ = self.0.wait();
    }
}

#[test]
fn a_group_is_all_that_its_leader_started() {
    use std::os::unix::process::CommandExt;
    let shell = Command::new("sh").args(["-c", "sleep 1000 & sleep 1000; true"]).process_group(0).spawn();
    let group = Group(shell.expect("a shell"));
    let leader = group.0.id();
    while process::group(leader).len() < 3 {
        std::thread::sleep(Duration::from_millis(2));
    }
    let members = process::group(leader);
    assert_eq!((members.len(), members.contains(&leader)), (3, true));
    let sample = process::sample_group(leader, &members, 7).expect("a sample");
    assert!(sample.threads.len() == 3 || sample.threads.is_empty());
    assert!(process::memory_mib(&members) > process::memory_mib(&[leader]));
    let server = start(Manner::Echo);
    let round = run(&target(&server, &[("one", "one")], true), 1, Measured::Group(leader));
    assert!(round.server.expect("measured").memory_mib.is_some());
}
