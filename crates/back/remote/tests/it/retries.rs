//! Retries: only requests that do no harm twice, only a few times, and never past the caller's deadline.

use std::time::{Duration, Instant};

use remote::{Call, ConnectionSettings, ErrorKind, Outgoing, Retry};

use crate::server::{Reply, Server, answer, connection, get, patient, post, with_headers};

#[tokio::test]
async fn a_status_that_passes_is_waited_out() {
    let server = Server::start([answer(503, ""), answer(502, ""), answer(200, "{}")]).await;
    let found = connection(server.settings()).exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), server.asked().len()), (200, 3));
}

#[tokio::test]
async fn the_last_answer_is_the_answer() {
    let server = Server::start([answer(503, r#"{"late":1}"#)]).await;
    let found = connection(server.settings()).exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), server.asked().len()), (503, 3), "the first and two more");
    assert_eq!(&found.body[..], br#"{"late":1}"#);
}

#[tokio::test]
async fn a_request_that_may_do_harm_twice_is_sent_once() {
    let server = Server::start([answer(503, ""), answer(200, "{}")]).await;
    let found = connection(server.settings()).exchange(post("/", "x"), &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), server.asked().len()), (503, 1));
    let server = Server::start([answer(503, ""), answer(200, "{}")]).await;
    let harmless = Outgoing { idempotent: true, ..post("/", "x") };
    let found = connection(server.settings()).exchange(harmless, &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), server.asked().len()), (200, 2), "unless it is said to do none");
}

#[tokio::test]
async fn a_broken_connection_is_tried_again() {
    let server = Server::start([Reply::Cut(String::new()), answer(200, "{}")]).await;
    let found = connection(server.settings()).exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), server.asked().len()), (200, 2));
    let begun = Reply::Cut("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbeg".to_owned());
    let server = Server::start([begun, answer(200, "{}")]).await;
    let found = connection(server.settings()).exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!((&found.body[..], server.asked().len()), (&b"{}"[..], 2));
}

#[tokio::test]
async fn other_failures_are_told_at_once() {
    let server = Server::start([answer(500, "")]).await;
    let found = connection(server.settings()).exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), server.asked().len()), (500, 1));
}

#[tokio::test]
async fn no_retry_goes_past_the_deadline() {
    let server = Server::start([answer(503, "")]).await;
    let retry = Retry {
        backoff: Duration::from_secs(3_600),
        backoff_max: Duration::from_secs(3_600),
        ..Retry::default()
    };
    let connection = connection(ConnectionSettings { retry, ..server.settings() });
    let found = connection.exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), server.asked().len()), (503, 1), "the wait would be too long");
}

#[tokio::test]
async fn a_server_that_asks_for_more_time_than_there_is_is_not_asked_again() {
    let server = Server::start([with_headers(503, "retry-after: 7200\r\n", "")]).await;
    let found = connection(server.settings()).exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), server.asked().len()), (503, 1));
}

#[tokio::test]
async fn a_server_may_ask_for_a_time_beyond_all_clocks() {
    let server = Server::start([with_headers(503, &format!("retry-after: {}\r\n", u64::MAX), "")]).await;
    let found = connection(server.settings()).exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!((found.status.as_u16(), server.asked().len()), (503, 1));
}

#[tokio::test]
async fn a_deadline_that_has_passed_sends_nothing() {
    let server = Server::start([answer(200, "{}")]).await;
    let call = Call { deadline: Instant::now(), caller: None, token: None };
    let error = connection(server.settings()).exchange(get("/"), &call).await.expect_err("too late");
    assert_eq!(error.kind, ErrorKind::TimedOut);
}
