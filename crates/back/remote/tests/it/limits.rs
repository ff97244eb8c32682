//! Limits of time, size and number: each ends a request with its own kind of failure.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use remote::{Call, ConnectionSettings, ErrorKind, Observe, Retry};

use crate::server::{Reply, Server, answer, connection, get, patient, post, settings, with_headers};

#[tokio::test]
async fn nobody_listens_there() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let failed =
        connection(settings(&format!("http://{address}"))).exchange(post("/", "x"), &patient()).await;
    let error = failed.expect_err("it fails");
    assert_eq!((error.kind, error.retry_is_safe), (ErrorKind::Unreachable, true), "{error}");
    assert_eq!(service::Error::from(error).kind, service::ErrorKind::Refused);
}

#[tokio::test]
async fn silence_ends_at_the_time_limit() {
    let server = Server::start([Reply::Silence]).await;
    let short = ConnectionSettings { response_timeout: Duration::from_millis(20), ..server.settings() };
    let error = connection(short).exchange(post("/", "x"), &patient()).await.expect_err("it fails");
    assert_eq!((error.kind, error.retry_is_safe), (ErrorKind::TimedOut, false));

    let connection = connection(server.settings());
    let call = Call { deadline: Instant::now() + Duration::from_millis(20), caller: None, token: None };
    let error = connection.exchange(get("/"), &call).await.expect_err("it fails");
    assert_eq!(error.kind, ErrorKind::TimedOut, "the caller's deadline is one too");
    assert_eq!(service::Error::from(error).kind, service::ErrorKind::TimedOut);
}

#[tokio::test]
async fn a_body_that_stops_in_the_middle_is_waited_for_no_longer() {
    let begun = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun".to_owned();
    let server = Server::start([Reply::Bytes(begun)]).await;
    let short = ConnectionSettings { response_timeout: Duration::from_millis(20), ..server.settings() };
    let error = connection(short).exchange(post("/", "x"), &patient()).await.expect_err("it fails");
    assert_eq!(error.kind, ErrorKind::TimedOut);
}

#[tokio::test]
async fn a_handshake_that_never_ends_is_a_connection_that_was_not_made() {
    // The server waits for a request in plain text, the client for TLS.
    let server = Server::start([Reply::Silence]).await;
    let url = format!("https://{}", server.address);
    let settings = ConnectionSettings {
        connect_timeout: Duration::from_millis(20),
        retry: Retry { retries_max: 0, ..Retry::default() },
        ..settings(&url)
    };
    let error = connection(settings).exchange(post("/", "x"), &patient()).await.expect_err("it fails");
    assert_eq!((error.kind, error.retry_is_safe), (ErrorKind::TimedOut, true), "{error}");
}

#[tokio::test]
async fn a_body_has_a_limit_whether_its_length_is_told_or_not() {
    let most = "x".repeat(1_000);
    let chunked =
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3e9\r\n".to_owned() + &most + "x\r\n0\r\n\r\n";
    for reply in [with_headers(200, "", &(most.clone() + "x")), Reply::Bytes(chunked)] {
        let server = Server::start([reply]).await;
        let error = connection(server.settings()).exchange(get("/"), &patient()).await.expect_err("it fails");
        assert_eq!(error.kind, ErrorKind::TooLarge, "{error}");
        assert_eq!(server.asked().len(), 1, "it would be as large again");
    }
    let server = Server::start([with_headers(200, "", &most)]).await;
    let answer = connection(server.settings()).exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!(answer.body.len(), 1_000);
}

#[tokio::test]
async fn more_requests_than_allowed_wait_and_then_are_refused() {
    let Reply::Bytes(bytes) = answer(200, "{}") else { panic!("bytes") };
    let server = Server::start([Reply::Held(bytes)]).await;
    let connection = connection(ConnectionSettings { requests_max: 1, waiting_max: 1, ..server.settings() });
    let call = |()| {
        let connection = connection.clone();
        tokio::spawn(async move { connection.exchange(get("/"), &patient()).await })
    };
    let first = call(());
    while server.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    let second = call(());
    // On a runtime of one thread the second runs until it waits.
    tokio::task::yield_now().await;
    let error = connection.exchange(get("/"), &patient()).await.expect_err("it is refused at once");
    assert_eq!((error.kind, error.retry_is_safe), (ErrorKind::Full, true), "{error}");
    assert_eq!(server.asked().len(), 1, "the second waits");
    server.gate.add_permits(2);
    assert!(first.await.expect("no panic").is_ok() && second.await.expect("no panic").is_ok());
    assert_eq!((server.asked().len(), server.connections()), (2, 1));
}

#[tokio::test]
async fn a_wait_for_a_place_ends() {
    let server = Server::start([Reply::Silence]).await;
    let settings =
        ConnectionSettings { requests_max: 1, wait_max: Duration::from_millis(10), ..server.settings() };
    let connection = connection(settings);
    let holder = connection.clone();
    let first = tokio::spawn(async move { holder.exchange(get("/"), &patient()).await });
    while server.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    let error = connection.exchange(get("/"), &patient()).await.expect_err("it is refused");
    assert_eq!(error.kind, ErrorKind::Full, "{error}");
    // A call that is given up gives its place back.
    first.abort();
    assert!(first.await.expect_err("it was given up").is_cancelled());
    let call = Call { deadline: Instant::now() + Duration::from_millis(50), caller: None, token: None };
    let error = connection.exchange(get("/"), &call).await.expect_err("silence");
    assert_eq!(error.kind, ErrorKind::TimedOut);
}

/// Counts into words.
#[derive(Debug, Default)]
struct Words(Mutex<Vec<String>>);

impl Words {
    fn say(&self, word: String) {
        self.0.lock().expect("no panic").push(word);
    }
}

impl Observe for Words {
    fn answered(&self, status: u16) {
        self.say(format!("answered {status}"));
    }
    fn failed(&self, kind: ErrorKind) {
        self.say(format!("failed {}", kind.as_str()));
    }
    fn retried(&self) {
        self.say("retried".to_owned());
    }
    fn waited(&self, _time: Duration) {
        self.say("waited".to_owned());
    }
    fn token(&self, fetched: bool) {
        self.say(format!("token {fetched}"));
    }
}

#[tokio::test]
async fn what_happens_is_told_to_whoever_counts() {
    let server = Server::start([answer(503, ""), answer(200, "{}"), Reply::Cut(String::new())]).await;
    let connection = connection(server.settings());
    let words = std::sync::Arc::new(Words::default());
    connection.observe(words.clone());
    assert!(connection.exchange(get("/"), &patient()).await.is_ok());
    assert!(connection.exchange(post("/", "x"), &patient()).await.is_err());
    let told = words.0.lock().expect("no panic").clone();
    assert_eq!(told, ["retried", "answered 200", "failed broken"]);
}
