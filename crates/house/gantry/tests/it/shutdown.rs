//! Tests how the process ends: running requests finish, and nothing new begins.

use std::net::TcpStream;
use std::time::Duration;

use rustix::process::Signal;

use crate::client::Client;
use crate::folder::{ECHO_ANSWER, ECHO_REQUEST, Folder};
use crate::process::Gantry;

/// Starts a request. Returns when the provider has it.
fn running_request(gantry: &Gantry) -> Client {
    let mut client = gantry.connect();
    client.send(ECHO_REQUEST.as_bytes());
    while gantry.metric("gantry_provider_calls_total{service=\"echo\"}") < 1.0 {}
    client
}

/// Returns when nobody listens any more.
fn wait_until_refused(gantry: &Gantry) {
    while TcpStream::connect(gantry.address()).is_ok() {}
}

/// How many connections the gateway has taken from the kernel.
fn accepted(gantry: &Gantry) -> usize {
    let port = format!(":{:04X}", gantry.address().port());
    let table = std::fs::read_to_string("/proc/net/tcp").expect("a table of sockets");
    let is_accepted = |line: &&str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // The address here, the state, and the inode, which only a socket of a process has.
        fields.len() > 9 && fields[1].ends_with(&port) && fields[3] == "01" && fields[9] != "0"
    };
    table.lines().filter(is_accepted).count()
}

fn ends_after_its_running_request(signal: Signal) {
    let folder = Folder::slow_echo("");
    let gantry = Gantry::folder(folder.path());
    let mut client = running_request(&gantry);
    gantry.signal(signal);
    wait_until_refused(&gantry);
    let answer = client.response();
    answer.is_json(200, ECHO_ANSWER);
    assert_eq!(client.rest(), "");
    let (status, log) = gantry.wait();
    assert_eq!(status.code(), Some(0), "{log}");
}

#[test]
fn an_interrupt_lets_running_requests_finish() {
    ends_after_its_running_request(Signal::INT);
}

#[test]
fn a_termination_lets_running_requests_finish() {
    ends_after_its_running_request(Signal::TERM);
}

#[test]
fn a_connection_that_waits_for_a_place_is_answered() {
    let folder = Folder::slow_echo("[limits]\nconnections_max = 1\n");
    let gantry = Gantry::folder(folder.path());
    let mut first = running_request(&gantry);
    let mut waits = gantry.connect();
    waits.send(ECHO_REQUEST.as_bytes());
    // The gateway has taken it, and it has no place.
    while accepted(&gantry) < 2 {}
    gantry.signal(Signal::TERM);
    first.response().is_json(200, ECHO_ANSWER);
    waits.response().is_json(200, ECHO_ANSWER);
    assert_eq!(gantry.wait().0.code(), Some(0));
}

#[test]
fn idle_connections_do_not_hold_the_process() {
    // With ten minutes, a wrong wait would exceed the patience of the test.
    let folder = Folder::echo("[server]\nshutdown_timeout_ms = 600000\n");
    let gantry = Gantry::folder(folder.path());
    let mut idle = gantry.connect();
    idle.ask(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    let mut silent = gantry.connect();
    let mut begun = gantry.connect();
    begun.send(b"P");
    while gantry.metric("gantry_connections") < 3.0 {}
    gantry.signal(Signal::TERM);
    assert_eq!((idle.rest(), silent.rest(), begun.rest()), Default::default());
    assert_eq!(gantry.wait().0.code(), Some(0));
}

#[test]
fn a_request_that_does_not_end_is_given_up() {
    let folder = Folder::slow_echo("[server]\nshutdown_timeout_ms = 1\n")
        .with("services/echo.toml", &crate::folder::service("echo", "delay_ms = 600000"));
    let gantry = Gantry::folder(folder.path());
    let mut client = running_request(&gantry);
    gantry.signal(Signal::TERM);
    assert_eq!(client.rest(), "");
    let (status, log) = gantry.wait();
    assert_eq!(status.code(), Some(1), "{log}");
    let last = log.lines().last().unwrap_or_default();
    assert!(last.contains("requests had no answer within 1 ms (server.shutdown_timeout_ms)"), "{log}");
    assert!(log.contains("some requests did not end within the shutdown time"), "{log}");
}

#[test]
fn the_admin_address_says_that_the_gateway_stops_until_it_has() {
    // Each worker may get the connection, with or without running calls.
    let folder = Folder::echo("[server]\nworkers = 3\nshutdown_timeout_ms = 600000\n").with(
        "services/echo.toml",
        &format!("timeout_ms = 600000\n{}", crate::folder::service("echo", "delay_ms = 600000")),
    );
    let gantry = Gantry::folder(folder.path());
    let ready = || {
        Client::connect(gantry.admin).ask(crate::process::request("GET", "/health/ready", "", "").as_bytes())
    };
    assert_eq!(ready().status, 200);
    let mut client = running_request(&gantry);
    gantry.signal(Signal::TERM);
    wait_until_refused(&gantry);
    for _ in 0..6 {
        let answer = ready();
        assert_eq!((answer.status, answer.text()), (503, "stopping\n"));
    }
    let health = crate::process::run(&["health", "--admin", &format!("http://{}", gantry.admin)]);
    assert_eq!(health.status.code(), Some(1), "{health:?}");
    // The checks before took longer than one act.
    std::thread::sleep(Duration::from_millis(200));
    gantry.signal(Signal::TERM);
    assert_eq!(client.rest(), "");
    gantry.wait();
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let folder = Folder::echo("[server]\nshutdown_timeout_ms = 600000\n").with(
        "services/echo.toml",
        &format!("timeout_ms = 600000\n{}", crate::folder::service("echo", "delay_ms = 600000")),
    );
    let gantry = Gantry::folder(folder.path());
    let mut client = running_request(&gantry);
    gantry.signal(Signal::TERM);
    wait_until_refused(&gantry);
    // Signals right behind each other are one act.
    std::thread::sleep(Duration::from_millis(200));
    gantry.signal(Signal::INT);
    assert_eq!(client.rest(), "");
    let (status, log) = gantry.wait();
    assert_eq!(status.code(), Some(1), "{log}");
    assert!(log.contains("stopped at once by a second signal"), "{log}");
}

#[test]
fn a_signal_that_comes_twice_lets_requests_end() {
    let folder =
        Folder::slow_echo("").with("services/echo.toml", &crate::folder::service("echo", "delay_ms = 500"));
    let gantry = Gantry::folder(folder.path());
    let mut client = running_request(&gantry);
    gantry.signal(Signal::TERM);
    gantry.signal(Signal::TERM);
    let answer = client.rest();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let (status, log) = gantry.wait();
    assert_eq!(status.code(), Some(0), "{log}");
}

#[test]
fn a_signal_right_after_the_start_is_not_lost() {
    for _ in 0..20 {
        let gantry = Gantry::example("faults");
        gantry.signal(Signal::TERM);
        let (status, log) = gantry.wait();
        assert_eq!(status.code(), Some(0), "{log}");
    }
}
