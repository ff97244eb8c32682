//! Tests gets that wait: a message ends the wait, and nothing is lost if the client goes.

use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::Bytes;
use rustix::process::Signal;

use super::login::{closed_folder, cookie, log_in};
use super::{CSRF, MESSAGE, TEXT, delete, folder, trouble};
use crate::client::Client;
use crate::folder::Folder;
use crate::http2::connect_to;
use crate::process::{Gantry, request};
use crate::security::{JOHN, MARY, user};

fn waiting(gantry: &Gantry, milliseconds: u32) -> Client {
    waiting_as(gantry, "", milliseconds)
}

/// A get that waits, of a caller with these headers.
fn waiting_as(gantry: &Gantry, who: &str, milliseconds: u32) -> Client {
    let mut client = gantry.connect();
    let path = format!("{MESSAGE}?wait={milliseconds}");
    client.send(request("DELETE", &path, &format!("{CSRF}{who}"), "").as_bytes());
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

/// A folder whose users are looked at every second, and whose configuration is loaded only when asked.
fn guarded(more: &str) -> Folder {
    let folder = closed_folder(more);
    let text = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("gantry.toml");
    let security = "[server]\nreload_poll_ms = 0\n\n[security]\nreload_check_s = 1\nopen_metrics = true\n";
    folder.with("gantry.toml", &text.replacen("[security]\n", security, 1))
}

#[track_caller]
fn put_as(gantry: &Gantry, who: &str, body: &str) {
    let answer = gantry.send("POST", MESSAGE, &format!("{TEXT}{who}"), body);
    assert_eq!(answer.status, 201, "{}", answer.text());
}

#[test]
fn a_wait_ends_with_its_token_and_gets_no_message_after_that() {
    let folder = guarded("");
    let gantry = Gantry::folder(folder.path());
    let [one, two, three] = [(); 3].map(|()| cookie(&log_in(&gantry, "mary", "secret")));
    let mut first = waiting_as(&gantry, &one, 60_000);
    until_waiting(&gantry, 1);
    let mut second = waiting_as(&gantry, &two, 60_000);
    until_waiting(&gantry, 2);
    let mut third = waiting_as(&gantry, &three, 60_000);
    until_waiting(&gantry, 3);
    let log_out = |token: &str| assert_eq!(delete(&gantry, "/ibmmq/rest/v2/login", token).status, 204);
    log_out(&one);
    let ended = first.response();
    assert_eq!((ended.status, trouble(&ended).0.as_str()), (401, "MQWB0112E"), "{}", ended.text());
    until_waiting(&gantry, 2);
    // So soon after the first logout, only the message makes the second wait check its token.
    log_out(&two);
    put_as(&gantry, MARY, "for the third");
    assert_eq!(second.response().status, 401);
    assert_eq!(third.response().text(), "for the third");
}

#[test]
fn a_wait_ends_with_its_user() {
    ends_with_its_user("");
}

#[test]
fn a_wait_of_a_user_of_a_file_does_not_go_on_because_there_is_a_directory() {
    // Nobody listens there, and nobody need: a wait asks no directory.
    let directory = "[[security.authenticator]]\nkind = \"ldap\"\nservers = [\"ldap://127.0.0.1:9\"]\n";
    ends_with_its_user(&format!("{directory}user_dn = \"uid={{user}},dc=test\"\n"));
}

fn ends_with_its_user(more: &str) {
    let folder = guarded(more);
    let gantry = Gantry::folder(folder.path());
    let token = cookie(&log_in(&gantry, "mary", "secret"));
    let mut by_password = waiting_as(&gantry, MARY, 60_000);
    let mut by_token = waiting_as(&gantry, &token, 60_000);
    let mut other = waiting_as(&gantry, JOHN, 60_000);
    until_waiting(&gantry, 3);
    let users = std::fs::read_to_string(folder.path().join("users.txt")).expect("users.txt");
    let others: String =
        users.lines().filter(|line| !line.starts_with("mary:")).map(|l| format!("{l}\n")).collect();
    std::fs::write(folder.path().join("users.txt"), others).expect("written");
    for ended in [by_password.response(), by_token.response()] {
        assert_eq!(ended.status, 401, "{}", ended.text());
    }
    until_waiting(&gantry, 1);
    put_as(&gantry, JOHN, "for john");
    assert_eq!(other.response().text(), "for john");
}

/// Sends the head of a get that waits, and waits until its caller is admitted: then the gateway asks
/// for the body.
fn admitted_as(gantry: &Gantry, who: &str) -> Client {
    let mut client = gantry.connect();
    let head = format!(
        "DELETE {MESSAGE}?wait=60000 HTTP/1.1\r\nhost: localhost\r\n{CSRF}{who}content-length: 2\r\nexpect: 100-continue\r\n\r\n"
    );
    assert_eq!(client.ask(head.as_bytes()).status, 100);
    client
}

#[test]
fn what_changes_while_a_request_is_read_ends_its_wait() {
    let folder = guarded("");
    let gantry = Gantry::folder(folder.path());
    let token = cookie(&log_in(&gantry, "john", "word"));
    let mut by_token = admitted_as(&gantry, &token);
    let mut by_password = admitted_as(&gantry, MARY);
    let mut stays = admitted_as(&gantry, JOHN);
    assert_eq!(delete(&gantry, "/ibmmq/rest/v2/login", &token).status, 204);
    let file = folder.path().join("users.txt");
    let users = std::fs::read_to_string(&file).expect("users.txt");
    let others: String =
        users.lines().filter(|line| !line.starts_with("mary:")).map(|l| format!("{l}\n")).collect();
    std::fs::write(&file, others + &user("mary", "staff", "another")).expect("written");
    crate::reload::wait(|| gantry.send("GET", MESSAGE, MARY, "").status == 401);
    for client in [&mut by_token, &mut by_password, &mut stays] {
        client.send(b"{}");
    }
    for ended in [by_token.response(), by_password.response()] {
        assert_eq!(ended.status, 401, "{}", ended.text());
    }
    until_waiting(&gantry, 1);
    put_as(&gantry, JOHN, "for john");
    assert_eq!(stays.response().text(), "for john");
}

#[test]
fn a_wait_ends_when_a_reload_takes_its_right_away() {
    let grant =
        "[[messaging.grant]]\nqueues = [\"DEV.*\"]\ngroups = [\"staff\"]\nrights = [\"put\", \"get\"]\n";
    let folder = guarded(grant);
    let gantry = Gantry::folder(folder.path());
    let path = folder.path().join("gantry.toml");
    let text = std::fs::read_to_string(&path).expect("gantry.toml");
    let reload = |text: &str, number: f64| {
        std::fs::write(&path, text).expect("written");
        gantry.signal(Signal::HUP);
        let applied = || gantry.metric("gantry_configuration_reloads_total{outcome=\"applied\"}");
        crate::reload::wait(|| applied() >= number);
    };
    let mut first = waiting_as(&gantry, MARY, 60_000);
    until_waiting(&gantry, 1);
    let mut second = waiting_as(&gantry, MARY, 60_000);
    until_waiting(&gantry, 2);
    // A change of something else ends no wait.
    reload(&text.replace("depth_max = 2", "depth_max = 3"), 1.0);
    put_as(&gantry, MARY, "one");
    assert_eq!(first.response().text(), "one");
    reload(&text.replace(", \"get\"", ""), 2.0);
    let ended = second.response();
    assert_eq!((ended.status, trouble(&ended)), (403, ("MQWB0103E".to_owned(), 2035)), "{}", ended.text());
    until_waiting(&gantry, 0);
}
