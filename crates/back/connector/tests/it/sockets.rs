//! Calls of a process that may open no more sockets.

use std::fs::File;
use std::process::Command;
use std::time::Duration;

use connector::balance::Role;
use connector::{Group, State, TroubleKind};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::server::{LONG, Server, endpoint, settings, within};

/// Says to the test that its process is its own.
const ALONE: &str = "GANTRY_TEST_OWN_PROCESS";

/// Takes all file descriptors that are left.
fn take_all() -> Vec<File> {
    std::iter::from_fn(|| File::open("/dev/null").ok()).collect()
}

#[test]
fn without_more_sockets_calls_wait_and_their_endpoint_stays_well() {
    if std::env::var_os(ALONE).is_none() {
        // The limit counts for the whole process, so other tests must not run in it.
        let name = "sockets::without_more_sockets_calls_wait_and_their_endpoint_stays_well";
        let mut alone = Command::new(std::env::current_exe().expect("the path of the tests"));
        let ended = alone.args(["--exact", name, "--nocapture"]).env(ALONE, "1").output().expect("it runs");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(calls());
}

async fn calls() {
    let server = Server::start("one");
    let group = Group::new(settings(vec![endpoint("ONE", Role::Primary, server.address)]));
    let send = async |text: &str| group.send(text.as_bytes().to_vec(), within(LONG)).await;
    send("first").await.expect("a reply");
    setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum: Some(64) }).expect("a limit");
    let taken = take_all();
    let waiting = async |count: usize| {
        while group.view().endpoints[0].in_use == 0 || group.view().queue < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let second = async {
        waiting(0).await;
        send("second").await
    };
    let third = async {
        waiting(1).await;
        send("third").await
    };
    let fourth = async {
        waiting(2).await;
        (send("fourth").await.expect_err("the queue is full"), group.view())
    };
    let (slow, second, third, (full, view)) = tokio::join!(send("slow 1000"), second, third, fourth);
    for reply in [slow, second, third] {
        reply.expect("a reply");
    }
    assert!(full.kind == TroubleKind::QueueFull && full.message.contains("no more sockets"), "{full:?}");
    let endpoint = &view.endpoints[0];
    assert_eq!((endpoint.state, endpoint.errors), (State::Active, 0));
    assert!(endpoint.reason.as_deref().is_some_and(|reason| reason.contains("no more sockets")), "{view:?}");
    assert_eq!(group.view().endpoints[0].sessions, 1);
    // With sockets again, a second connection comes up.
    drop(taken);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let (one, other) = tokio::join!(send("slow 100"), send("slow 100"));
    assert!(one.is_ok() && other.is_ok());
    assert_eq!(group.view().endpoints[0].sessions, 2);
}
