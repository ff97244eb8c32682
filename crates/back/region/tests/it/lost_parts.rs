//! Units of work that have lost their part in one region, or that end over another connection than they came
//! by.

use std::io::Write;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use region::link::definition::{Address, Allowed, LinkLimits, Links, Peer};
use region::link::message::{Answer, Link, Message, Request, Start, VERSION};
use region::{Definitions, Failure, Keeping, QueueModel, Region, Settings};
use wire::{self, StartAsk, name};

use crate::linked::{ANSWER_MAX, until};
use crate::region::settings;
use crate::starts::{note, with_transactions};
use crate::steps::{commarea, resps, run as run_steps, step};
use crate::strangers::{
    connect, friend, hello, in_unit, limits, listening_within, next, peer, send, session, welcomed, write,
    write_in,
};
use crate::triggers::{until_ended, with_triggers, write as record};

/// How many decisions are cut off: each at another moment, most of them while the store commits.
const CUTS: usize = 8;

/// A region that listens at a socket, and waits long for who is silent.
fn patient(folder: &Path) -> Arc<Region> {
    listening_within(folder, patience())
}

/// Time enough on any machine.
pub(crate) fn patience() -> LinkLimits {
    let long = Duration::from_secs(30);
    LinkLimits { heartbeat: long, hello_max: long, stalled_max: long, ..limits() }
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
pub(crate) fn ask(stream: &mut UnixStream, (id, request): (u64, Request)) -> Answer {
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
    region.recall();
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

/// A region with trigger levels that lets FRND do everything.
fn open_to_all(folder: &tempfile::TempDir) -> Arc<Region> {
    let links = Links {
        listen: vec![Address::Unix(folder.path().join("socket"))],
        peers: vec![Peer { allowed: Allowed::everything(), ..peer("FRND", None) }],
        limits: patience(),
        identity: None,
    };
    let region = Region::start(Settings { links, ..with_triggers(folder) }).expect("a region");
    region.open_links().expect("links");
    region.recall();
    region
}

/// Asks until no unit waits for its decision, and tells it to those that do: what was decided may not have been heard.
fn settle(folder: &Path) {
    let mut again = friend(folder);
    loop {
        let in_doubt = Request::InDoubt { coordinator: "FRND/x".to_owned() };
        let Answer::InDoubt { units } = ask(&mut again, (1, in_doubt)) else { panic!("a list") };
        if units.is_empty() {
            return;
        }
        for unit in units {
            let decide = Request::Decide { unit, decision: store::Decision::Commit };
            // Or it is being committed just now, and has to be asked for again.
            let told = ask(&mut again, (2, decide));
            assert!(
                matches!(told, Answer::Decided { contradicts: false } | Answer::Abend { .. }),
                "{told:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_decision_goes_on_to_its_end_though_its_connection_is_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = open_to_all(&folder);
    for cut in 0..CUTS {
        let unit = format!("cut {cut}");
        let mut first = friend(folder.path());
        let link = Link {
            unit: Some(in_unit(&unit, false)),
            program: name("STATE"),
            transaction: None,
            user: None,
            remaining_ms: ANSWER_MAX.as_millis() as u32,
            cargo: wire::Cargo::of(wire::Interface::Commarea(commarea(&[record("EACH", &cut.to_string())]))),
        };
        let linked = ask(&mut first, (1, Request::Link(Box::new(link))));
        assert!(matches!(linked, Answer::Linked { held: true, .. }), "{linked:?}");
        let unit = in_unit(&unit, true).id;
        let prepare = Request::Prepare { unit: unit.clone(), coordinator: "FRND/x".to_owned() };
        assert_eq!(ask(&mut first, (2, prepare)), Answer::Vote { prepared: true });
        let decide = Request::Decide { unit, decision: store::Decision::Commit };
        send(&mut first, &Message::Request { id: 3, request: decide });
        // The answer to this comes before that to the decision, which waits for the disk.
        send(&mut first, &Message::Ping);
        assert!(next(&mut first).is_some());
        drop(first);
        settle(folder.path());
        let began = tokio::time::timeout(ANSWER_MAX, note(&region)).await.expect("no task was started");
        assert_eq!(began.trim_end(), format!("TRG1QDNOBODY  EACH{cut:<8}001"));
        until_ended(&region).await;
    }
}
