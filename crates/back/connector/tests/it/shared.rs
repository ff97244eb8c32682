//! Connections that many requests share.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use connector::balance::Role;
use connector::framing::{FrameType, Framing, Label, Scan};
use connector::{Call, Group, GroupSettings, Groups, Heartbeat, State, Trouble, TroubleKind};

use crate::reload::{apply_text as apply, until};
use crate::server::{LONG, Server, endpoint, settings, within};

const FRAME_MAX_BYTES: usize = 4 << 20;

/// A server of Gantry's framing. It answers each request when the reply is ready, in any order.
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) connections: Arc<AtomicUsize>,
    one_way: Arc<AtomicUsize>,
    /// True if it has stopped: it takes bytes and answers nothing.
    is_mute: Arc<AtomicBool>,
}

impl Peer {
    pub(crate) fn start() -> Self {
        Self::that(true)
    }

    /// A server that answers heartbeats, or does not.
    fn that(answers: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (connections, one_way, is_mute) = (Arc::default(), Arc::default(), Arc::default());
        let peer = Self { address, connections, one_way, is_mute };
        let (connections, one_way, is_mute) =
            (Arc::clone(&peer.connections), Arc::clone(&peer.one_way), Arc::clone(&peer.is_mute));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                connections.fetch_add(1, Ordering::SeqCst);
                let (one_way, is_mute) = (Arc::clone(&one_way), Arc::clone(&is_mute));
                thread::spawn(move || serve(&stream, answers, (&one_way, &is_mute)));
            }
        });
        peer
    }
}

fn write(stream: &Mutex<TcpStream>, label: Label, message: &[u8]) {
    let around = Framing::Gantry.write(message, label).expect("a frame");
    let frame = [around.header(), message].concat();
    // A client that has gone needs no reply.
    let _ = stream.lock().expect("the stream").write_all(&frame);
}

fn serve(stream: &TcpStream, answers: bool, (one_way, is_mute): (&AtomicUsize, &AtomicBool)) {
    let out = Arc::new(Mutex::new(stream.try_clone().expect("a socket")));
    let (mut bytes, mut read) = (Vec::new(), [0; 65_536]);
    let mut parts: std::collections::HashMap<u64, Vec<u8>> = std::collections::HashMap::new();
    loop {
        while let Ok(Scan::Frame { message, end, label }) = Framing::Gantry.scan(&bytes, FRAME_MAX_BYTES) {
            assert!(message.len() <= 65_536, "a part has {} bytes", message.len());
            let whole = parts.entry(label.correlation).or_default();
            whole.extend_from_slice(&bytes[message]);
            bytes.drain(..end);
            if label.goes_on {
                continue;
            }
            let request = parts.remove(&label.correlation).unwrap_or_default();
            if request == b"mute" {
                is_mute.store(true, Ordering::SeqCst);
            }
            match label.frame_type {
                _ if is_mute.load(Ordering::SeqCst) => {}
                FrameType::Heartbeat if answers => {
                    write(&out, Label { frame_type: FrameType::HeartbeatAck, ..label }, b"");
                }
                FrameType::OneWay => drop(one_way.fetch_add(1, Ordering::SeqCst)),
                FrameType::Request => {
                    let out = Arc::clone(&out);
                    thread::spawn(move || answer(&out, label.correlation, request));
                }
                _ => {}
            }
        }
        match (&*stream).read(&mut read) {
            Ok(0) | Err(_) => return,
            Ok(count) => bytes.extend_from_slice(&read[..count]),
        }
    }
}

fn answer(out: &Mutex<TcpStream>, correlation: u64, request: Vec<u8>) {
    let reply = Label { frame_type: FrameType::Reply, correlation, goes_on: false };
    let text = String::from_utf8_lossy(&request).into_owned();
    let mut words = text.split(' ');
    match words.next().unwrap_or_default() {
        "slow" => {
            thread::sleep(Duration::from_millis(
                words.next().and_then(|ms| ms.parse().ok()).expect("a time"),
            ));
        }
        "stranger" => write(out, Label { correlation: 1_000_000, ..reply }, b"nobody asked"),
        "leave" => write(out, Label { frame_type: FrameType::GoAway, ..reply }, b""),
        "break" => {
            let _ = out.lock().expect("the stream").shutdown(std::net::Shutdown::Both);
            return;
        }
        "large" => {
            for part in request.chunks(60_000) {
                write(out, Label { goes_on: true, ..reply }, part);
                thread::sleep(Duration::from_millis(1));
            }
            return write(out, reply, b"!");
        }
        // The last part does not come.
        "stall" => {
            for part in request.chunks(50_000) {
                write(out, Label { goes_on: true, ..reply }, part);
            }
            return;
        }
        _ => {}
    }
    write(out, reply, &request);
}

fn shared(address: SocketAddr) -> GroupSettings {
    let mut one = settings(vec![endpoint("ONE", Role::Primary, address)]);
    one.endpoints[0].max_sockets = 1;
    GroupSettings {
        framing: Framing::Gantry,
        in_flight_max: 8,
        frame_max_bytes: FRAME_MAX_BYTES,
        queue_max: 100,
        ..one
    }
}

async fn send(group: &Arc<Group>, text: &str, call: Call<'_>) -> Result<String, Trouble> {
    let reply = group.send(text.as_bytes().to_vec(), call).await?;
    Ok(String::from_utf8(reply).expect("text"))
}

async fn replied(group: &Arc<Group>, text: &str) -> String {
    send(group, text, within(LONG)).await.expect("a reply")
}

async fn fails(group: &Arc<Group>, text: &str, call: Call<'_>) -> TroubleKind {
    send(group, text, call).await.expect_err("no reply").kind
}

#[tokio::test]
async fn replies_come_in_any_order_on_one_connection() {
    let peer = Peer::start();
    let group = Group::new(shared(peer.address));
    let ended = Mutex::new(Vec::new());
    let one = async |text: &str| {
        assert_eq!(replied(&group, text).await, text);
        ended.lock().expect("the list").push(text.to_owned());
    };
    tokio::join!(one("slow 300"), one("slow 100"), one("quick"));
    assert_eq!(*ended.lock().expect("the list"), ["quick", "slow 100", "slow 300"]);
    let view = group.view();
    assert_eq!((view.endpoints[0].sessions, view.endpoints[0].replies), (1, 3));
    assert_eq!(peer.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_late_reply_is_for_nobody_and_the_connection_goes_on() {
    let peer = Peer::start();
    let group = Group::new(shared(peer.address));
    assert_eq!(fails(&group, "slow 200", within(50)).await, TroubleKind::TimedOutSent);
    for number in 0..50 {
        assert_eq!(replied(&group, &format!("mine {number}")).await, format!("mine {number}"));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(peer.connections.load(Ordering::SeqCst), 1, "the late reply closed the connection");
}

#[tokio::test]
async fn a_reply_that_nobody_asked_for_ends_the_connection() {
    let peer = Peer::start();
    let group = Group::new(shared(peer.address));
    assert_eq!(fails(&group, "stranger", within(LONG)).await, TroubleKind::BadReply);
    assert_eq!(replied(&group, "next").await, "next");
    assert_eq!(peer.connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_server_that_goes_away_gets_nothing_more_and_loses_nothing() {
    let peer = Peer::start();
    let group = Group::new(shared(peer.address));
    let slow = replied(&group, "slow 300");
    let others = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(replied(&group, "leave").await, "leave");
        assert_eq!(replied(&group, "next").await, "next");
        peer.connections.load(Ordering::SeqCst)
    };
    let (slow, connections) = tokio::join!(slow, others);
    assert_eq!((slow.as_str(), connections), ("slow 300", 2));
    assert_eq!(group.view().endpoints[0].errors, 0);
}

#[tokio::test]
async fn all_that_are_under_way_learn_that_the_connection_broke() {
    let peer = Peer::start();
    let group = Group::new(shared(peer.address));
    let slow = async || fails(&group, "slow 5000", within(LONG)).await;
    let breaks = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        fails(&group, "break", within(LONG)).await
    };
    let (one, two, three) = tokio::join!(slow(), slow(), breaks);
    assert_eq!([one, two, three], [TroubleKind::Broken; 3]);
    assert_eq!(replied(&group, "next").await, "next");
}

#[tokio::test]
async fn long_messages_go_in_parts_and_short_ones_pass() {
    let peer = Peer::start();
    let group = Group::new(shared(peer.address));
    let long = format!("large {}", "x".repeat(3 << 20));
    let ended = Mutex::new(Vec::new());
    let large = async {
        assert_eq!(replied(&group, &long).await, format!("{long}!"));
        ended.lock().expect("the list").push("large");
    };
    let short = async {
        tokio::task::yield_now().await;
        assert_eq!(replied(&group, "short").await, "short");
        ended.lock().expect("the list").push("short");
    };
    tokio::join!(large, short);
    assert_eq!(*ended.lock().expect("the list"), ["short", "large"]);
    let most = "y".repeat(FRAME_MAX_BYTES);
    assert_eq!(fails(&group, &most, within(LONG)).await, TroubleKind::Unframeable);
    assert_eq!(replied(&group, "next").await, "next");
    assert_eq!(peer.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_server_that_answers_no_heartbeat_gets_no_request() {
    let peer = Peer::that(false);
    let given = GroupSettings {
        connect_timeout: Duration::from_millis(100),
        fail_fast: true,
        ..shared(peer.address)
    };
    let group = Group::new(given);
    assert_eq!(fails(&group, "a", within(LONG)).await, TroubleKind::NobodyWell);
    let view = group.view();
    assert_eq!(view.endpoints[0].state, State::Down);
    let reason = view.endpoints[0].reason.clone().unwrap_or_default();
    assert!(reason.contains("heartbeat"), "{reason}");
}

#[tokio::test]
async fn an_endpoint_that_was_left_out_answers_a_heartbeat_before_it_gets_requests() {
    let peer = Peer::start();
    let groups = Groups::default();
    let address = peer.address;
    let endpoint = format!("[[endpoint]]\nname = \"ONE\"\ndestination = \"{address}\"\nmax_sockets = 1\n");
    let ejection = "ejection_failures = 1\nejection_percent_max = 100\nejection_ms = 50\n";
    apply(
        &groups,
        &format!("framing = \"gantry\"\nfail_fast = true\nslow_start_ms = 0\n{ejection}{endpoint}"),
    );
    let group = groups.get("GROUP").expect("the group");
    assert_eq!(replied(&group, "a").await, "a");
    assert_eq!(fails(&group, "mute", within(100)).await, TroubleKind::TimedOutSent);
    assert_eq!(group.view().endpoints[0].state, State::Ejected);
    // The group sends it heartbeats on new connections, and gets no answer.
    until(|| peer.connections.load(Ordering::SeqCst) >= 3).await;
    assert_eq!(group.view().endpoints[0].state, State::Down);
    assert_eq!(fails(&group, "b", within(LONG)).await, TroubleKind::NobodyWell);
    peer.is_mute.store(false, Ordering::SeqCst);
    until(|| group.view().endpoints[0].state == State::Active).await;
    until(|| group.view().endpoints[0].sessions <= 1).await;
    assert_eq!(replied(&group, "c").await, "c");
}

#[tokio::test]
async fn heartbeats_keep_a_silent_connection_and_end_one_whose_server_hangs() {
    let peer = Peer::start();
    let heartbeat_interval = Some(Duration::from_millis(30));
    let group = Group::new(GroupSettings { heartbeat_interval, ..shared(peer.address) });
    assert_eq!(replied(&group, "slow 300").await, "slow 300");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(replied(&group, "next").await, "next");
    assert_eq!(peer.connections.load(Ordering::SeqCst), 1);
    // This server takes the connection and its first heartbeat, and nothing more.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let hanging = thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a connection");
        let mut header = [0; 16];
        (&stream).read_exact(&mut header).expect("a heartbeat");
        let label = Label { frame_type: FrameType::HeartbeatAck, ..Label::default() };
        write(&Mutex::new(stream.try_clone().expect("a socket")), label, b"");
        let mut rest = Vec::new();
        let _ = (&stream).read_to_end(&mut rest);
    });
    let group = Group::new(GroupSettings { heartbeat_interval, ..shared(address) });
    assert_eq!(fails(&group, "a", within(LONG)).await, TroubleKind::Broken);
    hanging.join().expect("the server");
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_their_order() {
    let server = Server::start("one");
    let mut given = settings(vec![endpoint("ONE", Role::Primary, server.address)]);
    given.endpoints[0].max_sockets = 1;
    let group = Group::new(GroupSettings { in_flight_max: 4, queue_max: 100, ..given });
    let texts: Vec<String> = (0..20).map(|number| format!("request {number}")).collect();
    let calls = texts.iter().map(|text| {
        let (group, text) = (Arc::clone(&group), text.clone());
        tokio::spawn(async move { (replied(&group, &text).await, text) })
    });
    for call in calls.collect::<Vec<_>>() {
        let (reply, text) = call.await.expect("a task");
        assert_eq!(reply, format!("one {text}"));
    }
    assert_eq!(group.view().endpoints[0].sessions_highest.value, 1.0);
    // A caller that leaves takes the connection out of use. Later callers on it still get their own
    // replies.
    let late = fails(&group, "slow 300", within(50));
    let behind = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        replied(&group, "behind").await
    };
    let (late, behind) = tokio::join!(late, behind);
    assert_eq!((late, behind.as_str()), (TroubleKind::TimedOutSent, "one behind"));
    assert_eq!(replied(&group, "next").await, "one next");
}

#[tokio::test]
async fn requests_without_replies_end_when_they_are_written() {
    let peer = Peer::start();
    let group = Group::new(shared(peer.address));
    for _ in 0..10 {
        let call = Call { is_one_way: true, ..within(LONG) };
        assert_eq!(send(&group, "note", call).await.expect("it is sent"), "");
    }
    // This request comes after them on the same connection, so its reply does, too.
    assert_eq!(replied(&group, "next").await, "next");
    assert_eq!(peer.one_way.load(Ordering::SeqCst), 10);
    let server = Server::start("one");
    let plain = Group::new(settings(vec![endpoint("ONE", Role::Primary, server.address)]));
    let call = Call { is_one_way: true, ..within(LONG) };
    assert_eq!(send(&plain, "long", call).await.expect("it is sent"), "");
}

#[tokio::test]
async fn one_way_requests_amid_a_write_hear_at_once_that_the_server_has_gone() {
    // This server reads the first message, and then nothing more until it goes.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (go, gone) = std::sync::mpsc::channel::<()>();
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a connection");
        let mut header = [0; 16];
        (&stream).read_exact(&mut header).expect("a heartbeat");
        let label = Label { frame_type: FrameType::HeartbeatAck, ..Label::default() };
        write(&Mutex::new(stream.try_clone().expect("a socket")), label, b"");
        (&stream).read_exact(&mut [0; 16 + 5]).expect("the first message");
        gone.recv().expect("the word to go");
        stream.shutdown(std::net::Shutdown::Write).expect("it goes");
        // The socket stays open, so no write of the client fails because of it.
        let _ = gone.recv();
    });
    let peer = Peer::start();
    let mut given = shared(address);
    given.endpoints.push(endpoint("TWO", Role::Backup, peer.address));
    let group = Group::new(GroupSettings { frame_max_bytes: 64 << 20, ..given });
    let one_way = || Call { is_one_way: true, ..within(LONG) };
    assert_eq!(send(&group, "first", one_way()).await.expect("it is sent"), "");
    // More than the sockets take.
    let long = "x".repeat(32 << 20);
    let ends = async {
        until(|| group.view().endpoints[0].in_use == 3).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        go.send(()).expect("the server");
    };
    let (one, other, short, ()) = tokio::join!(
        fails(&group, &long, one_way()),
        send(&group, &long[..1 << 20], one_way()),
        send(&group, "short", one_way()),
        ends
    );
    assert_eq!(one, TroubleKind::Broken, "a part of it was sent");
    assert_eq!(other.expect("nothing of it was sent, so the other server got it"), "");
    assert_eq!(short.expect("the other server got it"), "");
    until(|| peer.one_way.load(Ordering::SeqCst) == 2).await;
    drop(go);
    server.join().expect("the server");
}

#[tokio::test]
async fn a_heartbeat_of_ones_own_is_asked_before_a_connection_is_used() {
    let server = Server::start("one");
    let given = settings(vec![endpoint("ONE", Role::Primary, server.address)]);
    let asked = |reply: &[u8]| GroupSettings {
        heartbeat_interval: Some(Duration::from_millis(20)),
        heartbeat: Some(Heartbeat { request: b"PING".to_vec(), reply: Some(reply.to_vec()) }),
        fail_fast: true,
        ..given.clone()
    };
    let group = Group::new(asked(b"one PING"));
    assert_eq!(replied(&group, "a").await, "one a");
    assert_eq!(server.count(), 2);
    let group = Group::new(asked(b"PONG"));
    assert_eq!(fails(&group, "a", within(LONG)).await, TroubleKind::NobodyWell);
    let reason = group.view().endpoints[0].reason.clone().unwrap_or_default();
    assert!(reason.contains("not as expected"), "{reason}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_callers_on_few_connections_each_get_their_own_reply() {
    let peer = Peer::start();
    let mut given = shared(peer.address);
    given.endpoints[0].max_sockets = 2;
    let group = Group::new(GroupSettings { in_flight_max: 16, ..given });
    let callers = (0..32).map(|caller| {
        let group = Arc::clone(&group);
        tokio::spawn(async move {
            for number in 0..100 {
                let text = format!("{caller} {number} {}", "z".repeat(number * 37 % 3_000));
                // Some callers leave before their reply comes.
                let call = if number % 10 == 9 { within(0) } else { within(LONG) };
                match send(&group, &text, call).await {
                    Ok(reply) => assert_eq!(reply, text),
                    Err(trouble) => assert!(number % 10 == 9, "{trouble:?}"),
                }
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.expect("a caller");
    }
    assert!(peer.connections.load(Ordering::SeqCst) <= 2, "{}", peer.connections.load(Ordering::SeqCst));
    assert_eq!(group.view().endpoints[0].in_use, 0);
}
