//! Another configuration takes groups over, and operators give commands, all under load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use connector::balance::Role;
use connector::config::GroupFiles;
use connector::{Act, Groups, Marks, TroubleKind};
use settings::{Files, Loader, Problems};

use crate::server::{LONG, Server, within};

struct Nothing;

impl Marks for Nothing {
    fn is(&self, _: Act, _: &str) -> bool {
        false
    }
}

/// Applies a folder with one group.
fn apply(groups: &Groups, endpoints: &[(&str, &Server, Role)], marks: &dyn Marks) {
    let mut text = "queue_max = 50\n".to_owned();
    for (name, server, role) in endpoints {
        let role = if *role == Role::Primary { "primary" } else { "backup" };
        let address = server.address;
        text += &format!(
            "[[endpoint]]\nname = \"{name}\"\nrole = \"{role}\"\ndestination = \"{address}\"\nstart_sockets = 2\n"
        );
    }
    apply_with(groups, &text, marks);
}

/// Applies a folder with one group that has this text.
pub(crate) fn apply_text(groups: &Groups, text: &str) {
    apply_with(groups, text, &Nothing);
}

fn apply_with(groups: &Groups, text: &str, marks: &dyn Marks) {
    let folder = tempfile::TempDir::new().expect("a folder");
    std::fs::create_dir(folder.path().join("endpoints")).expect("a folder");
    std::fs::write(folder.path().join("endpoints/GROUP.toml"), text).expect("written");
    let files = Files::at(folder.path().to_owned());
    let mut loader = Loader::new(&files, Problems::default(), |_| Vec::new());
    let plans = GroupFiles::read(&mut loader).into_plans();
    assert_eq!(loader.problems.error_count(), 0, "{}", loader.problems.render(false));
    groups.apply(&plans, marks);
}

pub(crate) async fn until(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it did not happen");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endpoints_come_and_go_without_a_lost_request() {
    let (one, two, three) = (Server::start("one"), Server::start("two"), Server::start("three"));
    let groups = Arc::new(Groups::default());
    apply(&groups, &[("ONE", &one, Role::Primary)], &Nothing);
    let group = groups.get("GROUP").expect("the group");
    until(|| group.view().endpoints[0].sessions == 2).await;
    let stop = Arc::new(AtomicBool::new(false));
    let callers: Vec<_> = (0..8)
        .map(|caller| {
            let (group, stop) = (Arc::clone(&group), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut number = 0;
                while !stop.load(Ordering::Relaxed) {
                    let text = format!("{caller} {number}");
                    let reply = group.send(text.clone().into_bytes(), within(LONG)).await.expect("a reply");
                    let reply = String::from_utf8(reply).expect("text");
                    assert!(reply.ends_with(&format!(" {text}")), "{reply} is not for {text}");
                    number += 1;
                }
                number
            })
        })
        .collect();
    until(|| one.count() > 50).await;
    apply(&groups, &[("ONE", &one, Role::Primary), ("TWO", &two, Role::Primary)], &Nothing);
    until(|| two.count() > 50).await;
    apply(&groups, &[("TWO", &two, Role::Primary), ("THREE", &three, Role::Backup)], &Nothing);
    until(|| group.view().endpoints.iter().all(|endpoint| endpoint.name != "ONE")).await;
    let before = one.count();
    assert!(groups.act(Act::Quiesce, "GROUP/TWO"));
    until(|| three.count() > 50).await;
    assert!(groups.act(Act::Start, "GROUP/TWO"));
    let served = two.count();
    until(|| two.count() > served + 50).await;
    stop.store(true, Ordering::Relaxed);
    let mut sent = 0;
    for caller in callers {
        sent += caller.await.expect("no lost request");
    }
    assert_eq!(one.count(), before, "an endpoint that is gone gets nothing");
    assert_eq!(one.count() + two.count() + three.count(), sent, "nothing is sent twice");
    assert!(Arc::ptr_eq(&group, &groups.get("GROUP").expect("the group")));
}

#[tokio::test]
async fn a_stopped_group_refuses_also_those_who_wait() {
    let one = Server::start("one");
    let groups = Groups::default();
    apply(&groups, &[("ONE", &one, Role::Primary)], &Nothing);
    let group = groups.get("GROUP").expect("the group");
    assert!(groups.act(Act::Stop, "GROUP/ONE"));
    let refused = group.send(b"a".to_vec(), within(LONG)).await.expect_err("refused");
    assert_eq!(refused.kind, TroubleKind::Stopped);
    assert!(groups.act(Act::Start, "GROUP/ONE"));
    group.send(b"a".to_vec(), within(LONG)).await.expect("a reply");
    one.kill();
    let waits = group.send(b"b".to_vec(), within(LONG));
    let stops = async {
        until(|| group.view().queue == 1).await;
        assert!(groups.act(Act::Stop, "GROUP"));
    };
    let (waited, ()) = tokio::join!(waits, stops);
    assert_eq!(waited.expect_err("refused").kind, TroubleKind::Stopped);
    assert!(!groups.act(Act::Stop, "OTHER") && !groups.act(Act::Stop, "GROUP/OTHER"));
    assert!(!groups.act(Act::Quiesce, "GROUP"), "a group is not quiesced");
}

#[tokio::test]
async fn a_server_that_comes_back_is_found() {
    let one = Server::start("one");
    let groups = Groups::default();
    apply(&groups, &[("ONE", &one, Role::Primary)], &Nothing);
    let group = groups.get("GROUP").expect("the group");
    until(|| group.view().endpoints[0].sessions == 2).await;
    one.kill();
    let waits = group.send(b"a".to_vec(), within(LONG));
    let again = async {
        until(|| group.view().queue == 1).await;
        Server::on("again", &one.address.to_string())
    };
    let (reply, _again) = tokio::join!(waits, again);
    assert_eq!(reply.expect("a reply"), b"again a");
}

#[tokio::test]
async fn what_operators_did_is_restored() {
    struct Stopped;
    impl Marks for Stopped {
        fn is(&self, act: Act, name: &str) -> bool {
            (act, name) == (Act::Quiesce, "GROUP/ONE")
        }
    }
    let one = Server::start("one");
    let groups = Groups::default();
    apply(&groups, &[("ONE", &one, Role::Primary)], &Stopped);
    let group = groups.get("GROUP").expect("the group");
    assert_eq!(group.view().endpoints[0].state, connector::State::Quiesced);
    let refused = group.send(b"a".to_vec(), within(LONG)).await.expect_err("refused");
    assert_eq!(refused.kind, TroubleKind::Stopped);
}

#[tokio::test]
async fn a_stopped_endpoint_that_moves_gets_nothing_from_the_queue() {
    struct Stopped;
    impl Marks for Stopped {
        fn is(&self, act: Act, name: &str) -> bool {
            (act, name) == (Act::Stop, "GROUP/ONE")
        }
    }
    let (one, two, moved) = (Server::start("one"), Server::start("two"), Server::start("moved"));
    let groups = Groups::default();
    apply(&groups, &[("ONE", &one, Role::Primary), ("TWO", &two, Role::Primary)], &Stopped);
    let group = groups.get("GROUP").expect("the group");
    two.kill();
    until(|| group.view().endpoints[1].state == connector::State::Down).await;
    let waits = group.send(b"a".to_vec(), within(LONG));
    let moves = async {
        until(|| group.view().queue == 1).await;
        apply(&groups, &[("ONE", &moved, Role::Primary), ("TWO", &two, Role::Primary)], &Stopped);
        // A new endpoint may have been stopped when it was here before.
        apply(&groups, &[("TWO", &two, Role::Primary)], &Stopped);
        apply(&groups, &[("ONE", &moved, Role::Primary), ("TWO", &two, Role::Primary)], &Stopped);
        assert_eq!(group.view().endpoints[0].state, connector::State::Stopped);
        Server::on("again", &two.address.to_string())
    };
    let (reply, _again) = tokio::join!(waits, moves);
    assert_eq!(reply.expect("a reply"), b"again a");
    assert_eq!(moved.count(), 0);
}

#[tokio::test]
async fn a_stopped_group_closes_the_connections_of_its_last_requests() {
    let one = Server::start("one");
    let groups = Groups::default();
    apply(&groups, &[("ONE", &one, Role::Primary)], &Nothing);
    let group = groups.get("GROUP").expect("the group");
    until(|| group.view().endpoints[0].sessions == 2).await;
    let slow = group.send(b"slow 200".to_vec(), within(LONG));
    let stops = async {
        until(|| group.view().endpoints[0].in_use == 1).await;
        assert!(groups.act(Act::Stop, "GROUP"));
    };
    let (slow, ()) = tokio::join!(slow, stops);
    assert_eq!(slow.expect("a reply"), b"one slow 200");
    assert_eq!(group.view().endpoints[0].sessions, 0);
    assert!(groups.act(Act::Start, "GROUP"));
    group.send(b"a".to_vec(), within(LONG)).await.expect("a reply");
}

#[tokio::test]
async fn the_endpoints_of_a_stopped_group_are_stopped() {
    struct Stopped;
    impl Marks for Stopped {
        fn is(&self, act: Act, name: &str) -> bool {
            (act, name) == (Act::Stop, "GROUP")
        }
    }
    let one = Server::start("one");
    let groups = Groups::default();
    apply(&groups, &[("ONE", &one, Role::Primary)], &Stopped);
    let view = groups.get("GROUP").expect("the group").view();
    assert!(view.is_stopped);
    let shown = (view.endpoints[0].state, view.endpoints[0].reason.as_deref());
    assert_eq!(shown, (connector::State::Stopped, Some("by an operator")));
}
