//! Connections that would take what others need: at the limit, and without reading.

use std::io::{Read, Write};
use std::net::TcpStream;

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
