//! Tests request heads that HTTP forbids or that nobody should send: hosts, encodings, many
//! headers. Also tests HEAD.

use crate::client::Client;
use crate::folder::{ECHO_ANSWER, ECHO_REQUEST, Folder};
use crate::process::{Gantry, run, text};

fn echo() -> (Folder, Gantry) {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    (folder, gantry)
}

#[test]
fn a_request_has_one_host() {
    let (_folder, gantry) = echo();
    let two = ECHO_REQUEST.replacen("host: localhost\r\n", "host: localhost\r\nhost: other\r\n", 1);
    gantry.request(two.as_bytes()).fails(400, "GTY0406W");
    let none = ECHO_REQUEST.replacen("host: localhost\r\n", "", 1);
    gantry.request(none.as_bytes()).fails(400, "GTY0406W");
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
}

#[test]
fn a_host_is_one() {
    let (_folder, gantry) = echo();
    let with = |host: &str| ECHO_REQUEST.replacen("host: localhost", &format!("host: {host}"), 1);
    for host in
        ["", "a b", "a/b", "a@b", "[::1", "[1]", "a:b", "a:70000", "http://a", "\u{e9}", ":80", "a:1:2"]
    {
        gantry.request(with(host).as_bytes()).fails(400, "GTY0406W");
        let health = format!("GET /health HTTP/1.1\r\nhost: {host}\r\n\r\n");
        Client::connect(gantry.admin).ask(health.as_bytes()).fails(400, "GTY0406W");
    }
    for host in ["localhost", "a.localhost:80", "127.0.0.1:1", "[::1]:65535", "a_b.localhost", "localhost:"] {
        gantry.request(with(host).as_bytes()).is_json(200, ECHO_ANSWER);
    }
}

#[test]
fn lines_of_heads_end_with_cr_and_lf() {
    let (_folder, gantry) = echo();
    for bad in [
        ECHO_REQUEST.replacen("\r\n", "\n", 1),
        ECHO_REQUEST.replacen("localhost\r\n", "localhost\n", 1),
        ECHO_REQUEST.replacen("14\r\n\r\n", "14\r\n\n", 1),
        format!("\n{ECHO_REQUEST}"),
    ] {
        for address in [gantry.address(), gantry.admin] {
            let mut client = Client::connect(address);
            client.send(bad.as_bytes());
            let rest = client.rest();
            assert!(
                rest.starts_with("HTTP/1.1 400 ") && rest.matches("HTTP/1.1").count() == 1,
                "{bad:?}: {rest}"
            );
        }
    }
    // Bodies may have bare line ends, and later requests on the connection too.
    let body = "{\n\"words\":\n\"hi\"\n}\n";
    let mut client = gantry.connect();
    for _ in 0..3 {
        let request = crate::process::request("PUT", "/echo/7", "", body);
        client.ask(request.as_bytes()).is_json(200, ECHO_ANSWER);
        let chunked = format!(
            "PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{}\r\n{:x};x=y\r\n{}\r\n0\r\n\r\n",
            &body[..5],
            body.len() - 5,
            &body[5..]
        );
        client.ask(chunked.as_bytes()).is_json(200, ECHO_ANSWER);
    }
    client.send(ECHO_REQUEST.replacen("localhost\r\n", "localhost\n", 1).as_bytes());
    assert!(client.rest().starts_with("HTTP/1.1 400 "));
}

#[test]
fn a_transfer_coding_that_is_not_known_is_not_implemented() {
    let (_folder, gantry) = echo();
    for coding in ["gzip", "gzip, chunked", "chunked, gzip", "identity", "chunked, chunked", "x"] {
        let request = ECHO_REQUEST.replacen("content-length: 14", &format!("Transfer-Encoding: {coding}"), 1);
        let mut client = gantry.connect();
        // Nobody knows where the body ends, so the rest is not a request.
        client.send(format!("{request}{ECHO_REQUEST}").as_bytes());
        client.response().fails(501, "GTY0514E");
        assert_eq!(client.rest(), "", "{coding}");
    }
}

#[test]
fn an_encoded_body_is_refused() {
    let (_folder, gantry) = echo();
    let encoded =
        ECHO_REQUEST.replacen("host: localhost\r\n", "host: localhost\r\ncontent-encoding: gzip\r\n", 1);
    gantry.request(encoded.as_bytes()).fails(415, "GTY0415W");
}

#[test]
fn head_answers_like_get_without_the_body() {
    let gantry = Gantry::example("faults");
    let length = gantry.get("/faults/fine/7").body.len();
    let mut client = gantry.connect();
    client.send(b"HEAD /faults/fine/7 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let rest = client.rest();
    assert!(rest.starts_with("HTTP/1.1 200 "), "{rest}");
    assert!(rest.contains(&format!("content-length: {length}\r\n")), "{rest}");
    assert!(rest.ends_with("\r\n\r\n"), "{rest}");
}

/// Makes a request for the echo service, with a body and these further lines of its head.
fn put(host: &str, headers: &str) -> Vec<u8> {
    let body = r#"{"words":"hi"}"#;
    let length = body.len();
    format!("PUT /echo/7 HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

const JSON: &str = "content-type: application/json\r\n";

#[test]
fn a_body_without_content_type_is_refused() {
    let (_folder, gantry) = echo();
    gantry.request(&put("localhost", "")).fails(415, "GTY0415W");
    let chunked = "PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\ne\r\n{\"words\":\"hi\"}\r\n0\r\n\r\n";
    gantry.request(chunked.as_bytes()).fails(415, "GTY0415W");
    // Without a body a type is not missing. The body is missing.
    let empty = "PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_ne!(gantry.request(empty.as_bytes()).status, 415);
}

#[test]
fn a_page_of_another_origin_changes_nothing() {
    let (_folder, gantry) = echo();
    for origin in
        ["https://evil.example", "null", "http://localhost:1", "http://localhost.evil.example", "localhost"]
    {
        let headers = format!("{JSON}origin: {origin}\r\n");
        gantry.request(&put("localhost", &headers)).fails(403, "GTY0435W");
        let read = format!("GET /echo/openapi.json HTTP/1.1\r\nhost: localhost\r\norigin: {origin}\r\n\r\n");
        assert_eq!(
            gantry.request(read.as_bytes()).status,
            200,
            "{origin} may ask, and its page cannot read the answer"
        );
    }
    for host in ["localhost", "localhost:2222", "127.0.0.1:2222", "[::1]:2222"] {
        let headers = format!("{JSON}origin: http://{host}\r\n");
        assert_eq!(gantry.request(&put(host, &headers)).status, 200, "its own page at {host}");
    }
    let two = format!("{JSON}origin: http://localhost\r\norigin: https://evil.example\r\n");
    gantry.request(&put("localhost", &two)).fails(403, "GTY0435W");
}

#[test]
fn other_host_names_are_refused_where_only_this_machine_calls() {
    let (_folder, gantry) = echo();
    for host in ["evil.example", "evil.example:2222", "localhost.evil.example", "api.example.com"] {
        gantry.request(&put(host, JSON)).fails(421, "GTY0407W");
        let head = format!("GET /health/live HTTP/1.1\r\nhost: {host}\r\n\r\n");
        Client::connect(gantry.admin).ask(head.as_bytes()).fails(421, "GTY0407W");
    }
    let full = |host: &str| {
        let head = format!("GET http://{host}/echo/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n");
        gantry.request(head.as_bytes()).status
    };
    assert_eq!(
        ["localhost:2222", "127.0.0.1", "evil.example"].map(full),
        [200, 200, 421],
        "the target counts"
    );
    let mut old = gantry.connect();
    old.send(b"GET /echo/openapi.json HTTP/1.0\r\n\r\n");
    assert!(old.rest().starts_with("HTTP/1.0 200"), "no browser leaves the host out");
}

#[test]
fn host_names_can_be_listed() {
    let listed = "[[listener]]\naddress = \"127.0.0.1:0\"\nhosts = [\"api.example.com\"]\n";
    let folder = Folder::echo(listed);
    let gantry = Gantry::configured(folder.path());
    assert_eq!(gantry.request(&put("API.example.com:443", JSON)).status, 200);
    assert_eq!(gantry.request(&put("localhost", JSON)).status, 200);
    gantry.request(&put("evil.example", JSON)).fails(421, "GTY0407W");
    let folder = Folder::echo("[[listener]]\naddress = \"127.0.0.1:0\"\nhosts = [\"*\"]\n");
    let gantry = Gantry::configured(folder.path());
    assert_eq!(gantry.request(&put("any.example", JSON)).status, 200);
    let folder = Folder::echo("[[listener]]\naddress = \"127.0.0.1:0\"\nhosts = [\"http://a\"]\n");
    let output = run(&["check", text(folder.path())]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("gantry.toml:") && said.contains("host name without scheme and port"), "{said}");
}
