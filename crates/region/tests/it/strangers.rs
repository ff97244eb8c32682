//! Who may link to a region, and what becomes of those who do not keep to the protocol; links over TCP with TLS.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use region::link::definition::{Address, Allowed, Identity, LinkLimits, Links, Peer, RemoteProgram};
use region::link::frame::{self, Frames};
use region::link::message::{Answer, Hello, InUnit, Link, Message, Request, Start, Token, VERSION};
use region::wire::{self, Container, Interface, QueueAsk, StartAsk, name};
use region::{Definitions, Failure, Keeping, QueueModel, Region, Settings};
use store::GlobalId;

use crate::linked::{ANSWER_MAX, until};
use crate::region::{request, settings};
use crate::starts::{note, with_transactions};
use crate::steps::{resps, run as run_steps, step};

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
        user: Some(name("GUEST")),
        converts_containers: true,
    }
}

fn limits() -> LinkLimits {
    LinkLimits {
        sessions_max: 2,
        hello_max: Duration::from_millis(300),
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

/// A region that listens at a socket, and waits long for who is silent.
fn patient(folder: &Path) -> Arc<Region> {
    listening_within(folder, patience())
}

/// Time enough on any machine.
fn patience() -> LinkLimits {
    let long = Duration::from_secs(30);
    LinkLimits { heartbeat: long, hello_max: long, ..limits() }
}

fn listening_within(folder: &Path, limits: LinkLimits) -> Arc<Region> {
    let listen = vec![Address::Unix(folder.join("socket"))];
    with_links(folder, "FAR1", Links { listen, peers: vec![peer("FRND", None)], limits, identity: None })
}

fn connect(folder: &Path) -> UnixStream {
    let stream = UnixStream::connect(folder.join("socket")).expect("a region listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a socket");
    stream
}

fn hello(sysid: &str, version: u16) -> Message {
    Message::Hello(Hello { version, sysid: name(sysid), applid: name("APPL"), ccsid: 819 })
}

fn send(stream: &mut UnixStream, message: &Message) {
    let mut bytes = Vec::new();
    frame::put(&mut bytes, message);
    // It may have been cut off.
    let _ = stream.write_all(&bytes);
}

/// The next message; none if the region has cut the connection.
fn next(stream: &mut UnixStream) -> Option<Message> {
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
fn friend(folder: &Path) -> UnixStream {
    welcomed(folder).0
}

/// Connects as FRND; gives what sessions are opened with, too.
fn welcomed(folder: &Path) -> (UnixStream, Token) {
    let mut stream = connect(folder);
    send(&mut stream, &hello("FRND", VERSION));
    let Some(Message::Welcome { token, .. }) = next(&mut stream) else { panic!("expected a welcome") };
    (stream, token)
}

/// Opens a session.
fn session(folder: &Path, token: Token) -> UnixStream {
    let mut stream = connect(folder);
    send(&mut stream, &Message::Session { token });
    assert_eq!(next(&mut stream), Some(Message::Pong));
    stream
}

/// The first request of a unit, or a later one.
fn in_unit(unit: &str, is_there: bool) -> InUnit {
    InUnit { id: GlobalId::new(unit.as_bytes()).expect("an id"), is_there }
}

/// The first request of a unit: writes to a queue that units of work lock.
fn write(id: u64, unit: &str) -> Message {
    write_in(id, in_unit(unit, false))
}

fn write_in(id: u64, unit: InUnit) -> Message {
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
fn a_session_that_ends_within_a_request_leaves_the_unit_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let _region = patient(folder.path());
    let (_first, token) = welcomed(folder.path());
    let mut cut = session(folder.path(), token);
    let _other = session(folder.path(), token);
    send(&mut cut, &write(1, "goes on"));
    assert_eq!(next(&mut cut).and_then(item), Some(1));
    // Some other task could not write its request as a whole.
    cut.write_all(&[100, 0, 0, 0, b'Q']).expect("a socket");
    drop(cut);
    // There are two places: the next session opens when the end of this one is carried out.
    let begun = Instant::now();
    let mut last = loop {
        assert!(begun.elapsed() < ANSWER_MAX, "its place is not free");
        let mut last = connect(folder.path());
        send(&mut last, &Message::Session { token });
        if next(&mut last) == Some(Message::Pong) {
            break last;
        }
    };
    send(&mut last, &write_in(2, in_unit("goes on", true)));
    assert_eq!(next(&mut last).and_then(item), Some(2), "the first item is there no more");
}

/// The item that was written.
fn item(message: Message) -> Option<u32> {
    match message {
        Message::Answer { answer: Answer::Queue { answer, .. }, .. } => Some(answer.item),
        _ => None,
    }
}

/// Gives a request and waits for what comes of it.
fn ask(stream: &mut UnixStream, (id, request): (u64, Request)) -> Answer {
    send(stream, &Message::Request { id, request });
    match next(stream) {
        Some(Message::Answer { id: answered, answer }) if answered == id => answer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_more_is_done_for_a_unit_that_was_backed_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let _region = patient(folder.path());
    let (mut first, token) = welcomed(folder.path());
    let mut lost = session(folder.path(), token);
    send(&mut lost, &write(1, "goes on"));
    assert_eq!(next(&mut lost).and_then(item), Some(1));
    // Another task could not write the first byte of its request: it looks as if nobody had waited for the answer.
    drop(lost);
    let later = || in_unit("goes on", true);
    let Message::Request { request: again, .. } = write_in(2, later()) else { panic!("a request") };
    let begun = Instant::now();
    while ask(&mut first, (2, again.clone())) != Answer::UnitUnknown {
        assert!(begun.elapsed() < ANSWER_MAX, "the unit is not backed out");
        std::thread::sleep(Duration::from_millis(5));
    }
    // Nor is anything else, whatever it is.
    let link = Link {
        unit: Some(later()),
        program: name("ECHO"),
        transaction: None,
        user: None,
        remaining_ms: 1_000,
        cargo: wire::Cargo::None,
    };
    let start = wire::Start { transaction: name("STD1"), protect: true, ..wire::Start::default() };
    let start = Start { unit: Some(later()), user: None, ask: StartAsk::Start(start) };
    let prepare = Request::Prepare { unit: later().id, coordinator: "FRND/x".to_owned() };
    let denied = Answer::Condition { resp: 70, resp2: 101, held: false };
    for (request, expected) in [
        (Request::Link(Box::new(link)), Answer::UnitUnknown),
        // The right comes first.
        (Request::Start(Box::new(start)), denied),
        (prepare, Answer::UnitUnknown),
    ] {
        assert_eq!(ask(&mut first, (3, request.clone())), expected, "{request:?}");
    }
    // Its lock is free for others.
    let Message::Request { request, .. } = write(4, "another") else { panic!("a request") };
    assert!(matches!(ask(&mut first, (4, request)), Answer::Queue { held: true, .. }));
}

/// A region that welcomes FRND, holds what it is given first, and then knows nothing of it; says whether each request was a
/// later one, and false at the end of the unit.
fn forgetful(at: &Path) -> std::sync::mpsc::Receiver<bool> {
    let listener = UnixListener::bind(at).expect("a socket");
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        // Sessions are not to be had here.
        let (mut stream, _) = listener.accept().expect("a connection");
        drop(listener);
        assert!(matches!(next(&mut stream), Some(Message::Hello(_))));
        let Message::Hello(hello) = hello("FAR1", VERSION) else { panic!("a hello") };
        send(&mut stream, &Message::Welcome { hello, token: [0; 16] });
        while let Some(message) = next(&mut stream) {
            let (id, answer) = match message {
                Message::Request { id, request: Request::Queue { unit, .. } } => {
                    tell.send(unit.is_there).expect("the test waits");
                    let answer = wire::QueueAnswer { items: 1, item: 1, data: Vec::new() };
                    let held = Answer::Queue { answer, held: true };
                    (id, if unit.is_there { Answer::UnitUnknown } else { held })
                }
                Message::Request { id, request: Request::InDoubt { .. } } => {
                    (id, Answer::InDoubt { units: Vec::new() })
                }
                Message::Forget { .. } => {
                    tell.send(false).expect("the test waits");
                    continue;
                }
                Message::Ping => {
                    send(&mut stream, &Message::Pong);
                    continue;
                }
                other => panic!("{other:?}"),
            };
            send(&mut stream, &Message::Answer { id, answer });
        }
    });
    told
}

#[tokio::test]
async fn a_unit_whose_part_elsewhere_is_gone_can_only_be_backed_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path().join("socket");
    let told = forgetful(&at);
    let links = Links {
        peers: vec![peer("FAR1", Some(Address::Unix(at)))],
        limits: LinkLimits { heartbeat: Duration::from_secs(5), ..LinkLimits::default() },
        ..Links::default()
    };
    let keeping = Keeping::Remote(name("FAR1"));
    let far = QueueModel { prefix: b"FAR".to_vec(), keeping, expiry: None };
    let own = Keeping::Auxiliary { recoverable: true };
    let own = QueueModel { prefix: b"REC".to_vec(), keeping: own, expiry: None };
    let settings = Settings {
        sysid: name("FRND"),
        store: folder.path().join("FRND.store"),
        definitions: Definitions { queue_models: vec![far, own], ..Definitions::default() },
        links,
        ..settings()
    };
    let near = Region::start(settings).expect("a region");
    near.open_links().expect("links");
    until("there is no link", || near.links()[0].trouble.is_none());
    let write = |queue: &str| step("WQ", queue).text("item");
    let ended = run_steps(&near, &[write("RECHERE"), write("FARQ"), write("FARQ")]).await;
    assert!(matches!(&ended, Err(Failure::Abend { code, .. }) if code == "ASP3"), "{ended:?}");
    let said: Vec<bool> = (0..3).map(|_| told.recv_timeout(ANSWER_MAX).expect("a message")).collect();
    assert_eq!(said, [false, true, false]);
    // Here it is backed out, too.
    assert_eq!(resps(&near, &[step("RQI", "RECHERE").number(1)]).await, [44]);
}

#[tokio::test]
async fn what_is_decided_over_a_second_connection_begins_when_the_first_one_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let everything = Peer { allowed: Allowed::everything(), ..peer("FRND", None) };
    let links = Links {
        listen: vec![Address::Unix(folder.path().join("socket"))],
        peers: vec![everything],
        limits: patience(),
        identity: None,
    };
    let store = folder.path().join("FAR1.store");
    let settings = Settings { sysid: name("FAR1"), store, links, ..with_transactions() };
    let region = Region::start(settings).expect("a region");
    region.open_links().expect("links");
    let mut first = friend(folder.path());
    let (first_of, unit) = (in_unit("unit", false), in_unit("unit", true).id);
    let start = wire::Start { transaction: name("STD1"), protect: true, ..wire::Start::default() };
    let start = Start { unit: Some(first_of), user: None, ask: StartAsk::Start(start) };
    let started = ask(&mut first, (1, Request::Start(Box::new(start))));
    assert!(matches!(started, Answer::Start { held: true, .. }), "{started:?}");
    let prepare = Request::Prepare { unit: unit.clone(), coordinator: "FRND/x".to_owned() };
    assert_eq!(ask(&mut first, (2, prepare)), Answer::Vote { prepared: true });
    // FRND has lost the first connection, of which nobody has heard here.
    let mut second = friend(folder.path());
    let decide = Request::Decide { unit, decision: store::Decision::Commit };
    assert_eq!(ask(&mut second, (1, decide)), Answer::Decided { contradicts: false });
    drop(first);
    let begun = tokio::time::timeout(Duration::from_secs(30), note(&region)).await;
    assert_eq!(&begun.expect("it does not begin")[..5], "STD1S");
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
    // A socket that was left behind is taken over.
    second.open_links().expect("links");
}

/// Runs a program of the other region, as soon as there is a link.
fn run(region: &Region, program: &str, bytes: usize) -> Result<Interface, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    until("there is no link", || region.links().iter().all(|link| link.trouble.is_none()));
    runtime.block_on(region.run(request(program, Interface::Commarea(vec![b' '; bytes]))))
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
