//! Tests files that change while the gateway runs: it takes a right configuration, and ignores a
//! faulty one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};
use rustix::process::Signal;

use crate::client::Client;
use crate::folder::{ECHO_API, Folder};
use crate::process::Gantry;

/// Gives the answer of `GET /configuration`.
fn configuration(gantry: &Gantry) -> serde_json::Value {
    let mut client = Client::connect(gantry.admin);
    let answer = client.ask(b"GET /configuration HTTP/1.1\r\nhost: localhost\r\n\r\n");
    serde_json::from_str(answer.text()).expect("JSON")
}

/// Waits until a change has its effect.
#[track_caller]
pub(crate) fn wait(mut reached: impl FnMut() -> bool) {
    let start = Instant::now();
    while !reached() {
        assert!(start.elapsed() < Duration::from_secs(20), "it never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn renamed() -> String {
    ECHO_API.replace("/echo", "/renamed")
}

#[test]
fn a_changed_file_is_picked_up_and_a_faulty_one_is_not() {
    let folder = Folder::echo("[server]\nreload_poll_ms = 20");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);

    let folder = folder.with("apis/echo/api.toml", &renamed());
    wait(|| gantry.put("/renamed/7", "{}").status == 200);
    assert_eq!(gantry.put("/echo/7", "{}").status, 404);
    assert_eq!(configuration(&gantry)["generation"], 2);

    let folder = folder.with("apis/echo/api.toml", "base_path = 5");
    wait(|| configuration(&gantry)["current"] == false);
    let faults = configuration(&gantry)["faults"].to_string();
    assert!(faults.contains("api.toml:1"), "{faults}");
    assert_eq!(gantry.put("/renamed/7", "{}").status, 200, "the previous one still serves");
    wait(|| gantry.metric("gantry_configuration_current") == 0.0);
    assert_eq!(gantry.metric("gantry_configuration_reloads_total{outcome=\"refused\"}"), 1.0);

    let _folder = folder.with("apis/echo/api.toml", ECHO_API);
    wait(|| gantry.put("/echo/7", "{}").status == 200);
    assert_eq!(configuration(&gantry)["faults"], serde_json::Value::Null);
}

#[test]
fn what_has_not_changed_is_not_loaded_again() {
    let folder = Folder::echo("[server]\nreload_poll_ms = 20").with("try.txt", "curl {url}\n");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(configuration(&gantry)["generation"], 1);
}

#[test]
fn a_signal_or_a_request_reloads_at_once() {
    let folder = Folder::echo("[server]\nreload_poll_ms = 0");
    let gantry = Gantry::folder(folder.path());
    let folder = folder.with("apis/echo/api.toml", &renamed());
    gantry.signal(Signal::HUP);
    wait(|| gantry.put("/renamed/7", "{}").status == 200);

    let _folder = folder.with("services/echo.toml", "ccsid = 99");
    let mut client = Client::connect(gantry.admin);
    let request = b"POST /configuration/reload HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(client.ask(request).status, 409);
    assert_eq!(gantry.put("/renamed/7", "{}").status, 200);
}

#[test]
fn changes_that_need_a_restart_are_told() {
    let start = "[server]\nreload_poll_ms = 0\n";
    let folder = Folder::echo(start);
    let gantry = Gantry::folder(folder.path());
    let changed =
        "[limits]\nconnections_max = 7\nrequest_body_max_bytes = 99\n[security]\nreload_check_s = 9\n";
    let _folder = folder.with("gantry.toml", &format!("{start}shutdown_timeout_ms = 9000\n{changed}"));
    gantry.signal(Signal::HUP);
    wait(|| configuration(&gantry)["generation"] == 2);
    let log = gantry.stop();
    let told = "changes of these settings need a restart: server.shutdown_timeout_ms, \
                security.reload_check_s, limits.connections_max";
    assert!(log.lines().any(|line| line.ends_with(told)), "{log}");
}

#[test]
fn monitoring_is_answered_while_a_configuration_loads() {
    let folder = Folder::echo("[server]\nreload_poll_ms = 0");
    let gantry = Gantry::folder(folder.path());
    // A pipe: its reader waits for a writer, and then for its end.
    let pipe = folder.path().join("services/slow.toml");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a pipe");
    gantry.signal(Signal::HUP);
    let mut writer = None;
    wait(|| {
        // Without a reader, this is an error.
        writer = open(&pipe, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()).ok();
        writer.is_some()
    });
    for path in ["/configuration", "/health/apis", "/health/apis/echo"] {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(Client::connect(gantry.admin).ask(request.as_bytes()).status, 200, "{path}");
    }
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    drop(writer);
    wait(|| configuration(&gantry)["current"] == false);
}

#[test]
fn no_request_is_lost_while_configurations_change() {
    let folder = Folder::slow_echo("[server]\nreload_poll_ms = 0");
    let gantry = Gantry::folder(folder.path());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = gantry.connect();
                    let request = crate::process::request("PUT", "/echo/7", "", "{}");
                    while !done.load(Ordering::Relaxed) {
                        assert_eq!(client.ask(request.as_bytes()).status, 200);
                    }
                })
            })
            .collect();
        for _ in 0..6 {
            std::thread::sleep(Duration::from_millis(150));
            gantry.signal(Signal::HUP);
        }
        done.store(true, Ordering::Relaxed);
        callers.into_iter().for_each(|caller| caller.join().expect("every request was answered"));
    });
    assert!(gantry.metric("gantry_configuration_reloads_total{outcome=\"applied\"}") >= 2.0);
}
