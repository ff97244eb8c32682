//! Request heads that HTTP forbids or that nobody should send: hosts, encodings, many headers; and HEAD.

use crate::folder::{ECHO_ANSWER, ECHO_REQUEST, Folder};
use crate::process::Gantry;

fn echo() -> (Folder, Gantry) {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    (folder, gantry)
}

#[test]
fn a_request_has_one_host() {
    let (_folder, gantry) = echo();
    let two = ECHO_REQUEST.replacen("host: test\r\n", "host: test\r\nhost: other\r\n", 1);
    gantry.request(two.as_bytes()).fails(400, "GTY0406W");
    let none = ECHO_REQUEST.replacen("host: test\r\n", "", 1);
    gantry.request(none.as_bytes()).fails(400, "GTY0406W");
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
}

#[test]
fn an_encoded_body_is_refused() {
    let (_folder, gantry) = echo();
    let encoded = ECHO_REQUEST.replacen("host: test\r\n", "host: test\r\ncontent-encoding: gzip\r\n", 1);
    gantry.request(encoded.as_bytes()).fails(415, "GTY0415W");
}

#[test]
fn head_answers_like_get_without_the_body() {
    let gantry = Gantry::example("faults");
    let length = gantry.get("/faults/fine/7").body.len();
    let mut client = gantry.connect();
    client.send(b"HEAD /faults/fine/7 HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n");
    let rest = client.rest();
    assert!(rest.starts_with("HTTP/1.1 200 "), "{rest}");
    assert!(rest.contains(&format!("content-length: {length}\r\n")), "{rest}");
    assert!(rest.ends_with("\r\n\r\n"), "{rest}");
}
