//! Connections that would take what others need: at the limit, and without reading.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::client::Client;
use crate::folder::{ECHO_ANSWER, ECHO_REQUEST, Folder};
use crate::process::Gantry;

#[test]
fn a_listener_without_connections_takes_none_from_another() {
    let two = "[[listener]]\naddress = \"127.0.0.1:0\"\n[[listener]]\naddress = \"127.0.0.1:0\"\n[limits]\nconnections_max = 1\n";
    let folder = Folder::echo(two);
    let gantry = Gantry::configured(folder.path());
    for _ in 0..3 {
        let mut client = Client::connect(gantry.listeners[0]);
        client.send(ECHO_REQUEST.as_bytes());
        client.response().is_json(200, ECHO_ANSWER);
    }
}

#[test]
fn a_client_that_takes_no_answers_is_let_go() {
    let folder = Folder::echo("[limits]\nresponse_write_timeout_ms = 300\n");
    let gantry = Gantry::folder(folder.path());
    let mut stream = TcpStream::connect(gantry.address()).expect("a connection");
    let requests = ECHO_REQUEST.repeat(1000);
    // Without reading, what is sent ends in full buffers, and then in a reset.
    while stream.write_all(requests.as_bytes()).is_ok() {}
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
}

/// Clients that hold a connection and say nothing, or a part of a request.
fn idle(address: SocketAddr, count: usize, beginning: &[u8]) -> Vec<Client> {
    let connect = |_| {
        let mut client = Client::connect(address);
        client.send_until_closed(beginning);
        client
    };
    (0..count).map(connect).collect()
}

const HEALTH: &[u8] = b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n";

#[test]
fn health_answers_whoever_holds_the_admin_address() {
    // No place is freed by time.
    let folder = Folder::echo("[limits]\nheader_read_timeout_ms = 600000\nbody_read_timeout_ms = 600000\n");
    let gantry = Gantry::folder(folder.path());
    let body =
        b"PUT /zosConnect/services/echo?action=invoke HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{";
    let mut regular = Client::connect(gantry.admin);
    assert_eq!(regular.ask(HEALTH).text(), "up\n");
    let mut held = Vec::new();
    for beginning in [b"".as_slice(), b"GET /he", body, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        held.extend(idle(gantry.admin, 300, beginning));
        assert_eq!(Client::connect(gantry.admin).ask(HEALTH).text(), "up\n");
    }
    // Those that never asked for anything leave first.
    assert_eq!(regular.ask(HEALTH).text(), "up\n");
}

#[test]
fn an_address_has_its_share_of_connections() {
    let listener = "[[listener]]\naddress = \"127.0.0.1:0\"\n";
    let limits = format!("{listener}[limits]\nconnections_per_address_max = 3\n");
    let folder = Folder::echo(&limits);
    let gantry = Gantry::configured(folder.path());
    let mut held = idle(gantry.address(), 3, b"");
    // They are accepted in turn, so that this one is the fourth.
    let mut more = gantry.connect();
    more.send_until_closed(ECHO_REQUEST.as_bytes());
    assert_eq!(more.rest(), "");
    assert_eq!(gantry.metric("gantry_connections_refused_total"), 1.0);
    // Another address has its own.
    let other = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("a socket");
    other.bind(&SocketAddr::from(([127, 0, 0, 2], 0)).into()).expect("a loopback address");
    other.connect(&gantry.address().into()).expect("the gateway accepts");
    Client::over(other.into()).ask(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    // A place that is left is free again.
    held.pop();
    while gantry.metric("gantry_connections") > 2.0 {}
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    gantry.stop();

    let proxies = format!("[server]\ntrusted_proxies = [\"127.0.0.0/8\"]\n{limits}");
    let folder = Folder::echo(&proxies);
    let gantry = Gantry::configured(folder.path());
    let _held = idle(gantry.address(), 10, b"");
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
}

#[test]
fn health_answers_when_descriptors_run_out() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder_with_files(folder.path(), 96);
    // More than there are descriptors for: some wait in the kernel's queue.
    let held = idle(gantry.address(), 300, b"");
    for _ in 0..20 {
        assert_eq!(Client::connect(gantry.admin).ask(HEALTH).text(), "up\n");
    }
    drop(held);
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    let log = gantry.stop();
    let warned = "only 96 files may be open (ulimit -n), but limits.connections_max = 10000 needs 10512";
    assert!(log.contains(warned), "{log}");
}
