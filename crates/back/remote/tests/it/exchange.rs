//! One request and its answer: what is sent, what is kept out, what redirects do.

use http::HeaderValue;
use remote::{ConnectionSettings, ErrorKind, Redirects};

use crate::server::{Reply, Server, answer, connection, get, patient, post, with_headers};

#[tokio::test]
async fn a_request_goes_out_and_its_answer_comes_back() {
    let server = Server::start([answer(201, r#"{"a":1}"#)]).await;
    let connection = connection(server.settings());
    let mut outgoing = post("/items?x=1", "body");
    outgoing.headers.insert("x-own", HeaderValue::from_static("y"));
    for name in ["connection", "transfer-encoding", "host", "te", "upgrade", "content-length"] {
        outgoing.headers.insert(name, HeaderValue::from_static("evil"));
    }
    let answer = connection.exchange(outgoing, &patient()).await.expect("an answer");
    assert_eq!((answer.status.as_u16(), &answer.body[..]), (201, &br#"{"a":1}"#[..]));
    assert_eq!(answer.headers["content-type"], "application/json");
    let asked = server.asked().remove(0);
    assert!(asked.starts_with("POST /v1/items?x=1 HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains("\r\nx-own: y\r\n") && asked.ends_with("\r\n\r\nbody"), "{asked}");
    assert!(asked.contains(&format!("\r\nhost: {}\r\n", server.address)), "{asked}");
    assert!(!asked.contains("evil"), "{asked}");
}

#[tokio::test]
async fn connections_are_kept_and_used_again() {
    let server = Server::start([answer(200, "{}")]).await;
    let connection = connection(server.settings());
    for _ in 0..5 {
        connection.exchange(get("/"), &patient()).await.expect("an answer");
    }
    assert_eq!((server.asked().len(), server.connections()), (5, 1));
}

#[tokio::test]
async fn a_status_is_an_answer_whatever_it_is() {
    for status in [204, 404, 418, 500] {
        let server = Server::start([with_headers(status, "", "")]).await;
        let answer =
            connection(server.settings()).exchange(post("/", ""), &patient()).await.expect("an answer");
        assert_eq!(answer.status.as_u16(), status);
    }
}

#[tokio::test]
async fn redirects_are_answers_unless_they_are_allowed() {
    let moved = with_headers(302, "location: /v1/new?b=c\r\n", "");
    let server = Server::start([moved.clone(), answer(200, "{}")]).await;
    let refuse = connection(server.settings()).exchange(get("/old"), &patient()).await.expect("an answer");
    assert_eq!((refuse.status.as_u16(), server.asked().len()), (302, 1));

    let server = Server::start([moved.clone(), answer(200, "{}")]).await;
    let settings = || ConnectionSettings { redirects: Redirects::SameOrigin(3), ..server.settings() };
    let followed = connection(settings()).exchange(get("/old"), &patient()).await.expect("an answer");
    assert_eq!(followed.status.as_u16(), 200);
    assert!(server.asked()[1].starts_with("GET /v1/new?b=c HTTP/1.1"), "{:?}", server.asked());

    let server = Server::start([moved]).await;
    let settings = || ConnectionSettings { redirects: Redirects::SameOrigin(3), ..server.settings() };
    let endless = connection(settings()).exchange(get("/old"), &patient()).await.expect("an answer");
    assert_eq!((endless.status.as_u16(), server.asked().len()), (302, 4));
    let posted = connection(settings()).exchange(post("/old", "x"), &patient()).await.expect("an answer");
    assert_eq!((posted.status.as_u16(), server.asked().len()), (302, 5), "a POST is not sent elsewhere");
}

#[tokio::test]
async fn redirects_never_leave_the_server() {
    for location in ["http://127.0.0.1:1/v1/x", "//127.0.0.1:1/v1/x", "/elsewhere", "/v1/../x"] {
        let server = Server::start([with_headers(302, &format!("location: {location}\r\n"), "")]).await;
        let settings = ConnectionSettings { redirects: Redirects::SameOrigin(3), ..server.settings() };
        let answer = connection(settings).exchange(get("/"), &patient()).await.expect("an answer");
        assert_eq!((answer.status.as_u16(), server.asked().len()), (302, 1), "{location}");
    }
}

#[tokio::test]
async fn what_is_no_http_is_a_failure() {
    for reply in ["", "SMTP ready\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort"] {
        let server = Server::start([Reply::Cut(reply.to_owned())]).await;
        let failed = connection(server.settings()).exchange(post("/", "x"), &patient()).await;
        let error = failed.expect_err("it fails");
        assert_eq!((error.kind, error.retry_is_safe), (ErrorKind::Broken, false), "{reply}: {error}");
        assert_eq!(server.asked().len(), 1, "a POST that was sent is not sent again");
    }
}

#[tokio::test]
async fn a_compressed_answer_is_not_taken() {
    for codings in ["content-encoding: gzip\r\n", "content-encoding: identity\r\ncontent-encoding: gzip\r\n"]
    {
        let server = Server::start([with_headers(200, codings, "zzz")]).await;
        let failed = connection(server.settings()).exchange(post("/", "x"), &patient()).await;
        assert_eq!(failed.expect_err("it fails").kind, ErrorKind::Broken);
    }
    let server = Server::start([with_headers(200, "content-encoding: Identity\r\n", "plain")]).await;
    let answer = connection(server.settings()).exchange(post("/", "x"), &patient()).await.expect("an answer");
    assert_eq!(&answer.body[..], b"plain");
}
