//! Tests HTTP/1.1: connections that stay, pipelines, methods, and bytes that are not HTTP.

use crate::client::Client;
use crate::folder::{ECHO_ANSWER, ECHO_REQUEST, Folder};
use crate::process::{Gantry, request};

#[test]
fn a_connection_serves_many_requests() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    for number in 0..100 {
        let path = format!("/echo/{number}");
        let answer = client.ask(request("PUT", &path, "", "{}").as_bytes());
        answer.is_json(200, &format!(r#"{{"number_of":{number},"words":""}}"#));
    }
    // A failure does not end the connection.
    client.ask(b"GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n").fails(404, "GTY0404W");
    client.ask(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
}

#[test]
fn a_connection_ends_when_the_client_says_so() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    let answer = client.ask(request("PUT", "/echo/1", "connection: close\r\n", "{}").as_bytes());
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert_eq!(client.rest(), "");
    let mut old = gantry.connect();
    old.send(b"PUT /echo/1 HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
    let rest = old.rest();
    assert!(rest.starts_with("HTTP/1.0 200") && rest.ends_with(r#"{"number_of":1,"words":""}"#), "{rest}");
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    let mut together = String::new();
    for number in 0..500 {
        // Every tenth request is faulty. The order must not change.
        let method = if number % 10 == 9 { "POST" } else { "PUT" };
        together += &request(method, &format!("/echo/{number}"), "", "{}");
    }
    client.send(together.as_bytes());
    for number in 0..500 {
        let answer = client.response();
        if number % 10 == 9 {
            answer.fails(405, "GTY0405W");
        } else {
            answer.is_json(200, &format!(r#"{{"number_of":{number},"words":""}}"#));
        }
    }
}

#[test]
fn a_pipeline_behind_a_slow_request_waits_its_turn() {
    let folder = Folder::slow_echo("");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    let both = [request("PUT", "/echo/1", "", "{}"), request("GET", "/nowhere", "", "")].concat();
    client.send(both.as_bytes());
    client.response().is_json(200, r#"{"number_of":1,"words":""}"#);
    client.response().fails(404, "GTY0404W");
}

#[test]
fn an_answer_does_not_wait_for_the_rest_of_the_next_request() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    let (begin, rest) = ECHO_REQUEST.split_at(9);
    client.send([ECHO_REQUEST, begin].concat().as_bytes());
    client.response().is_json(200, ECHO_ANSWER);
    client.send(rest.as_bytes());
    client.response().is_json(200, ECHO_ANSWER);
    // The answer also comes if the gateway does not serve the next request.
    let last = request("PUT", "/echo/7", "connection: close\r\n", "{}");
    client.send([&last, ECHO_REQUEST].concat().as_bytes());
    client.response().is_json(200, r#"{"number_of":7,"words":""}"#);
    let mut client = gantry.connect();
    client.send([ECHO_REQUEST, "garbage\r\n\r\n"].concat().as_bytes());
    client.response().is_json(200, ECHO_ANSWER);
    assert_eq!(client.response().status, 400);
}

#[test]
fn methods_that_no_operation_offers() {
    let gantry = Gantry::example("faults");
    for method in ["OPTIONS", "TRACE", "POST", "PATCH", "DELETE", "BREW"] {
        let mut client = gantry.connect();
        client.send(
            format!("{method} /faults/fine/7 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
                .as_bytes(),
        );
        let rest = client.rest();
        assert!(rest.starts_with("HTTP/1.1 405 "), "{method}: {rest}");
        assert!(rest.contains("\r\nallow: GET, HEAD\r\n"), "{method}: {rest}");
        // TRACE does not send back the request.
        assert!(!rest.contains("host: localhost"), "{rest}");
    }
    // `OPTIONS *` asks what the server can do, on any path (RFC 9110, section 9.3.7).
    let answer = gantry.request(b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!((answer.status, answer.body.len()), (200, 0), "{}", answer.text());
    gantry.request(b"CONNECT localhost:80 HTTP/1.1\r\nhost: localhost:80\r\n\r\n").fails(404, "GTY0404W");
}

#[test]
fn head_is_get_without_the_body() {
    let gantry = Gantry::example("faults");
    for path in ["/faults/fine/7", "/faults/refused/7", "/faults/openapi.json"] {
        let get = gantry.get(path);
        let mut client = gantry.connect();
        client
            .send(format!("HEAD {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").as_bytes());
        let rest = client.rest();
        assert!(rest.starts_with(&format!("HTTP/1.1 {} ", get.status)), "{rest}");
        assert!(rest.contains(&format!("\r\ncontent-length: {}\r\n", get.body.len())), "{rest}");
        assert!(rest.ends_with("\r\n\r\n"), "{rest}");
    }
}

#[test]
fn a_url_may_be_absolute() {
    let gantry = Gantry::example("faults");
    let answer =
        gantry.request(b"GET http://localhost/faults/fine/7?x=1 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!(answer.status, 200);
}

#[test]
fn garbage_is_refused_and_the_connection_closed() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    for garbage in [
        b"\0\0\0\0\0\0\0\0\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"PUT /echo/7 HTTP/9.9\r\n\r\n".to_vec(),
        b"PUT /echo/7 HTTP/1.1\r\nno colon\r\n\r\n".to_vec(),
        b"PUT /echo/7 HTTP/1.1\r\ncontent-length: x\r\n\r\n".to_vec(),
        b"PUT /echo/7 HTTP/1.1\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}".to_vec(),
        b"PUT /echo/7 HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n{}".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(),
        (0..=255).cycle().take(10_000).collect(),
    ] {
        let mut client = gantry.connect();
        client.send_until_closed(&garbage);
        client.finish_sending_if_open();
        let rest = client.rest();
        assert!(rest.starts_with("HTTP/1.1 4"), "{garbage:?}: {rest}");
    }
    gantry.request(ECHO_REQUEST.as_bytes()).is_json(200, ECHO_ANSWER);
    assert!(!gantry.stop().contains("panicked"));
}

#[test]
fn a_message_with_length_and_chunks_is_refused() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    client.send(
        b"PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n\
          0\r\n\r\nPUT /echo/8 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}",
    );
    let rest = client.rest();
    assert!(rest.starts_with("HTTP/1.1 400"), "{rest}");
    assert_eq!(rest.matches("HTTP/1.1").count(), 1, "the second message is not read: {rest}");
}

#[test]
fn a_client_that_sends_no_more_still_gets_its_answer() {
    for folder in [Folder::echo(""), Folder::slow_echo("")] {
        let gantry = Gantry::folder(folder.path());
        let mut client = gantry.connect();
        client.send([ECHO_REQUEST, ECHO_REQUEST].concat().as_bytes());
        client.finish_sending();
        client.response().is_json(200, ECHO_ANSWER);
        client.response().is_json(200, ECHO_ANSWER);
        assert_eq!(client.rest(), "");
    }
}

#[test]
fn the_admin_address_answers_health_and_metrics_only() {
    let gantry = Gantry::example("faults");
    let mut admin = Client::connect(gantry.admin);
    let answer = admin.ask(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!((answer.status, answer.text()), (200, "up\n"));
    assert_eq!(admin.ask(b"GET /faults/fine/7 HTTP/1.1\r\nhost: localhost\r\n\r\n").status, 404);
    assert_eq!(admin.ask(request("POST", "/metrics", "", "x").as_bytes()).status, 405);
    let metrics = admin.ask(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert!(
        metrics.header("content-type").is_some_and(|kind| kind.starts_with("application/openmetrics-text"))
    );
    assert!(metrics.text().ends_with("# EOF\n"));
    gantry.get("/metrics").fails(404, "GTY0404W");
}
