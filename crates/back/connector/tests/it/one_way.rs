//! One-way requests to servers that answer them all the same.

use std::time::Duration;

use connector::balance::Role;
use connector::{Call, Group, GroupSettings, State};

use crate::server::{LONG, Server, endpoint, settings, within};

/// Groups with connections of their own and with shared ones, each with one connection and with more.
fn kinds(server: &Server) -> impl Iterator<Item = GroupSettings> {
    [(1, 1), (1, 4), (4, 1), (4, 4)].into_iter().map(|(in_flight_max, max_sockets)| {
        let mut one = endpoint("ONE", Role::Primary, server.address);
        one.max_sockets = max_sockets;
        GroupSettings { in_flight_max, ..settings(vec![one]) }
    })
}

fn one_way() -> Call<'static> {
    Call { is_one_way: true, ..within(LONG) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_to_a_one_way_request_is_not_the_reply_to_another() {
    let server = Server::start("one");
    for kind in kinds(&server) {
        let group = Group::new(kind.clone());
        for number in 0..4 {
            let request = format!("mine {number}");
            assert!(group.send(b"slow 20".to_vec(), one_way()).await.expect("it is sent").is_empty());
            let reply = group.send(request.clone().into_bytes(), within(LONG)).await.expect("a reply");
            assert_eq!(String::from_utf8_lossy(&reply), format!("one {request}"), "{kind:?}");
        }
        let endpoint = &group.view().endpoints[0];
        assert_eq!((endpoint.state, endpoint.errors), (State::Active, 0));
        assert!(endpoint.sessions <= endpoint.max_sessions, "{endpoint:?}");
    }
}

#[tokio::test]
async fn requests_before_a_one_way_request_get_their_replies() {
    let server = Server::start("one");
    let mut kind = kinds(&server).nth(2).expect("a group");
    kind.queue_max = 10;
    let group = Group::new(kind);
    let request = async |text: &str| {
        let reply = group.send(text.as_bytes().to_vec(), within(LONG)).await.expect("a reply");
        assert_eq!(String::from_utf8_lossy(&reply), format!("one {text}"));
    };
    let nobody_waits = async {
        group.send(b"slow 10".to_vec(), one_way()).await.expect("it is sent");
    };
    tokio::join!(request("slow 50"), request("a"), nobody_waits, request("b"), request("c"));
    assert_eq!(group.view().endpoints[0].errors, 0);
}

#[tokio::test]
async fn one_way_requests_share_a_connection_although_they_are_answered() {
    let server = Server::start("one");
    for (number, kind) in kinds(&server).enumerate() {
        let group = Group::new(kind);
        for sent in 1..=5 {
            group.send(b"nothing".to_vec(), one_way()).await.expect("it is sent");
            while server.count() < number * 5 + sent {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        assert_eq!((group.view().endpoints[0].sessions, group.view().endpoints[0].errors), (1, 0));
        assert_eq!(server.connections(), number + 1);
    }
}
