//! Tests gets that wait: a message ends the wait, and nothing is lost if the client goes.

use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::Bytes;
use rustix::process::Signal;

use super::{MESSAGE, delete, folder};
use crate::client::Client;
use crate::http2::connect_to;
use crate::process::{Gantry, request};

fn waiting(gantry: &Gantry, milliseconds: u32) -> Client {
    let mut client = gantry.connect();
    let path = format!("{MESSAGE}?wait={milliseconds}");
    client.send(request("DELETE", &path, "ibm-mq-rest-csrf-token: x\r\n", "").as_bytes());
    client
}

/// Waits until this many callers wait.
fn until_waiting(gantry: &Gantry, count: u64) {
    let path = "/ibmmq/rest/v1/admin/qmgr/QM1/queue/DEV.QUEUE.1?status=openInputCount";
    let begun = Instant::now();
    loop {
        let answer = gantry.request(
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{}\r\n", super::login::ADMIN).as_bytes(),
        );
        if answer.text().contains(&format!("\"openInputCount\":{count}")) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", answer.text());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_waiting_get_has_the_message_when_it_comes() {
    let folder = super::login::open_folder();
    let gantry = Gantry::folder(folder.path());
    let mut first = waiting(&gantry, 60_000);
    until_waiting(&gantry, 1);
    let mut second = waiting(&gantry, 60_000);
    until_waiting(&gantry, 2);
    super::login::put(&gantry, "one");
    assert_eq!(first.response().text(), "one");
    super::login::put(&gantry, "two");
    assert_eq!(second.response().text(), "two");
}

#[test]
fn a_wait_ends_without_a_message() {
    let folder = folder("");
    let gantry = Gantry::folder(folder.path());
    let begun = Instant::now();
    assert_eq!(delete(&gantry, &format!("{MESSAGE}?wait=200"), "").status, 204);
    assert!(begun.elapsed() >= Duration::from_millis(200));
}

#[test]
fn a_waiting_get_whose_client_is_gone_takes_nothing() {
    let folder = super::login::open_folder();
    let gantry = Gantry::folder(folder.path());
    let client = waiting(&gantry, 60_000);
    until_waiting(&gantry, 1);
    drop(client);
    // Put only after the gateway has seen that the client is gone.
    until_waiting(&gantry, 0);
    super::login::put(&gantry, "stays");
    assert_eq!(super::login::get(&gantry).text(), "stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_given_up_while_it_waits_takes_nothing() {
    let folder = super::login::open_folder();
    let gantry = Gantry::folder(folder.path());
    let mut sender = connect_to(gantry.address()).await;
    let ask = |path: &str| {
        let ask = http::Request::builder().method("DELETE").uri(format!("http://localhost{path}"));
        ask.header("ibm-mq-rest-csrf-token", "x").body(Full::new(Bytes::new())).expect("a request")
    };
    let waiting = tokio::spawn(sender.send_request(ask(&format!("{MESSAGE}?wait=60000"))));
    let until = |count: u64| tokio::task::block_in_place(|| until_waiting(&gantry, count));
    until(1);
    // The client resets the stream. The connection goes on.
    waiting.abort();
    until(0);
    super::login::put(&gantry, "stays");
    let answer = sender.send_request(ask(MESSAGE)).await.expect("an answer");
    assert_eq!(crate::http2::read(answer).await, (200, "stays".to_owned()));
}

#[test]
fn a_client_that_sends_the_next_request_ahead_is_served_twice() {
    let folder = super::login::open_folder();
    let gantry = Gantry::folder(folder.path());
    let mut client = waiting(&gantry, 60_000);
    until_waiting(&gantry, 1);
    client.send(request("GET", MESSAGE, "", "").as_bytes());
    std::thread::sleep(Duration::from_millis(20));
    super::login::put(&gantry, "one");
    assert_eq!(client.response().text(), "one");
    assert_eq!(client.response().status, 204);
}

#[test]
fn waits_end_when_the_gateway_stops() {
    let folder = super::login::open_folder();
    let gantry = Gantry::folder(folder.path());
    let mut client = waiting(&gantry, 60_000);
    until_waiting(&gantry, 1);
    gantry.signal(Signal::TERM);
    assert_eq!(client.response().status, 204);
    let (status, log) = gantry.wait();
    assert!(status.success(), "{log}");
}

#[test]
fn whoever_waits_longest_is_served_first_when_another_leaves() {
    let folder = super::login::open_folder();
    let gantry = Gantry::folder(folder.path());
    let first = waiting(&gantry, 60_000);
    until_waiting(&gantry, 1);
    let mut second = waiting(&gantry, 60_000);
    until_waiting(&gantry, 2);
    drop(first);
    until_waiting(&gantry, 1);
    super::login::put(&gantry, "for the second");
    assert_eq!(second.response().text(), "for the second");
}
