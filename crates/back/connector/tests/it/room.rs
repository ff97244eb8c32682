//! The memory of incoming replies: it has a limit, no reply is lost to it, and no reader holds it
//! for ever.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use connector::balance::Role;
use connector::framing::{FrameType, Framing, Label, Scan};
use connector::{Group, GroupSettings, GroupView, TroubleKind};

use crate::reload::until;
use crate::server::{LONG, Server, endpoint, settings, within};
use crate::shared::Peer;

const KB: usize = 1_000;

/// A group of Gantry's framing with `sockets` connections, `in_flight` requests on each, and room
/// for `receive_max_bytes`.
fn group(address: SocketAddr, (sockets, in_flight): (usize, usize), receive_max_bytes: usize) -> Arc<Group> {
    let mut one = settings(vec![endpoint("ONE", Role::Primary, address)]);
    one.endpoints[0].max_sockets = sockets;
    let framing = Framing::Gantry;
    let (in_flight_max, frame_max_bytes) = (in_flight, 512 * 1024);
    Group::new(GroupSettings {
        framing,
        in_flight_max,
        frame_max_bytes,
        receive_max_bytes,
        queue_max: 100,
        ..one
    })
}

/// Starts a call whose request has `bytes` bytes. The server sends the same number back.
fn call(group: &Arc<Group>, (word, bytes): (&str, usize), ms: u64) -> tokio::task::JoinHandle<Option<bool>> {
    let group = Arc::clone(group);
    let text = format!("{word} {}", "z".repeat(bytes));
    tokio::spawn(async move {
        let reply = group.send(text.clone().into_bytes(), within(ms)).await;
        let expected = if text.starts_with("large") { text + "!" } else { text };
        reply.ok().map(|reply| reply == expected.as_bytes())
    })
}

async fn sees(group: &Arc<Group>, what: impl Fn(&GroupView) -> bool) {
    let begun = Instant::now();
    while !what(&group.view()) {
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", group.view());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn assert_empty(group: &Group) {
    let view = group.view();
    assert_eq!((view.receiving, view.readers_waiting), (0, 0), "{view:?}");
}

#[tokio::test]
async fn memory_stays_below_the_limit_and_no_reply_is_lost() {
    let peer = Peer::start();
    // One connection may hold 5 times 512 KiB, a bit less than half of this.
    let most = 6 << 20;
    let group = group(peer.address, (8, 4), most);
    let calls: Vec<_> = (0..32).map(|_| call(&group, ("large", 400 * KB), LONG)).collect();
    for one in calls {
        assert_eq!(one.await.expect("a task"), Some(true));
    }
    let view = group.view();
    let highest = view.receiving_highest.value;
    assert!(highest > 400e3 && highest <= most as f64, "{highest} of {most}");
    assert_eq!((view.receive_max_bytes, view.endpoints[0].errors), (most, 0));
    assert_empty(&group);
    group.clear();
    assert_eq!(group.view().receiving_highest.value, 0.0);
}

#[tokio::test]
async fn slow_replies_that_hold_the_room_end_by_their_time_and_give_it_back() {
    let peer = Peer::start();
    // Half of it is reserved for the privileged reader.
    let group = group(peer.address, (4, 1), 1 << 20);
    let first = call(&group, ("stall", 400 * KB), 4_000);
    sees(&group, |view| view.receiving >= 400 * KB).await;
    let second = call(&group, ("stall", 400 * KB), 5_000);
    sees(&group, |view| view.receiving >= 800 * KB).await;
    let third = call(&group, ("large", 300 * KB), LONG);
    sees(&group, |view| view.readers_waiting == 1).await;
    // Small replies have their own room meanwhile.
    for _ in 0..20 {
        assert_eq!(call(&group, ("small", 60 * KB), LONG).await.expect("a task"), Some(true));
    }
    assert_eq!(group.view().readers_waiting, 1, "{:?}", group.view());
    assert_eq!(third.await.expect("a task"), Some(true));
    assert_eq!((first.await.expect("a task"), second.await.expect("a task")), (None, None));
    assert_empty(&group);
    assert_eq!(group.view().endpoints[0].timeouts, 2);
    assert!(group.view().receiving_highest.value <= f64::from(1 << 20));
}

#[tokio::test]
async fn a_connection_that_breaks_gives_the_room_back() {
    let peer = Peer::start();
    let group = group(peer.address, (1, 3), 1 << 20);
    for _ in 0..3 {
        let lost = [call(&group, ("stall", 450 * KB), LONG), call(&group, ("stall", 450 * KB), LONG)];
        sees(&group, |view| view.receiving >= 900 * KB).await;
        let broken = group.send(b"break".to_vec(), within(LONG)).await.expect_err("no reply");
        assert_eq!(broken.kind, TroubleKind::Broken);
        assert_empty(&group);
        for one in lost {
            assert_eq!(one.await.expect("a task"), None);
        }
    }
    assert_eq!(call(&group, ("large", 450 * KB), LONG).await.expect("a task"), Some(true));
    assert_empty(&group);
}

#[tokio::test]
async fn a_shared_connection_whose_rest_does_not_fit_takes_no_new_request() {
    let peer = Peer::start();
    let group = group(peer.address, (2, 3), 1 << 20);
    assert_eq!(call(&group, ("small", 10), LONG).await.expect("a task"), Some(true));
    // This is more than the shared half, so the connection is privileged.
    let stalls = [call(&group, ("stall", 300 * KB), LONG), call(&group, ("stall", 300 * KB), LONG)];
    sees(&group, |view| view.receiving >= 600 * KB).await;
    assert_eq!(call(&group, ("small", 10), LONG).await.expect("a task"), Some(true));
    assert_eq!(peer.connections.load(Ordering::SeqCst), 1, "nobody waits, so it takes requests");
    let slow = call(&group, ("slow 500", 10), LONG);
    sees(&group, |view| view.endpoints[0].in_use == 3).await;
    // Another connection waits for room.
    let other = [call(&group, ("stall", 400 * KB), LONG), call(&group, ("large", 300 * KB), LONG)];
    let quiet = call(&group, ("slow 5000", 10), LONG);
    sees(&group, |view| view.readers_waiting == 1).await;
    assert_eq!(slow.await.expect("a task"), Some(true));
    until(|| group.view().endpoints[0].in_use == 5).await;
    // A reply has left the first connection, and the rest does not fit. The next request gets a new
    // connection.
    assert_eq!(call(&group, ("small", 10), LONG).await.expect("a task"), Some(true));
    assert_eq!(peer.connections.load(Ordering::SeqCst), 3, "{:?}", group.view());
    // Their callers leave, and the waiting reader gets room.
    stalls.iter().for_each(tokio::task::JoinHandle::abort);
    let [stall, large] = other;
    assert_eq!(large.await.expect("a task"), Some(true));
    stall.abort();
    assert_eq!(quiet.await.expect("a task"), Some(true));
    until(|| group.view().receiving == 0).await;
    assert_empty(&group);
    assert_eq!(group.view().endpoints[0].errors, 0);
}

/// A server that answers each request with one frame. Half of it comes at once, the other half
/// after `let_go`.
struct Halves {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    is_let: Arc<(Mutex<bool>, Condvar)>,
}

impl Halves {
    fn start(framing: Framing, bytes: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let halves = Self { address, connections: Arc::default(), is_let: Arc::default() };
        let (connections, is_let) = (Arc::clone(&halves.connections), Arc::clone(&halves.is_let));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                connections.fetch_add(1, Ordering::SeqCst);
                let (framing, is_let) = (framing.clone(), Arc::clone(&is_let));
                thread::spawn(move || serve(&stream, (&framing, bytes), &is_let));
            }
        });
        halves
    }

    fn let_go(&self) {
        *self.is_let.0.lock().expect("a lock") = true;
        self.is_let.1.notify_all();
    }
}

fn serve(mut stream: &TcpStream, (framing, bytes): (&Framing, usize), is_let: &(Mutex<bool>, Condvar)) {
    let (mut came, mut read) = (Vec::new(), [0; 4_096]);
    loop {
        while let Ok(Scan::Frame { message, end, label }) = framing.scan(&came, 1 << 20) {
            let is_small = &came[message] == b"small";
            came.drain(..end);
            let is_heartbeat = label.frame_type == FrameType::Heartbeat;
            let frame_type = if is_heartbeat { FrameType::HeartbeatAck } else { FrameType::Reply };
            let reply = vec![
                b'x';
                if is_heartbeat {
                    0
                } else if is_small {
                    5
                } else {
                    bytes
                }
            ];
            let around = framing.write(&reply, Label { frame_type, ..label }).expect("a frame");
            let frame = [around.header(), &reply, around.trailer()].concat();
            let half = if frame.len() > 100 { frame.len() / 2 } else { frame.len() };
            if stream.write_all(&frame[..half]).is_err() {
                return;
            }
            if half < frame.len() {
                let open = is_let.0.lock().expect("a lock");
                drop(is_let.1.wait_while(open, |open| !*open).expect("a lock"));
            }
            if stream.write_all(&frame[half..]).is_err() {
                return;
            }
        }
        match stream.read(&mut read) {
            Ok(0) | Err(_) => return,
            Ok(count) => came.extend_from_slice(&read[..count]),
        }
    }
}

#[tokio::test]
async fn the_rest_of_a_frame_for_a_caller_who_has_left_is_not_kept() {
    // Half is more than a reader sleeps for, so it is read while the other half is missing.
    let server = Halves::start(Framing::Gantry, 4 << 20);
    let mut one = settings(vec![endpoint("ONE", Role::Primary, server.address)]);
    one.endpoints[0].max_sockets = 1;
    let group = Group::new(GroupSettings {
        framing: Framing::Gantry,
        in_flight_max: 4,
        frame_max_bytes: 5 << 20,
        ..one
    });
    let late = group.send(b"large".to_vec(), within(3_000));
    let held = sees(&group, |view| view.receiving > 4 << 20);
    let (late, ()) = tokio::join!(late, held);
    assert_eq!(late.expect_err("no reply").kind, TroubleKind::TimedOutSent);
    sees(&group, |view| view.receiving == 0).await;
    // Nobody wants the rest. Once it has come, the connection goes on.
    let next = group.send(b"small".to_vec(), within(LONG));
    let goes = async { server.let_go() };
    let (next, ()) = tokio::join!(next, goes);
    assert_eq!(next.expect("a reply"), b"xxxxx");
    assert_eq!(group.send(b"large".to_vec(), within(LONG)).await.expect("a reply"), vec![b'x'; 4 << 20]);
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
    assert_empty(&group);
}

#[tokio::test]
async fn frames_without_a_length_wait_for_room_too() {
    let framing = Framing::Delimiter(b"\n".to_vec());
    let server = Halves::start(framing.clone(), 800 * KB);
    let mut one = settings(vec![endpoint("ONE", Role::Primary, server.address)]);
    one.endpoints[0].max_sockets = 8;
    let most = 2 << 20;
    let group = Group::new(GroupSettings { framing, receive_max_bytes: most, ..one });
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let group = Arc::clone(&group);
            tokio::spawn(async move { group.send(b"large".to_vec(), within(LONG)).await })
        })
        .collect();
    sees(&group, |view| view.readers_waiting >= 4).await;
    assert!(group.view().receiving <= most, "{:?}", group.view());
    server.let_go();
    for one in calls {
        assert_eq!(one.await.expect("a task").expect("a reply"), vec![b'x'; 800 * KB]);
    }
    assert!(group.view().receiving_highest.value <= most as f64, "{:?}", group.view());
    assert_empty(&group);
}

#[tokio::test]
async fn a_length_alone_takes_no_room() {
    let server = Server::start("one");
    let mut one = settings(vec![endpoint("ONE", Role::Primary, server.address)]);
    one.endpoints[0].max_sockets = 8;
    let group = Group::new(GroupSettings { receive_max_bytes: 2 << 20, ..one });
    let stalled: Vec<_> = (0..8)
        .map(|_| {
            let group = Arc::clone(&group);
            tokio::spawn(async move { group.send(b"announced 900000".to_vec(), within(1_000)).await })
        })
        .collect();
    until(|| server.count() == 8).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_empty(&group);
    for one in stalled {
        let trouble = one.await.expect("a task").expect_err("no reply");
        assert_eq!(trouble.kind, TroubleKind::TimedOutSent);
    }
    assert_eq!(group.view().receiving_highest.value, 0.0);
}
