//! Tests request bodies as they arrive: whole, in pieces, chunked, too large, missing, announced.

use crate::client::Client;
use crate::folder::{ECHO_ANSWER, ECHO_REQUEST, Folder};
use crate::process::{Gantry, request};

const SMALL_BODIES: &str = "[limits]\nrequest_body_max_bytes = 64\n";

/// Makes a chunked request to the echo API. `chunks` go out unchanged.
fn chunked(chunks: &str) -> String {
    format!(
        "PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{chunks}"
    )
}

#[test]
fn a_request_may_come_byte_by_byte() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    for byte in ECHO_REQUEST.bytes() {
        client.send(&[byte]);
    }
    client.response().is_json(200, ECHO_ANSWER);
}

#[test]
fn a_body_may_come_in_segments() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let json = r#"{"words":"ten times two word"}"#;
    for size in [1, 2, 3, 7, 29] {
        let mut client = gantry.connect();
        let whole = request("PUT", "/echo/7", "", json);
        let (head, body) = whole.split_at(whole.len() - json.len());
        client.send(head.as_bytes());
        for piece in body.as_bytes().chunks(size) {
            client.send(piece);
        }
        client.response().is_json(200, r#"{"number_of":7,"words":"ten times two word"}"#);
    }
}

#[test]
fn a_body_may_be_chunked() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    for chunks in [
        "e\r\n{\"words\":\"hi\"}\r\n0\r\n\r\n",
        "1\r\n{\r\n0D;name=value\r\n\"words\":\"hi\"}\r\n000\r\n\r\n",
        "7\r\n{\"words\r\n7\r\n\":\"hi\"}\r\n0\r\nx-trailer: 1\r\n\r\n",
    ] {
        gantry.request(chunked(chunks).as_bytes()).is_json(200, ECHO_ANSWER);
    }
    gantry.request(chunked("0\r\n\r\n").as_bytes()).fails(400, "GTY0402W");
}

#[test]
fn broken_chunks_are_no_body() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    for chunks in ["zz\r\n{}\r\n0\r\n\r\n", "ffffffffffffffffff\r\n{}", "2\r\n{}XX0\r\n\r\n"] {
        let mut client = gantry.connect();
        let answer = client.ask(chunked(chunks).as_bytes());
        assert_eq!(answer.status, 400, "{chunks}: {}", answer.text());
        // The gateway cannot find the end of this body, so it serves nothing after it.
        client.rest();
    }
}

#[test]
fn a_body_has_a_limit() {
    let folder = Folder::echo(SMALL_BODIES);
    let gantry = Gantry::folder(folder.path());
    let padded = |length: usize| format!("{{\"words\":\"hi\"{}}}", " ".repeat(length - 14));
    gantry.put("/echo/7", &padded(64)).is_json(200, ECHO_ANSWER);
    let details = gantry.put("/echo/7", &padded(65)).fails(413, "GTY0413W");
    assert_eq!(details, "the limit is 64 bytes");
    let chunks = |body: &str| {
        format!("20\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n", &body[..32], body.len() - 32, &body[32..])
    };
    gantry.request(chunked(&chunks(&padded(64))).as_bytes()).is_json(200, ECHO_ANSWER);
    gantry.request(chunked(&chunks(&padded(65))).as_bytes()).fails(413, "GTY0413W");
}

#[test]
fn a_body_that_only_claims_to_be_huge_is_refused_at_once() {
    let folder = Folder::echo(SMALL_BODIES);
    let gantry = Gantry::folder(folder.path());
    let ask = |length: &str| {
        let head = format!(
            "PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        gantry.request(head.as_bytes())
    };
    ask("65").fails(413, "GTY0413W");
    ask("9223372036854775807").fails(413, "GTY0413W");
    // The parser takes no length this large, so the gateway refuses the head.
    assert_eq!(ask("18446744073709551615").status, 431);
}

#[test]
fn a_client_that_sends_all_before_it_reads_gets_its_refusal() {
    let folder = Folder::echo(SMALL_BODIES);
    let gantry = Gantry::folder(folder.path());
    let body = " ".repeat(24 * 1024 * 1024);
    let mut client = gantry.connect();
    client.send(request("PUT", "/echo/7", "", &body).as_bytes());
    client.response().fails(413, "GTY0413W");
    let mut client = gantry.connect();
    client.send(request("PUT", "/elsewhere", "", &body).as_bytes());
    client.response().fails(404, "GTY0404W");
    // An answer that needs no body comes through, too.
    let mut client = gantry.connect();
    client.send(request("GET", "/echo/openapi.json", "", &body).as_bytes());
    assert_eq!(client.response().status, 200);
    // So does one whose head is too long.
    let head = format!("x-long: {}\r\n", "a".repeat(4 * 1024 * 1024));
    let mut client = gantry.connect();
    client.send(request("PUT", "/echo/7", &head, "{}").as_bytes());
    assert_eq!(client.response().status, 431);
}

#[test]
fn missing_and_unexpected_bodies() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    gantry.request(b"PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\n\r\n").fails(400, "GTY0402W");
    let faults = Gantry::example("faults");
    faults.send("GET", "/faults/fine/7", "", "{}").fails(400, "GTY0403W");
    // An unread body does not become the next request.
    let mut client = Client::connect(faults.address());
    client.send(request("GET", "/faults/fine/7", "", "GET /faults/fine/8 HTTP/1.1\r\n\r\n").as_bytes());
    client.response().fails(400, "GTY0403W");
    let next = client.ask(b"GET /faults/fine/7 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!(next.status, 200);
}

#[test]
fn a_client_may_wait_until_its_body_is_wanted() {
    let folder = Folder::echo(SMALL_BODIES);
    let gantry = Gantry::folder(folder.path());
    let head = |length: usize, more: &str| {
        format!(
            "PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: {length}\r\n{more}\r\n"
        )
    };
    let mut client = gantry.connect();
    assert_eq!(client.ask(head(14, "").as_bytes()).status, 100);
    client.ask(b"{\"words\":\"hi\"}").is_json(200, ECHO_ANSWER);
    // The gateway refuses these requests before the client sends a byte of the body.
    gantry.request(head(65, "").as_bytes()).fails(413, "GTY0413W");
    gantry.request(head(14, "content-type: text/plain\r\n").as_bytes()).fails(415, "GTY0415W");
}

#[test]
fn a_broken_off_body_harms_nobody_else() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    for _ in 0..20 {
        let mut client = gantry.connect();
        client.send(&ECHO_REQUEST.as_bytes()[..ECHO_REQUEST.len() - 3]);
    }
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    let mut client = gantry.connect();
    client.send(&ECHO_REQUEST.as_bytes()[..ECHO_REQUEST.len() - 3]);
    client.finish_sending();
    let rest = client.rest();
    assert!(!rest.contains("200 OK"), "{rest}");
    assert!(!gantry.stop().contains("panicked"));
}
