//! Servers that read nothing, take no more requests, or do not even answer a connection.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use connector::balance::Role;
use connector::framing::{FrameType, Framing, Label, Scan};
use connector::{Group, GroupSettings, Trouble, TroubleKind};

use crate::reload::until;
use crate::server::{LONG, endpoint, settings, within};

const FRAME_MAX_BYTES: usize = 1 << 20;

/// Far more bytes than the sockets of both sides take.
const REQUESTS: u64 = 400;
const REQUEST_BYTES: usize = 60_000;

/// A server of Gantry's framing whose part behind the first heartbeat is the test's.
fn server(serve: impl FnOnce(Stream) + Send + 'static) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let served = thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a connection");
        let mut stream = Stream { stream, bytes: Vec::new() };
        let (label, _) = stream.read().expect("a heartbeat");
        stream.write(FrameType::HeartbeatAck, label.correlation, b"");
        serve(stream);
    });
    (address, served)
}

struct Stream {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Stream {
    fn write(&self, frame_type: FrameType, correlation: u64, message: &[u8]) {
        let label = Label { frame_type, correlation, goes_on: false };
        let around = Framing::Gantry.write(message, label).expect("a frame");
        // A client that has gone needs no reply.
        let _ = (&self.stream).write_all(&[around.header(), message].concat());
    }

    /// The next frame; none at the end.
    fn read(&mut self) -> Option<(Label, Vec<u8>)> {
        let mut read = [0; 65_536];
        loop {
            let scan = Framing::Gantry.scan(&self.bytes, FRAME_MAX_BYTES).expect("frames");
            if let Scan::Frame { message, end, label } = scan {
                let message = self.bytes[message].to_vec();
                self.bytes.drain(..end);
                return Some((label, message));
            }
            match self.stream.read(&mut read) {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.bytes.extend_from_slice(&read[..count]),
            }
        }
    }
}

fn group(address: SocketAddr) -> GroupSettings {
    let mut one = settings(vec![endpoint("ONE", Role::Primary, address)]);
    one.endpoints[0].max_sockets = 1;
    GroupSettings { framing: Framing::Gantry, in_flight_max: 1_000, queue_max: 1_000, ..one }
}

fn request(number: u64) -> Vec<u8> {
    let mut request = format!("{number:08}").into_bytes();
    request.resize(REQUEST_BYTES, b'x');
    request
}

fn number(request: &[u8]) -> u64 {
    std::str::from_utf8(&request[..8]).expect("text").parse().expect("a number")
}

type Calls = Vec<tokio::task::JoinHandle<Result<Vec<u8>, Trouble>>>;

/// Sends many large requests on one connection.
fn send_many(group: &Arc<Group>, ms: u64) -> Calls {
    let one = |number| {
        let group = Arc::clone(group);
        tokio::spawn(async move { group.send(request(number), within(ms)).await })
    };
    (0..REQUESTS).map(one).collect()
}

fn gate() -> (Sender<()>, Receiver<()>) {
    channel()
}

#[tokio::test]
async fn a_request_whose_time_ends_before_the_server_reads_is_not_sent_and_says_so() {
    let (go, gone) = gate();
    let (told, got) = channel();
    let (address, served) = server(move |mut stream| {
        gone.recv().expect("the word to read");
        let mut numbers = BTreeSet::new();
        while let Some((_, message)) = stream.read() {
            numbers.insert(number(&message));
        }
        told.send((numbers, stream.bytes)).expect("the test");
    });
    let group = Group::new(group(address));
    let (mut sent, mut unsent) = (BTreeSet::new(), BTreeSet::new());
    for (number, call) in (0..).zip(send_many(&group, 4_000)) {
        match call.await.expect("a task").expect_err("no reply").kind {
            TroubleKind::TimedOutSent => sent.insert(number),
            TroubleKind::TimedOutUnsent => unsent.insert(number),
            other => panic!("{number}: {other:?}"),
        };
    }
    // The connection is closed before the server reads, so it gets only what TCP had taken.
    drop(group);
    tokio::time::sleep(Duration::from_millis(100)).await;
    go.send(()).expect("the server");
    let (mut got, rest) = got.recv().expect("the numbers");
    // The last one may be cut.
    if rest.len() >= 24 {
        got.insert(number(&rest[16..]));
    } else if !rest.is_empty() {
        got.extend(sent.iter().copied().find(|number| !got.contains(number)));
    }
    served.join().expect("the server");
    assert!(unsent.len() > 10, "{}", unsent.len());
    assert!(sent.len() > 1, "{}", sent.len());
    assert_eq!(got, sent);
}

#[tokio::test]
async fn heartbeats_of_the_server_are_not_taken_for_requests_that_wait() {
    let (go, gone) = gate();
    let (address, served) = server(move |stream| {
        gone.recv().expect("the word to go");
        // The ids of the server's heartbeats are its own. They may be those of requests.
        for id in 1..=REQUESTS {
            stream.write(FrameType::Heartbeat, id, b"");
        }
        stream.stream.shutdown(std::net::Shutdown::Write).expect("it goes");
        // The socket stays open, so no write of the client fails because of it.
        let _ = gone.recv();
    });
    let (told, got) = channel();
    let (other, _) = server(move |mut stream| {
        while let Some((label, message)) = stream.read() {
            if label.frame_type == FrameType::Request {
                told.send(message.clone()).expect("the test");
                stream.write(FrameType::Reply, label.correlation, &message);
            }
        }
    });
    let mut given = group(address);
    given.endpoints.push(endpoint("TWO", Role::Backup, other));
    given.endpoints[1].max_sockets = 1;
    let group = Group::new(given);
    let calls = send_many(&group, LONG);
    until(|| group.view().endpoints[0].in_use == REQUESTS as usize).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    go.send(()).expect("the server");
    let mut replies = 0;
    for (number, call) in (0..).zip(calls) {
        match call.await.expect("a task") {
            Ok(reply) => {
                replies += 1;
                assert!(reply == request(number), "{number}: {} bytes", reply.len());
            }
            Err(trouble) => assert_eq!(trouble.kind, TroubleKind::Broken),
        }
    }
    assert!(replies > 10, "{replies}");
    assert_eq!(got.try_iter().map(|message| number(&message)).collect::<BTreeSet<_>>().len(), replies);
    drop(go);
    served.join().expect("the server");
}

#[tokio::test]
async fn a_reply_to_a_request_that_was_not_sent_ends_the_connection() {
    let (go, gone) = gate();
    let (address, served) = server(move |stream| {
        gone.recv().expect("the word to go");
        stream.write(FrameType::Reply, REQUESTS, b"nobody asked");
        let _ = gone.recv();
    });
    let group = Group::new(GroupSettings { fail_fast: true, ..group(address) });
    let calls = send_many(&group, LONG);
    until(|| group.view().endpoints[0].in_use == REQUESTS as usize).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    go.send(()).expect("the server");
    for call in calls {
        let kind = call.await.expect("a task").expect_err("no reply").kind;
        assert!(matches!(kind, TroubleKind::BadReply | TroubleKind::NobodyWell), "{kind:?}");
    }
    drop(go);
    served.join().expect("the server");
}

#[tokio::test]
async fn a_server_that_sends_heartbeats_and_reads_nothing_is_left() {
    let (go, gone) = gate();
    let (address, served) = server(move |stream| {
        gone.recv().expect("the word to go");
        for id in 1..200_000 {
            stream.write(FrameType::Heartbeat, id, b"");
        }
        let _ = gone.recv();
    });
    let group = Group::new(GroupSettings { fail_fast: true, ..group(address) });
    let calls = send_many(&group, LONG);
    until(|| group.view().endpoints[0].in_use == REQUESTS as usize).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    go.send(()).expect("the server");
    for call in calls {
        let kind = call.await.expect("a task").expect_err("no reply").kind;
        assert!(matches!(kind, TroubleKind::BadReply | TroubleKind::NobodyWell), "{kind:?}");
    }
    drop(go);
    served.join().expect("the server");
}

#[tokio::test]
async fn after_go_away_heartbeats_are_answered_and_requests_under_way_get_their_replies() {
    let (address, served) = server(|mut stream| {
        let (request, message) = stream.read().expect("a request");
        stream.write(FrameType::GoAway, 0, b"");
        stream.write(FrameType::Heartbeat, 77, b"");
        let (answer, _) = stream.read().expect("an answer");
        assert_eq!((answer.frame_type, answer.correlation), (FrameType::HeartbeatAck, 77));
        // The group asks as well while it waits.
        for _ in 0..3 {
            let (asked, _) = stream.read().expect("a heartbeat");
            assert_eq!(asked.frame_type, FrameType::Heartbeat);
            stream.write(FrameType::HeartbeatAck, asked.correlation, b"");
        }
        stream.write(FrameType::Reply, request.correlation, &message);
    });
    // The server's thread may be late.
    let heartbeat_interval = Some(Duration::from_millis(500));
    let group = Group::new(GroupSettings { heartbeat_interval, ..group(address) });
    let reply = group.send(b"slow".to_vec(), within(LONG)).await;
    assert_eq!(reply.expect("a reply"), b"slow");
    served.join().expect("the server");
}

/// An address whose listener takes no further connection, and says nothing.
fn silent() -> (SocketAddr, Vec<socket2::Socket>) {
    let new = || {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None);
        socket.expect("a socket")
    };
    let listener = new();
    listener.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).expect("a port");
    listener.listen(0).expect("it listens");
    let address = listener.local_addr().expect("an address");
    let mut sockets = vec![listener];
    // The kernel keeps a connection that nobody has accepted, and drops the packets of others.
    for _ in 0..4 {
        let client = new();
        client.set_nonblocking(true).expect("it does not wait");
        let _ = client.connect(&address);
        sockets.push(client);
    }
    (address.as_socket().expect("an address"), sockets)
}

#[tokio::test]
async fn a_server_that_answers_no_connection_is_left_out_however_short_the_calls_are() {
    let (address, _sockets) = silent();
    let backup = crate::server::Server::start("backup");
    let endpoints =
        vec![endpoint("ONE", Role::Primary, address), endpoint("TWO", Role::Backup, backup.address)];
    let mut given = settings(endpoints);
    given.ejection.failures = 3;
    let group = Group::new(given);
    for _ in 0..3 {
        let trouble = group.send(b"a".to_vec(), within(50)).await.expect_err("no reply");
        assert_eq!(trouble.kind, TroubleKind::TimedOutUnsent);
    }
    assert_eq!(group.send(b"a".to_vec(), within(LONG)).await.expect("a reply"), b"backup a");
    let view = group.view();
    assert_eq!((view.endpoints[0].state, view.endpoints[0].timeouts), (connector::State::Ejected, 3));
    assert_eq!(view.endpoints[0].reason.as_deref(), Some("no connection in time"));
    // A caller that leaves early says nothing about the server.
    let group = Group::new({
        let mut given = settings(vec![endpoint("ONE", Role::Primary, address)]);
        given.ejection.failures = 1;
        given.ejection.percent_max = 100;
        given
    });
    let left = tokio::time::timeout(Duration::from_millis(50), group.send(b"a".to_vec(), within(LONG)));
    assert!(left.await.is_err(), "it connects");
    assert_eq!(group.view().endpoints[0].timeouts, 0);
}

#[tokio::test]
async fn a_large_reply_that_comes_slowly_needs_no_answer_to_heartbeats() {
    const PIECES: usize = 20;
    let (address, served) = server(|mut stream| {
        let (request, _) = stream.read().expect("a request");
        let label = Label { frame_type: FrameType::Reply, correlation: request.correlation, goes_on: false };
        let reply = vec![b'y'; 400_000];
        let around = Framing::Gantry.write(&reply, label).expect("a frame");
        (&stream.stream).write_all(around.header()).expect("written");
        // No other frame can come amid this one.
        for piece in reply.chunks(reply.len() / PIECES) {
            thread::sleep(Duration::from_millis(30));
            (&stream.stream).write_all(piece).expect("written");
        }
    });
    let heartbeat_interval = Some(Duration::from_millis(100));
    let group = Group::new(GroupSettings { heartbeat_interval, ..group(address) });
    let reply = group.send(b"large".to_vec(), within(LONG)).await;
    assert_eq!(reply.map(|reply| reply.len()), Ok(400_000));
    served.join().expect("the server");
}
