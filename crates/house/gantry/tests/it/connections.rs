//! Tests connections that could take resources from others: connections at the limit, and clients
//! that do not read.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

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
fn a_listener_has_its_own_times_of_tcp() {
    let section = "[[listener]]\naddress = \"127.0.0.1:0\"\n";
    let times = "rto_min_ms = 20\nrto_max_ms = 1000\nuser_timeout_ms = 30000\n";
    let gantry = Gantry::configured(Folder::echo(&format!("{section}{times}")).path());
    let mut client = Client::connect(gantry.listeners[0]);
    client.send(ECHO_REQUEST.as_bytes());
    client.response().is_json(200, ECHO_ANSWER);
    let wrong = "rto_min_ms = 5\nrto_max_ms = 20\nuser_timeout_ms = 10\n";
    let folder = Folder::echo(&format!("{section}{wrong}"));
    let found = crate::check::problems(&folder);
    let expected = [
        "gantry.toml:3: 'rto_min_ms' must be 0 or from 8 to 200",
        "gantry.toml:4: 'rto_max_ms' must be 0 or from 1000 to 120000",
        "gantry.toml:5: 'user_timeout_ms' must be 0 or from 1000 to 3600000",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_client_that_takes_no_answers_is_let_go() {
    let folder = Folder::echo("[limits]\nresponse_write_timeout_ms = 300\n");
    let gantry = Gantry::folder(folder.path());
    let mut stream = TcpStream::connect(gantry.address()).expect("a connection");
    let requests = ECHO_REQUEST.repeat(1000);
    // This client does not read. So the buffers fill, and then the gateway resets the connection.
    while stream.write_all(requests.as_bytes()).is_ok() {}
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
}

/// After this time the gateway has freed the buffers of a connection without requests.
const RESTED: Duration = Duration::from_millis(2500);

#[test]
fn a_connection_that_rested_goes_on() {
    let folder = Folder::echo("[limits]\nheader_read_timeout_ms = 600000\n");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    client.ask(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    std::thread::sleep(RESTED);
    // This part is longer than the first bytes that the gateway reads.
    let (first, second) = ECHO_REQUEST.as_bytes().split_at(40);
    client.send(first);
    std::thread::sleep(RESTED);
    client.send(second);
    client.response().is_json(200, ECHO_ANSWER);
    client.send(b"\r\n");
    std::thread::sleep(RESTED);
    client.send(ECHO_REQUEST.repeat(2).as_bytes());
    client.response().is_json(200, ECHO_ANSWER);
    client.response().is_json(200, ECHO_ANSWER);
    // The gateway still finds faults in a head.
    std::thread::sleep(RESTED);
    client.send_until_closed(b"GET / HTTP/1.1\nhost: localhost\r\n\r\n");
    assert!(client.rest().starts_with("HTTP/1.1 400 "));
}

#[test]
fn a_connection_that_rested_is_let_go() {
    let folder = Folder::echo("[limits]\nheader_read_timeout_ms = 3000\n");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    client.ask(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    assert_eq!(client.rest(), "");
}

#[test]
fn a_client_that_reads_late_gets_all_answers() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    let request = "GET /echo/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let first = client.ask(request.as_bytes());
    let expected = first.text();
    // All answers together are larger than the buffers of both sides.
    let count = 40_000_000 / expected.len();
    let mut sending = client.sender();
    let thread = std::thread::spawn(move || {
        for _ in 0..count {
            sending.send(request.as_bytes());
        }
    });
    std::thread::sleep(RESTED);
    for number in 0..count {
        assert!(client.response().text() == expected, "answer {number}");
    }
    thread.join().expect("all is sent");
}

/// Opens connections that send nothing, or only the beginning of a request.
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
    // No connection times out during this test.
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
    // Connections without any request leave first, so this one stays.
    assert_eq!(regular.ask(HEALTH).text(), "up\n");
}

#[test]
fn an_address_has_its_share_of_connections() {
    let listener = "[[listener]]\naddress = \"127.0.0.1:0\"\n";
    let limits = format!("{listener}[limits]\nconnections_per_address_max = 3\n");
    let folder = Folder::echo(&limits);
    let gantry = Gantry::configured(folder.path());
    let mut held = idle(gantry.address(), 3, b"");
    // The gateway accepts connections in order, so this one is the fourth.
    let mut more = gantry.connect();
    more.send_until_closed(ECHO_REQUEST.as_bytes());
    assert_eq!(more.rest(), "");
    assert_eq!(gantry.metric("gantry_connections_refused_total"), 1.0);
    // Another address has its own share.
    let other = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).expect("a socket");
    other.bind(&SocketAddr::from(([127, 0, 0, 2], 0)).into()).expect("a loopback address");
    other.connect(&gantry.address().into()).expect("the gateway accepts");
    Client::over(other.into()).ask(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    // When a connection closes, another one may take its place.
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
    // The process has too few descriptors for these connections. Some wait in the kernel's queue.
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
