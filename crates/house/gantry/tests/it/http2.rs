//! Tests HTTP/2 in clear text, by prior knowledge.

use std::net::SocketAddr;

use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustix::process::Signal;
use tokio::net::TcpStream;

use crate::folder::Folder;
use crate::process::Gantry;

pub(crate) type Sender = SendRequest<Full<Bytes>>;

async fn connect(gantry: &Gantry) -> Sender {
    connect_to(gantry.address()).await
}

pub(crate) async fn connect_to(address: SocketAddr) -> Sender {
    let stream = TcpStream::connect(address).await.expect("the gateway accepts");
    let (sender, connection) =
        handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2 is spoken");
    tokio::spawn(connection);
    sender
}

pub(crate) fn request(method: &str, path: &str, body: &str) -> Request<Full<Bytes>> {
    let body = Full::new(Bytes::copy_from_slice(body.as_bytes()));
    Request::builder()
        .method(method)
        .uri(format!("http://localhost{path}"))
        .header("content-type", "application/json")
        .body(body)
        .expect("a request")
}

pub(crate) async fn read(response: Response<Incoming>) -> (u16, String) {
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.expect("a body comes").to_bytes();
    (status, String::from_utf8(body.to_vec()).expect("a body is UTF-8"))
}

#[tokio::test]
async fn many_requests_at_once_have_their_own_answers() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let sender = connect(&gantry).await;
    let requests: Vec<_> = (0..500)
        .map(|number| {
            let mut sender = sender.clone();
            tokio::spawn(async move {
                let json = format!("{{\"words\":\"w{number}\"}}");
                sender.ready().await.expect("the connection is open");
                read(
                    sender
                        .send_request(request("PUT", &format!("/echo/{number}"), &json))
                        .await
                        .expect("an answer"),
                )
                .await
            })
        })
        .collect();
    for (number, answer) in requests.into_iter().enumerate() {
        let expected = format!(r#"{{"number_of":{number},"words":"w{number}"}}"#);
        assert_eq!(answer.await.expect("no panic"), (200, expected));
    }
}

/// Requests whose bodies have not ended when their answers come.
async fn answered_early(gantry: &Gantry, count: usize) -> Vec<h2::SendStream<Bytes>> {
    let stream = TcpStream::connect(gantry.address()).await.expect("the gateway accepts");
    let (mut client, connection) = h2::client::handshake(stream).await.expect("HTTP/2 is spoken");
    tokio::spawn(connection);
    let mut bodies = Vec::new();
    for _ in 0..count {
        client = client.ready().await.expect("a stream");
        let request = Request::post("http://localhost/nowhere").body(()).expect("a request");
        let (response, body) = client.send_request(request, false).expect("it is sent");
        let response = response.await.expect("an answer");
        assert_eq!(response.status(), 404);
        let mut content = response.into_body();
        while let Some(data) = content.data().await {
            data.expect("the answer's body");
        }
        bodies.push(body);
    }
    bodies
}

/// True if the gateway resets a stream within a time.
async fn is_reset(body: &mut h2::SendStream<Bytes>, within_ms: u64) -> bool {
    let reset = std::future::poll_fn(|context| body.poll_reset(context));
    tokio::time::timeout(std::time::Duration::from_millis(within_ms), reset).await.is_ok()
}

/// An answer before the end of the body ends no stream: some clients would take that for a failure.
#[tokio::test]
async fn a_body_may_end_after_an_early_answer() {
    let gantry = Gantry::example("faults");
    let mut bodies = answered_early(&gantry, 1).await;
    assert!(!is_reset(&mut bodies[0], 100).await, "the stream is reset");
    bodies[0].send_data(Bytes::from_static(b"late"), true).expect("the body may end");
}

#[tokio::test]
async fn a_body_that_is_too_slow_too_long_or_one_of_too_many_is_reset() {
    let gantry = Gantry::example("faults");
    let mut slow = answered_early(&gantry, 1).await;
    assert!(is_reset(&mut slow[0], 10_000).await, "it takes longer than a second");
    let mut long = answered_early(&gantry, 1).await;
    long[0].send_data(Bytes::from(vec![b'x'; 300 * 1024]), false).expect("more than is read");
    assert!(is_reset(&mut long[0], 10_000).await);
    let mut many = answered_early(&gantry, 40).await;
    assert!(is_reset(&mut many[39], 900).await, "more at one time than are read");
}

/// A caller must not do something and leave no record of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_its_client_cancels_is_recorded() {
    let folder = Folder::slow_echo(&crate::audit::interceptor("audit", "", "overflow = \"refuse\""));
    let gantry = Gantry::folder(folder.path());
    let mut sender = connect(&gantry).await;
    sender.ready().await.expect("the connection is open");
    let answer = sender.send_request(request("PUT", "/echo/7", r#"{"words":"hello"}"#));
    let late = tokio::time::timeout(std::time::Duration::from_millis(200), answer).await;
    assert!(late.is_err(), "the service takes longer");
    let answered = "gantry_requests_total{api=\"echo\",operation=\"putecho\",status=\"499\"}";
    crate::reload::wait(|| gantry.metric(answered) == 1.0);
    gantry.stop();
    let [record] = &crate::audit::lines(&folder.path().join(".gantry/audit.jsonl"))[..] else {
        panic!("one record");
    };
    assert_eq!((&record["httpStatus"], &record["operation"]), (&499.into(), &"putecho".into()));
    assert_eq!((&record["requestLength"], &record["failure"]), (&17.into(), &serde_json::Value::Null));
}

#[tokio::test]
async fn failures_have_the_same_shape() {
    let folder = Folder::echo("[limits]\nrequest_body_max_bytes = 64\n");
    let gantry = Gantry::folder(folder.path());
    let mut sender = connect(&gantry).await;
    let huge = " ".repeat(1_000_000);
    for (method, path, body, status, code) in [
        ("GET", "/nowhere", "", 404, "GTY0404W"),
        ("GET", "/echo/7", "", 405, "GTY0405W"),
        ("PUT", "/echo/x", "{}", 400, "GTY0411W"),
        ("PUT", "/echo/7", "", 400, "GTY0402W"),
        ("PUT", "/echo/7", "[", 400, "BAQR0417W"),
        ("PUT", "/echo/7", &huge, 413, "GTY0413W"),
    ] {
        sender.ready().await.expect("a failure does not end the connection");
        let response = sender.send_request(request(method, path, body)).await.expect("an answer");
        assert!(response.headers().contains_key("x-request-id"), "{path}");
        let (found, text) = read(response).await;
        assert_eq!(found, status, "{path}: {text}");
        assert!(text.starts_with(&format!("{{\"errorMessage\":\"{code}: ")), "{path}: {text}");
    }
}

#[tokio::test]
async fn a_running_request_finishes_when_the_gateway_stops() {
    let folder = Folder::slow_echo("");
    let gantry = Gantry::folder(folder.path());
    let mut sender = connect(&gantry).await;
    let answer = tokio::spawn(sender.send_request(request("PUT", "/echo/7", "{}")));
    let gantry = tokio::task::spawn_blocking(move || {
        while gantry.metric("gantry_provider_calls_total{service=\"echo\"}") < 1.0 {}
        gantry.signal(Signal::TERM);
        gantry
    });
    let (status, _) = read(answer.await.expect("no panic").expect("an answer")).await;
    assert_eq!(status, 200);
    let gantry = gantry.await.expect("no panic");
    let ended = tokio::task::spawn_blocking(move || gantry.wait());
    assert_eq!(ended.await.expect("no panic").0.code(), Some(0));
}
