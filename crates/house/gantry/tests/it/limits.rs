//! Tests what one client can make the gateway hold: headers, time, connections.
//!
//! The tests wait for the gateway, however long it takes. They never measure time.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use crate::client::Client;
use crate::folder::{ECHO_ANSWER, ECHO_REQUEST, Folder};
use crate::process::Gantry;

/// This is long enough for a good request on a busy machine.
const HEADER_TIME: &str = "[limits]\nheader_read_timeout_ms = 2000\n";
/// The bodies in these tests never come, so this may be short.
const BODY_TIME: &str = "[limits]\nbody_read_timeout_ms = 200\n";

fn with_headers(headers: &str) -> String {
    ECHO_REQUEST.replacen("host: localhost\r\n", &format!("host: localhost\r\n{headers}"), 1)
}

#[test]
fn headers_are_counted() {
    let folder = Folder::echo("[limits]\nheader_count_max = 10\n");
    let gantry = Gantry::folder(folder.path());
    // The request has three headers of its own.
    let headers = |count: usize| (0..count).map(|number| format!("x-{number}: 1\r\n")).collect::<String>();
    gantry.request(with_headers(&headers(7)).as_bytes()).is_json(200, ECHO_ANSWER);
    let mut client = gantry.connect();
    client.send_until_closed(with_headers(&headers(8)).as_bytes());
    let rest = client.rest();
    assert!(rest.starts_with("HTTP/1.1 431 "), "{rest}");
}

#[test]
fn headers_are_measured() {
    let folder = Folder::echo("[limits]\nheader_max_bytes = 8192\n");
    let gantry = Gantry::folder(folder.path());
    let header = |length: usize| format!("x-long: {}\r\n", "x".repeat(length));
    gantry.request(with_headers(&header(7000)).as_bytes()).is_json(200, ECHO_ANSWER);
    let mut client = gantry.connect();
    client.send_until_closed(with_headers(&header(100_000)).as_bytes());
    let rest = client.rest();
    assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 431 "), "{rest}");
    let mut client = gantry.connect();
    client.send_until_closed(format!("PUT /echo/{} HTTP/1.1\r\n\r\n", "7".repeat(100_000)).as_bytes());
    let rest = client.rest();
    assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 4"), "{rest}");
}

#[test]
fn clients_that_say_nothing_or_too_little_are_closed() {
    let folder = Folder::echo(HEADER_TIME);
    let gantry = Gantry::folder(folder.path());
    // "P" and "PRI * HTTP/2.0" could still become HTTP/2.
    let beginnings =
        ["", "P", "G", "PUT /echo/7 HT", "PRI * HTTP/2.0\r\n", "PUT /echo/7 HTTP/1.1\r\nhost: te"];
    let mut clients: Vec<Client> = beginnings.iter().map(|_| gantry.connect()).collect();
    for (client, beginning) in clients.iter_mut().zip(beginnings) {
        client.send(beginning.as_bytes());
    }
    for (client, beginning) in clients.iter_mut().zip(beginnings) {
        let rest = client.rest();
        assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 408 "), "{beginning}: {rest}");
    }
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
}

#[test]
fn a_connection_without_a_next_request_is_closed() {
    let folder = Folder::echo(HEADER_TIME);
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    client.ask(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    assert_eq!(client.rest(), "");
}

#[test]
fn a_body_that_does_not_come_is_not_waited_for() {
    let folder = Folder::echo(BODY_TIME);
    let gantry = Gantry::folder(folder.path());
    for missing in [1, 14] {
        let mut client = gantry.connect();
        client.send(&ECHO_REQUEST.as_bytes()[..ECHO_REQUEST.len() - missing]);
        client.response().fails(408, "GTY0408W");
        assert_eq!(client.rest(), "");
    }
}

#[test]
fn connections_beyond_the_limit_wait_their_turn() {
    let folder = Folder::echo("[limits]\nconnections_max = 2\n");
    let gantry = Gantry::folder(folder.path());
    let mut held: Vec<Client> = (0..2).map(|_| gantry.connect()).collect();
    for client in &mut held {
        client.ask(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    }
    assert_eq!(gantry.metric("gantry_connections"), 2.0);
    // The kernel takes the third connection and its request. The gateway does not see it yet.
    let mut third = gantry.connect();
    third.send(ECHO_REQUEST.as_bytes());
    held[0].ask(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    assert_eq!(gantry.metric("gantry_connections"), 2.0);
    drop(held.remove(0));
    third.response().is_json(200, ECHO_ANSWER);
}

#[test]
fn clients_that_vanish_free_their_places() {
    let folder = Folder::slow_echo("[limits]\nconnections_max = 4\n");
    let gantry = Gantry::folder(folder.path());
    for _ in 0..5 {
        for beginning in [&ECHO_REQUEST[..0], &ECHO_REQUEST[..30], ECHO_REQUEST] {
            let mut client = gantry.connect();
            client.send(beginning.as_bytes());
        }
    }
    for _ in 0..4 {
        gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    }
}

/// If a write waits this long, the gateway does not read. A slow gateway can make the test pass
/// wrongly, but never fail wrongly.
const WRITE_TIME: Duration = Duration::from_secs(2);

#[test]
fn a_client_that_does_not_read_its_answers_is_not_read_from_either() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let mut stream = TcpStream::connect(gantry.address()).expect("the gateway accepts");
    stream.set_write_timeout(Some(WRITE_TIME)).expect("a timeout can be set");
    let requests = ECHO_REQUEST.repeat(10_000);
    // This is far more than the kernel holds for both sides.
    let blocked = (0..100).any(|_| stream.write_all(requests.as_bytes()).is_err());
    assert!(blocked, "the gateway holds the answers to {} bytes of requests", requests.len() * 100);
}
