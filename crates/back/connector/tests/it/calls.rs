//! Calls, and the ways in which they fail.

use std::sync::Arc;
use std::time::{Duration, Instant};

use connector::balance::Role;
use connector::framing::Framing;
use connector::{Call, EjectionSettings, Group, GroupSettings, State, Trouble, TroubleKind};

use crate::server::{LONG, Server, endpoint, settings, within};

async fn send(group: &Arc<Group>, text: &str, call: Call<'_>) -> Result<String, Trouble> {
    let reply = group.send(text.as_bytes().to_vec(), call).await?;
    Ok(String::from_utf8(reply).expect("text"))
}

async fn fails(group: &Arc<Group>, text: &str, call: Call<'_>) -> TroubleKind {
    send(group, text, call).await.expect_err("no reply").kind
}

fn one(server: &Server) -> GroupSettings {
    settings(vec![endpoint("ONE", Role::Primary, server.address)])
}

fn two(first: &Server, second: &Server) -> GroupSettings {
    let backup = endpoint("TWO", Role::Backup, second.address);
    settings(vec![endpoint("ONE", Role::Primary, first.address), backup])
}

#[tokio::test]
async fn a_connection_serves_many_requests() {
    let server = Server::start("one");
    let group = Group::new(one(&server));
    for number in 0..20 {
        let text = format!("request {number}");
        assert_eq!(send(&group, &text, within(LONG)).await.expect("a reply"), format!("one {text}"));
    }
    let view = group.view();
    let endpoint = &view.endpoints[0];
    assert_eq!((endpoint.sessions, endpoint.in_use, endpoint.replies), (1, 0, 20));
    assert_eq!((endpoint.sessions_highest.value, endpoint.in_use_highest.value), (1.0, 1.0));
}

#[tokio::test]
async fn the_backup_serves_when_the_primary_is_gone_and_the_primary_comes_back() {
    let (first, second) = (Server::start("one"), Server::start("two"));
    let group = Group::new(two(&first, &second));
    assert_eq!(send(&group, "a", within(LONG)).await.expect("a reply"), "one a");
    first.kill();
    // The group sees that the server has closed the connection before it sends on it.
    assert_eq!(send(&group, "b", within(LONG)).await.expect("a reply"), "two b");
    let view = group.view();
    assert_eq!((view.endpoints[0].state, view.endpoints[0].errors), (State::Down, 1));
    assert!(view.endpoints[0].reason.as_deref().is_some_and(|reason| reason.contains("refused")), "{view:?}");
    assert_eq!(view.endpoints[1].state, State::Active);
}

#[tokio::test]
async fn the_backup_serves_when_all_sockets_of_the_primary_are_in_use() {
    let (first, second) = (Server::start("one"), Server::start("two"));
    let mut given = two(&first, &second);
    given.endpoints[0].max_sockets = 1;
    for (backup_when_full, expected) in [(true, "two quick"), (false, "one quick")] {
        let group = Group::new(GroupSettings { backup_when_full, ..given.clone() });
        let slow = send(&group, "slow 200", within(LONG));
        let quick = async {
            while group.view().endpoints[0].in_use == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            send(&group, "quick", within(LONG)).await.expect("a reply")
        };
        let (slow, quick) = tokio::join!(slow, quick);
        assert_eq!((slow.expect("a reply").as_str(), quick.as_str()), ("one slow 200", expected));
    }
}

#[tokio::test]
async fn those_who_wait_keep_their_order_and_the_queue_has_an_end() {
    let server = Server::start("one");
    let mut given = one(&server);
    given.endpoints[0].max_sockets = 1;
    let group = Group::new(given);
    let queued = async |wanted: usize| {
        while group.view().queue < wanted || group.view().endpoints[0].in_use == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let ended = std::sync::Mutex::new(Vec::new());
    let noted = async |text: &'static str, behind: usize| {
        if behind > 0 {
            queued(behind - 1).await;
        }
        send(&group, text, within(LONG)).await.expect("a reply");
        ended.lock().expect("the list").push(text);
    };
    let refused = async {
        queued(2).await;
        let late = fails(&group, "third", within(LONG)).await;
        (late, group.view().queue_highest.value)
    };
    let (.., refused) = tokio::join!(noted("slow 300", 0), noted("first", 1), noted("second", 2), refused);
    assert_eq!(refused, (TroubleKind::QueueFull, 2.0));
    assert_eq!(*ended.lock().expect("the list"), ["slow 300", "first", "second"]);
    assert_eq!(group.view().queue, 0);
}

#[tokio::test]
async fn time_ends_in_the_queue_and_on_the_wire_and_each_says_so() {
    let server = Server::start("one");
    let mut given = one(&server);
    given.endpoints[0].max_sockets = 1;
    let group = Group::new(given);
    let begun = Instant::now();
    let (sent, unsent) =
        tokio::join!(fails(&group, "slow 600", within(300)), fails(&group, "never", within(100)));
    assert_eq!((sent, unsent), (TroubleKind::TimedOutSent, TroubleKind::TimedOutUnsent));
    assert!(begun.elapsed() < Duration::from_millis(600), "the time was not kept");
    // Nobody waits for the late reply. Its connection is closed, and the next caller gets its own
    // reply.
    assert_eq!(group.view().endpoints[0].sessions, 0);
    assert_eq!(send(&group, "mine", within(LONG)).await.expect("a reply"), "one mine");
    assert_eq!((server.count(), group.view().endpoints[0].timeouts), (2, 1));
}

#[tokio::test]
async fn a_late_reply_reaches_nobody() {
    let server = Server::start("one");
    let group = Group::new(one(&server));
    for number in 0..10 {
        let late = format!("slow {}", 20 + number);
        assert_eq!(fails(&group, &late, within(10)).await, TroubleKind::TimedOutSent);
        let text = format!("mine {number}");
        assert_eq!(send(&group, &text, within(LONG)).await.expect("a reply"), format!("one {text}"));
    }
}

#[tokio::test]
async fn a_connection_that_breaks_after_the_request_leaves_the_outcome_unknown() {
    let (first, second) = (Server::start("one"), Server::start("two"));
    let group = Group::new(two(&first, &second));
    assert_eq!(fails(&group, "break", within(LONG)).await, TroubleKind::Broken);
    assert_eq!((first.count(), second.count()), (1, 0), "nothing was sent twice");
    let twice = Call { is_idempotent: true, ..within(LONG) };
    assert_eq!(fails(&group, "break", twice).await, TroubleKind::Broken);
    assert_eq!((first.count(), second.count()), (2, 1), "each endpoint is tried once");
}

#[tokio::test]
async fn what_is_no_reply_closes_the_connection() {
    let server = Server::start("one");
    let group = Group::new(one(&server));
    for text in ["long", "short", "extra"] {
        assert_eq!(fails(&group, text, within(LONG)).await, TroubleKind::BadReply, "{text}");
        assert_eq!(group.view().endpoints[0].sessions, 0, "{text}");
        assert_eq!(send(&group, "next", within(LONG)).await.expect("a reply"), "one next");
    }
}

#[tokio::test]
async fn a_record_that_the_frame_cannot_hold_is_not_sent() {
    let server = Server::start("one");
    let given = GroupSettings { frame_max_bytes: 100, ..one(&server) };
    let group = Group::new(given.clone());
    let long = "x".repeat(97);
    assert_eq!(fails(&group, &long, within(LONG)).await, TroubleKind::Unframeable);
    assert_eq!(send(&group, &long[..50], within(LONG)).await.expect("a reply").len(), 54);
    let fixed = Group::new(GroupSettings { framing: Framing::Fixed(8), ..given });
    assert_eq!(fails(&fixed, "nine byte", within(LONG)).await, TroubleKind::Unframeable);
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn replies_of_all_sizes_are_whole() {
    let server = Server::start("one");
    let group = Group::new(one(&server));
    // On one connection: longer ones, shorter ones, and some just beyond those before.
    for bytes in [16_380, 16_384, 100_000, 1_000_000, 1, 2, 1, 900, 1_100, 10, 16_381, 3, 70_000, 9_000] {
        let reply = send(&group, &format!("large {bytes}"), within(LONG)).await.expect("a reply");
        assert!(reply.len() == bytes && reply.bytes().all(|byte| byte == b'x'), "{bytes}");
    }
}

#[tokio::test]
async fn a_large_reply_that_trickles_in_is_whole_and_one_that_stalls_ends_in_time() {
    let server = Server::start("one");
    let group = Group::new(one(&server));
    for bytes in [100_000, 400_000, 1_000_000] {
        let reply = send(&group, &format!("paced {bytes}"), within(LONG)).await.expect("a reply");
        assert!(reply.len() == bytes && reply.bytes().all(|byte| byte == b'x'), "{bytes}");
        assert_eq!(send(&group, "small", within(LONG)).await.expect("a reply"), "one small");
    }
    assert_eq!(group.view().endpoints[0].sessions_highest.value, 1.0, "one connection carried all");
    assert_eq!(fails(&group, "stalled 800000", within(300)).await, TroubleKind::TimedOutSent);
    assert_eq!(send(&group, "small", within(LONG)).await.expect("a reply"), "one small");
}

#[tokio::test]
async fn a_connection_tells_its_times() {
    let server = Server::start("one");
    let group = Group::new(one(&server));
    send(&group, "a", within(LONG)).await.expect("a reply");
    let endpoint = &group.view().endpoints[0];
    assert!(endpoint.rto_us.is_some_and(|us| us > 0) && endpoint.srtt_us.is_some(), "{endpoint:?}");
    assert_eq!((endpoint.retransmits, endpoint.dsacks), (0, 0));
}

#[tokio::test]
async fn without_a_server_requests_wait_or_fail_at_once() {
    let server = Server::start("one");
    server.kill();
    let given = one(&server);
    let group = Group::new(given.clone());
    let begun = Instant::now();
    assert_eq!(fails(&group, "a", within(100)).await, TroubleKind::NobodyWell);
    assert!(begun.elapsed() >= Duration::from_millis(100));
    let quick = Group::new(GroupSettings { fail_fast: true, ..given });
    assert_eq!(fails(&quick, "a", within(LONG)).await, TroubleKind::NobodyWell);
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_goes_elsewhere_only_if_that_does_no_harm() {
    let (first, second) = (Server::start("one"), Server::start("two"));
    let given = GroupSettings { sync_timeout: Some(Duration::from_millis(100)), ..two(&first, &second) };
    let group = Group::new(given);
    assert_eq!(fails(&group, "slow 300", within(LONG)).await, TroubleKind::TimedOutSent);
    assert_eq!((first.count(), second.count()), (1, 0));
    let twice = Call { is_idempotent: true, ..within(LONG) };
    assert_eq!(fails(&group, "slow 300", twice).await, TroubleKind::TimedOutSent);
    assert!(second.count() == 1, "the other endpoint was tried");
}

#[tokio::test]
async fn an_endpoint_that_fails_too_often_is_left_out() {
    let (first, second) = (Server::start("one"), Server::start("two"));
    let ejection = EjectionSettings { failures: 3, percent_max: 50, time: Duration::from_millis(200) };
    let group = Group::new(GroupSettings { ejection, ..two(&first, &second) });
    for _ in 0..3 {
        assert_eq!(fails(&group, "break", within(LONG)).await, TroubleKind::Broken);
    }
    assert_eq!(group.view().endpoints[0].state, State::Ejected);
    assert_eq!(send(&group, "a", within(LONG)).await.expect("a reply"), "two a");
    tokio::time::sleep(Duration::from_millis(250)).await;
    assert_eq!(send(&group, "b", within(LONG)).await.expect("a reply"), "one b");
}

#[tokio::test]
async fn a_named_endpoint_gets_the_request() {
    let (first, second) = (Server::start("one"), Server::start("two"));
    let group = Group::new(two(&first, &second));
    let named = Call { endpoint: Some("TWO"), ..within(LONG) };
    assert_eq!(send(&group, "a", named).await.expect("a reply"), "two a");
}

#[tokio::test]
async fn requests_beyond_the_rate_are_refused() {
    let server = Server::start("one");
    let rate = security::Rate::new(1, 3_600_000, 3);
    let group = Group::new(GroupSettings { rate, ..one(&server) });
    for _ in 0..3 {
        assert_eq!(send(&group, "a", within(LONG)).await.expect("a reply"), "one a");
    }
    assert_eq!(fails(&group, "a", within(LONG)).await, TroubleKind::TooMany);
    assert_eq!(server.count(), 3);
}

#[tokio::test]
async fn what_was_sent_once_is_never_said_to_be_unsent() {
    let (first, second) = (Server::start("one"), Server::start("two"));
    second.kill();
    let ejection = EjectionSettings { failures: 1, percent_max: 100, time: Duration::from_secs(60) };
    let group = Group::new(GroupSettings { ejection, fail_fast: true, ..two(&first, &second) });
    let twice = Call { is_idempotent: true, ..within(LONG) };
    assert_eq!(fails(&group, "break", twice).await, TroubleKind::Broken);
    assert_eq!(first.count(), 1);
    // No endpoint is well now, and nothing was sent.
    assert_eq!(fails(&group, "break", twice).await, TroubleKind::NobodyWell);
    assert_eq!(first.count(), 1);
}

#[tokio::test]
async fn who_has_too_little_time_left_leaves_the_place_to_others() {
    let server = Server::start("one");
    let endpoint = connector::EndpointSettings { max_sockets: 1, ..one(&server).endpoints.remove(0) };
    let group = Group::new(settings(vec![endpoint]));
    // Replies take half a second.
    assert!(send(&group, "slow 500", within(LONG)).await.is_ok());
    let taken = async || {
        while group.view().endpoints[0].in_use == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let holder = send(&group, "slow 500", within(LONG));
    let hurried = async {
        taken().await;
        fails(&group, "hurried", within(700)).await
    };
    let patient = async {
        taken().await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        send(&group, "patient", within(LONG)).await
    };
    let (holder, hurried, patient) = tokio::join!(holder, hurried, patient);
    assert!(holder.is_ok() && patient.is_ok_and(|reply| reply == "one patient"));
    assert_eq!((hurried, server.count()), (TroubleKind::TimedOutUnsent, 3));
}
