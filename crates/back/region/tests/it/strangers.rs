//! Who may link to a region, and what becomes of those who do not keep to the protocol; links over TCP with TLS.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use region::link::definition::{Address, Allowed, Identity, LinkLimits, Links, Peer, RemoteProgram};
use region::link::frame::{self, Frames};
use region::link::message::{Answer, Hello, InUnit, Message, Request, Token, VERSION};
use region::{Definitions, Failure, Keeping, QueueModel, Region, Settings};
use store::GlobalId;
use wire::{Container, Interface, QueueAsk, name};

use crate::linked::until;
use crate::region::{request, settings};

pub(crate) fn peer(sysid: &str, address: Option<Address>) -> Peer {
    Peer {
        sysid: name(sysid),
        address,
        certificate_name: None,
        uid: None,
        allowed: Allowed {
            programs: vec![b"ECHO".to_vec()],
            queues: vec![b"REC".to_vec()],
            ..Allowed::default()
        },
        asserts_users: false,
        user: Some("GUEST".into()),
        converts_containers: true,
    }
}

pub(crate) fn limits() -> LinkLimits {
    LinkLimits {
        sessions_max: 2,
        hello_max: Duration::from_millis(300),
        stalled_max: Duration::from_millis(300),
        heartbeat: Duration::from_millis(100),
        frame_max_bytes: 100_000,
        ..LinkLimits::default()
    }
}

pub(crate) fn with_links(folder: &Path, sysid: &str, links: Links) -> Arc<Region> {
    let recoverable = Keeping::Auxiliary { recoverable: true };
    let queue_models = vec![QueueModel { prefix: b"REC".to_vec(), keeping: recoverable, expiry: None }];
    let remote = |name_here: &str, there: &str| RemoteProgram {
        name: name(name_here),
        sysid: name("FAR1"),
        remote_name: name(there),
        transaction: None,
        text: Vec::new(),
    };
    let remote_programs = vec![remote("FARECHO", "ECHO"), remote("FARTAKE", "TAKE")];
    let settings = Settings {
        sysid: name(sysid),
        store: folder.join(format!("{sysid}.store")),
        definitions: Definitions { queue_models, remote_programs, ..Definitions::default() },
        links,
        ..settings()
    };
    let region = Region::start(settings).expect("a region");
    region.open_links().expect("links");
    region
}

/// A region that listens at a socket and knows FRND.
fn listening(folder: &Path) -> Arc<Region> {
    listening_within(folder, limits())
}

pub(crate) fn listening_within(folder: &Path, limits: LinkLimits) -> Arc<Region> {
    let listen = vec![Address::Unix(folder.join("socket"))];
    with_links(folder, "FAR1", Links { listen, peers: vec![peer("FRND", None)], limits, identity: None })
}

pub(crate) fn connect(folder: &Path) -> UnixStream {
    let stream = UnixStream::connect(folder.join("socket")).expect("a region listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a socket");
    stream
}

pub(crate) fn hello(sysid: &str, version: u16) -> Message {
    Message::Hello(Hello { version, sysid: name(sysid), applid: name("APPL"), ccsid: 819 })
}

pub(crate) fn send(stream: &mut UnixStream, message: &Message) {
    let mut bytes = Vec::new();
    frame::put(&mut bytes, message);
    // It may have been cut off.
    let _ = stream.write_all(&bytes);
}

/// The next message; none if the region has cut the connection.
pub(crate) fn next(stream: &mut UnixStream) -> Option<Message> {
    let mut frames = Frames::new(1 << 20);
    loop {
        if let Some(message) = frames.next_message().expect("messages") {
            return Some(message);
        }
        let mut byte = [0; 1];
        match stream.read(&mut byte) {
            Ok(1) => frames.room().extend(byte),
            _ => return None,
        }
    }
}

/// Connects as FRND, which the region knows.
pub(crate) fn friend(folder: &Path) -> UnixStream {
    welcomed(folder).0
}

/// Connects as FRND; gives what sessions are opened with, too.
pub(crate) fn welcomed(folder: &Path) -> (UnixStream, Token) {
    let mut stream = connect(folder);
    send(&mut stream, &hello("FRND", VERSION));
    let Some(Message::Welcome { token, .. }) = next(&mut stream) else { panic!("expected a welcome") };
    (stream, token)
}

/// Opens a session.
pub(crate) fn session(folder: &Path, token: Token) -> UnixStream {
    let mut stream = connect(folder);
    send(&mut stream, &Message::Session { token });
    assert_eq!(next(&mut stream), Some(Message::Pong));
    stream
}

/// The first request of a unit, or a later one.
pub(crate) fn in_unit(unit: &str, is_there: bool) -> InUnit {
    InUnit { id: GlobalId::new(unit.as_bytes()).expect("an id"), is_there }
}

/// The first request of a unit: writes to a queue that units of work lock.
pub(crate) fn write(id: u64, unit: &str) -> Message {
    write_in(id, in_unit(unit, false))
}

pub(crate) fn write_in(id: u64, unit: InUnit) -> Message {
    let ask = QueueAsk::Write { queue: b"RECOVER".to_vec(), item: None, data: b"x".to_vec(), location: None };
    Message::Request { id, request: Request::Queue { unit, ask } }
}

#[test]
fn sessions_are_for_those_who_were_welcomed() {
    let folder = tempfile::tempdir().expect("a folder");
    let _region = listening(folder.path());
    let mut stranger = connect(folder.path());
    send(&mut stranger, &Message::Session { token: [0; 16] });
    assert_eq!(next(&mut stranger), None);
    let (first, token) = welcomed(folder.path());
    let mut rude = session(folder.path(), token);
    send(&mut rude, &Message::Ping);
    assert_eq!(next(&mut rude), None, "a session is for requests");
    // Two at a time, as sessions_max says.
    let mut both = [session(folder.path(), token), session(folder.path(), token)];
    let mut third = connect(folder.path());
    send(&mut third, &Message::Session { token });
    assert_eq!(next(&mut third), None);
    // Without its first connection a region has no sessions.
    drop(first);
    assert_eq!(both.each_mut().map(next), [None, None]);
    let mut late = connect(folder.path());
    send(&mut late, &Message::Session { token });
    assert_eq!(next(&mut late), None);
}

#[test]
fn a_session_that_is_closed_leaves_no_locks() {
    let folder = tempfile::tempdir().expect("a folder");
    let _region = listening(folder.path());
    let (_first, token) = welcomed(folder.path());
    let mut gone = session(folder.path(), token);
    send(&mut gone, &write(1, "gone"));
    // Whether it had begun or not: who does not wait for the answer does not want what was done.
    drop(gone);
    let mut next_one = session(folder.path(), token);
    for (id, is_there) in [(2, false), (3, true)] {
        send(&mut next_one, &write_in(id, in_unit("held", is_there)));
        let told = next(&mut next_one);
        let held = matches!(&told, Some(Message::Answer { answer: Answer::Queue { held: true, .. }, .. }));
        assert!(held, "{told:?}");
    }
}

#[test]
fn a_request_in_a_session_is_called_back_over_the_first_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    let _region = listening(folder.path());
    let (mut first, token) = welcomed(folder.path());
    let mut holder = session(folder.path(), token);
    send(&mut holder, &write(1, "holder"));
    assert!(matches!(next(&mut holder), Some(Message::Answer { .. })));
    let mut waiter = session(folder.path(), token);
    // It waits for the other's lock, or has not begun yet: then it is called back again.
    send(&mut waiter, &write(2, "waiter"));
    waiter.set_read_timeout(Some(Duration::from_millis(10))).expect("a socket");
    let closed = || matches!((&waiter).read(&mut [0; 1]), Ok(0));
    until("it is not called back", || {
        send(&mut first.try_clone().expect("a socket"), &Message::Cancel { id: 2 });
        closed()
    });
    send(&mut first, &Message::Ping);
    assert_eq!(next(&mut first), Some(Message::Pong));
}

#[test]
fn strangers_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let _region = listening(folder.path());
    for stranger in [hello("ELSE", VERSION), hello("FRND", VERSION + 1)] {
        let mut stream = connect(folder.path());
        send(&mut stream, &stranger);
        let told = next(&mut stream);
        assert!(matches!(&told, Some(Message::Refused { reason }) if !reason.contains("FRND")), "{told:?}");
        assert_eq!(next(&mut stream), None);
    }
    // Who says nothing, or something else, is cut off.
    assert_eq!(next(&mut connect(folder.path())), None);
    let mut rude = connect(folder.path());
    send(&mut rude, &Message::Ping);
    assert_eq!(next(&mut rude), None);
    use std::os::unix::fs::PermissionsExt;
    let found = std::fs::metadata(folder.path().join("socket")).expect("the socket");
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_request_that_comes_slowly_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let heartbeat = Duration::from_millis(500);
    let _region = listening_within(folder.path(), LinkLimits { heartbeat, ..limits() });
    let mut slow = friend(folder.path());
    let mut bytes = Vec::new();
    let request = Request::InDoubt { coordinator: "FRND/x".to_owned() };
    frame::put(&mut bytes, &Message::Request { id: 7, request });
    // It takes twice as long as the region waits for a sign of the other side.
    let pause = heartbeat * 8 / bytes.len() as u32;
    for byte in bytes {
        slow.write_all(&[byte]).expect("the region has not cut it off");
        std::thread::sleep(pause);
    }
    let answer = next(&mut slow);
    assert!(matches!(answer, Some(Message::Answer { id: 7, .. })), "{answer:?}");
}

#[test]
fn who_does_not_keep_to_the_protocol_is_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = listening(folder.path());
    let garbage: [&[u8]; 4] = [&[0; 40], &[255; 40], &u32::MAX.to_le_bytes(), b"\x03\0\0\0QQQ"];
    for bytes in garbage {
        let mut stream = friend(folder.path());
        stream.write_all(bytes).expect("a socket");
        assert_eq!(next(&mut stream), None, "{bytes:?}");
    }
    let mut stream = friend(folder.path());
    send(&mut stream, &hello("FRND", VERSION));
    assert_eq!(next(&mut stream), None, "a second hello");
    // A message that never ends: heartbeats alone would do, its first bytes do not.
    let mut slow = friend(folder.path());
    slow.write_all(&[100, 0, 0]).expect("a socket");
    assert_eq!(next(&mut slow), None);
    // The same id twice, while the first still waits.
    let mut twice = friend(folder.path());
    let id = GlobalId::new(b"unit").expect("an id");
    let request = Request::InDoubt { coordinator: "FRND/x".to_owned() };
    for _ in 0..2 {
        send(&mut twice, &Message::Request { id: 7, request: request.clone() });
    }
    drop(twice);
    // Ends of units that nobody began do no harm.
    let mut odd = friend(folder.path());
    send(&mut odd, &Message::Forget { unit: id.clone() });
    send(&mut odd, &Message::Cancel { id: 9 });
    let requests = [
        Request::Prepare { unit: id.clone(), coordinator: "ELSE/x".to_owned() },
        Request::Prepare { unit: id.clone(), coordinator: "FRND/x".to_owned() },
        Request::Decide { unit: id, decision: store::Decision::Commit },
        Request::InDoubt { coordinator: "ELSE/x".to_owned() },
    ];
    for (number, request) in requests.into_iter().enumerate() {
        send(&mut odd, &Message::Request { id: number as u64, request });
        let told = next(&mut odd);
        assert!(matches!(told, Some(Message::Answer { id, .. }) if id == number as u64), "{told:?}");
    }
    assert!(region.in_doubt().is_empty());
}

#[test]
fn only_one_region_listens_at_a_socket() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = listening(folder.path());
    let other = tempfile::tempdir().expect("a folder");
    let links = Links { listen: vec![Address::Unix(folder.path().join("socket"))], ..Links::default() };
    let links = Links { peers: vec![peer("FRND", None)], ..links };
    let settings = Settings { sysid: name("ELSE"), store: other.path().join("store"), links, ..settings() };
    let second = Region::start(settings).expect("a region");
    assert!(second.open_links().is_err_and(|reason| reason.contains("another region listens")));
    drop(first);
    // A socket that was left behind is taken over. A worker that was forked just now may have it for a moment, until it begins.
    until("the socket is not free", || second.open_links().is_ok());
}

/// Runs a program of the other region, as soon as there is a link.
fn run(region: &Region, program: &str, bytes: usize) -> Result<Interface, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    until("there is no link", || region.links().iter().all(|link| link.trouble.is_none()));
    runtime.block_on(region.run(request(program, Interface::Commarea(vec![b' '; bytes]))))
}

#[test]
fn what_a_link_does_not_carry_is_told_and_the_link_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let everything = |peer| Peer { allowed: Allowed::everything(), ..peer };
    let far = Links {
        listen: vec![Address::Unix(folder.path().join("socket"))],
        peers: vec![everything(peer("FRND", None))],
        limits: LinkLimits { frame_max_bytes: 300, ..limits() },
        identity: None,
    };
    let _far = with_links(folder.path(), "FAR1", far);
    let remote = |name_here: &str, there: &str| RemoteProgram {
        name: name(name_here),
        sysid: name("FAR1"),
        remote_name: name(there),
        transaction: None,
        text: Vec::new(),
    };
    let near = Settings {
        sysid: name("FRND"),
        store: folder.path().join("FRND.store"),
        definitions: Definitions {
            remote_programs: vec![remote("FARECHO", "ECHO"), remote("FARDOCS", "DOCS")],
            ..Definitions::default()
        },
        links: Links {
            peers: vec![peer("FAR1", Some(Address::Unix(folder.path().join("socket"))))],
            limits: LinkLimits { frame_max_bytes: 2_000, ..limits() },
            ..Links::default()
        },
        ..settings()
    };
    let near = Region::start(near).expect("a region");
    near.open_links().expect("links");
    until("there is no link", || near.links()[0].trouble.is_none());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let run = |program, commarea| runtime.block_on(near.run(request(program, Interface::Commarea(commarea))));
    // Once over the connection that all share, and then in a session, if there is one by then.
    for _ in 0..3 {
        let refused = run("FARECHO", vec![b' '; 3_000]);
        let Err(Failure::NotBegun(why)) = &refused else { panic!("{refused:?}") };
        assert!(why.contains("LENGERR with RESP2 215"), "{why}");
        // Zeros do not travel, but what the program writes over them does.
        let abend = run("FARDOCS", vec![0; 1_000]);
        let Err(Failure::Abend { code, message, .. }) = &abend else { panic!("{abend:?}") };
        assert_eq!(code, "GLEN");
        assert!(message.ends_with("a link carries at most 300"), "{message}");
        assert!(run("FARECHO", vec![b' '; 29]).is_ok(), "the link is the same");
    }
}

#[test]
fn another_region_may_do_what_is_allowed_and_is_who_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let _far = listening(folder.path());
    let links = Links {
        peers: vec![peer("FAR1", Some(Address::Unix(folder.path().join("socket"))))],
        limits: limits(),
        ..Links::default()
    };
    let near = with_links(folder.path(), "FRND", links);
    // The transaction may not be named; without one it is allowed, and the user is not believed.
    let refused = run(&near, "FARECHO", 29).expect_err("no transaction is allowed");
    assert!(refused.to_string().contains("NOTAUTH with RESP2 101"), "{refused}");
    let refused = run(&near, "FARTAKE", 68).expect_err("only ECHO is allowed");
    assert!(refused.to_string().contains("NOTAUTH"), "{refused}");
    let state = &near.links()[0];
    assert_eq!((state.sysid.as_str(), state.applid.as_deref(), state.sessions), ("FAR1", Some("TESTREG"), 0));
}

/// Certificates for two regions, signed by one authority, and one that nobody signed.
fn certificates(folder: &Path) -> impl Fn(&str) -> Identity {
    let key = rcgen::KeyPair::generate().expect("a key");
    let mut parameters = rcgen::CertificateParams::new(Vec::new()).expect("parameters");
    parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority = parameters.self_signed(&key).expect("a certificate");
    std::fs::write(folder.join("authority.pem"), authority.pem()).expect("a file");
    let issuer = rcgen::Issuer::new(parameters, key);
    for host in ["near.example", "far.example"] {
        let key = rcgen::KeyPair::generate().expect("a key");
        let parameters = rcgen::CertificateParams::new(vec![host.to_owned()]).expect("parameters");
        let certificate = parameters.signed_by(&key, &issuer).expect("a certificate");
        std::fs::write(folder.join(format!("{host}.pem")), certificate.pem()).expect("a file");
        std::fs::write(folder.join(format!("{host}.key")), key.serialize_pem()).expect("a file");
    }
    let folder = folder.to_owned();
    move |host| Identity {
        certificate: folder.join(format!("{host}.pem")),
        key: folder.join(format!("{host}.key")),
        authority: folder.join("authority.pem"),
    }
}

#[test]
fn links_over_tcp_need_the_right_certificates_on_both_sides() {
    let folder = tempfile::tempdir().expect("a folder");
    let identity = certificates(folder.path());
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = Address::Tls(free.local_addr().expect("an address").to_string());
    drop(free);
    let allowed = Allowed::everything();
    let known = Peer { certificate_name: Some("near.example".to_owned()), allowed, ..peer("FRND", None) };
    let far = Links {
        listen: vec![address.clone()],
        peers: vec![known],
        limits: limits(),
        identity: Some(identity("far.example")),
    };
    let _far = with_links(folder.path(), "FAR1", far);
    let near = |host: &str, expected: &str| Links {
        peers: vec![Peer {
            certificate_name: Some(expected.to_owned()),
            ..peer("FAR1", Some(address.clone()))
        }],
        limits: limits(),
        identity: Some(identity(host)),
        ..Links::default()
    };
    let right = with_links(folder.path(), "FRND", near("near.example", "far.example"));
    let answer = run(&right, "FARECHO", 29).expect("an answer");
    assert_eq!(answer, Interface::Commarea(b"ANSWERED000290001TRN1GUEST   ".to_vec()));
    drop(right);
    // It has a certificate of the authority, but not that of FRND; or the other side is not who it should be.
    for (host, expected) in [("far.example", "far.example"), ("near.example", "else.example")] {
        let wrong = with_links(folder.path(), "FRND", near(host, expected));
        until("it has not tried", || wrong.links()[0].trouble.as_deref() != Some("not connected yet"));
        let failure = {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(wrong.run(request("FARECHO", Interface::Commarea(vec![b' '; 29]))))
        };
        assert!(failure.is_err_and(|failure| failure.to_string().contains("SYSIDERR")), "{host} {expected}");
    }
}

#[test]
fn a_channel_goes_to_another_region_without_a_worker_of_this_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let links = |address: Option<Address>, sysid: &str, listen| Links {
        listen,
        peers: vec![Peer { allowed: Allowed::everything(), ..peer(sysid, address) }],
        limits: limits(),
        ..Links::default()
    };
    let socket = Address::Unix(folder.path().join("socket"));
    let _far = with_links(folder.path(), "FAR1", links(None, "FRND", vec![socket.clone()]));
    let near = with_links(folder.path(), "FRND", links(Some(socket), "FAR1", Vec::new()));
    until("there is no link", || near.links()[0].trouble.is_none());
    let text = |text: &str, ccsid| Container { name: name(text), ccsid, bytes: b"ABC".to_vec() };
    let containers = vec![text("TEXT", Some(819)), text("GONE", None), text("SAME", None)];
    let channel = Interface::Channel { name: name("CHANNEL"), containers };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let answer = runtime.block_on(near.run(request("FARTAKE", channel))).expect("an answer");
    let Interface::Channel { containers, .. } = answer else { panic!("{answer:?}") };
    let mut names: Vec<_> = containers.iter().map(|container| container.name).collect();
    names.sort();
    assert_eq!(names, ["BACK", "RAW", "SAME", "TEXT"].map(name::<16>));
}
