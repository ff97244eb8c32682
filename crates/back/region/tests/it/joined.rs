//! Programs that another region links to in its unit of work, and that fail: the caller's half must not be committed alone.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use region::link::definition::{Address, Allowed, Links, Peer};
use region::link::message::{Answer, Link, Message, Request};
use region::{Definitions, DumpSettings, Keeping, QueueModel, Region, Settings};
use wire::{Cargo, Interface, name};

use crate::dumps::{content, dumps};
use crate::linked::{Came, Far, Linked, pair};
use crate::lost_parts::{ask, patience};
use crate::programs::folder as programs;
use crate::region::settings;
use crate::steps::{commarea, resps, step};
use crate::strangers::{friend, in_unit, peer, write, write_in};

/// How long the caller waits for a program that takes longer.
const REMAINING: Duration = Duration::from_millis(50);

/// The settings of a region that lets FRND do everything.
fn far(folder: &Path) -> Settings {
    let links = Links {
        listen: vec![Address::Unix(folder.join("socket"))],
        peers: vec![Peer { allowed: Allowed::everything(), ..peer("FRND", None) }],
        limits: patience(),
        identity: None,
    };
    let keeping = Keeping::Auxiliary { recoverable: true };
    let model = QueueModel { prefix: b"REC".to_vec(), keeping, expiry: None };
    Settings {
        sysid: name("FAR1"),
        store: folder.join("FAR1.store"),
        definitions: Definitions { queue_models: vec![model], ..Definitions::default() },
        links,
        ..settings()
    }
}

fn started(settings: Settings) -> Arc<Region> {
    let region = Region::start(settings).expect("a region");
    region.open_links().expect("links");
    region
}

/// A later request of the unit: runs a program that may take so long.
fn link(unit: &str, program: &str, (commarea, most): (Vec<u8>, Duration)) -> Request {
    Request::Link(Box::new(Link {
        unit: Some(in_unit(unit, true)),
        program: name(program),
        transaction: None,
        user: None,
        remaining_ms: most.as_millis() as u32,
        cargo: Cargo::of(Interface::Commarea(commarea)),
    }))
}

fn request(message: Message) -> Request {
    match message {
        Message::Request { request, .. } => request,
        other => panic!("{other:?}"),
    }
}

/// Begins a unit, whose first request writes to RECOVER.
fn begin(stream: &mut std::os::unix::net::UnixStream, unit: &str) {
    let written = ask(stream, (1, request(write(1, unit))));
    assert!(matches!(written, Answer::Queue { held: true, .. }), "{written:?}");
}

#[test]
fn an_abend_with_a_code_of_the_regions_own_backs_both_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan_a, plan_b) = pair(folder.path());
    let (a, b) = (Linked::start(&plan_a), Linked::start(&plan_b));
    a.wait_for_link("REGB");
    // What a region tells a caller that is in no unit of work with it as ROLLEDBACK, which a program may take lightly.
    for (what, code) in [("ASP3", "ASP3"), ("ASP7", "ASP7"), ("APCT", "APCT")] {
        let came = a.far(&Far { what, ..Far::new("JOIN", "REGB", what) });
        let Came::Failed(message) = &came else { panic!("{what}: {came:?}") };
        assert!(message.starts_with(&format!("abend {code} ")), "{message}");
        assert_eq!((a.items("RECOUT"), b.items("RECIN")), (vec![], vec![]), "{what}");
    }
    // Without a unit of work there, it is that.
    let back = a.far_back(&Far { what: "ASP3", ..Far::new("SYNC", "REGB", "alone") });
    assert_eq!((back.resp, back.resp2), (82, 29));
    assert_eq!((a.items("RECOUT"), b.items("RECIN")), (vec!["alone".to_owned()], vec![]));
}

#[tokio::test]
async fn a_program_that_has_gone_since_the_region_began_ends_the_unit() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = tempfile::tempdir().expect("a folder");
    open(own.path());
    for program in ["STATE.so", "TAKE.so"] {
        std::fs::copy(programs().join(program), own.path().join(program)).expect("a program");
    }
    let region = started(Settings { programs: own.path().to_owned(), ..far(folder.path()) });
    std::fs::remove_file(own.path().join("TAKE.so")).expect("it was there");
    let take = |program| link("unit", program, (vec![b' '; 68], patience().hello_max));
    let mut stream = friend(folder.path());
    begin(&mut stream, "unit");
    // One that was never there is the caller's affair, and the unit goes on.
    let never = Answer::Condition { resp: 27, resp2: 1, held: true };
    assert_eq!(ask(&mut stream, (2, take("NEVER"))), never);
    let gone = ask(&mut stream, (3, take("TAKE")));
    assert!(matches!(&gone, Answer::Abend { code, .. } if code == b"APCT"), "{gone:?}");
    assert_eq!(ask(&mut stream, (4, request(write_in(4, in_unit("unit", true))))), Answer::UnitUnknown);
    assert_eq!(resps(&region, &[step("RQI", "RECOVER").number(1)]).await, [44]);
}

/// Workers are another user.
fn open(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("a mode");
}

#[tokio::test]
async fn a_callers_time_that_is_up_ends_a_task_that_waits_for_a_lock() {
    let folder = tempfile::tempdir().expect("a folder");
    let dumps_of = DumpSettings { folder: Some(folder.path().join("dumps")), ..DumpSettings::default() };
    let region = started(Settings { dumps: dumps_of, ..far(folder.path()) });
    let (mut holder, mut waiter) = (friend(folder.path()), friend(folder.path()));
    begin(&mut holder, "holder");
    // It has something of its own, and then asks for what the holder has.
    let steps = [step("WQ", "RECOWN").text("own"), step("WQ", "RECOVER").text("late")];
    let Request::Link(mut first) = link("waiter", "STATE", (commarea(&steps), REMAINING)) else {
        panic!("a link")
    };
    first.unit = Some(in_unit("waiter", false));
    let late = ask(&mut waiter, (1, Request::Link(first)));
    assert!(matches!(&late, Answer::Abend { code, .. } if code == b"ATNI"), "{late:?}");
    // Operators see what it was about.
    let dump = dumps(&region, 1).await.remove(0);
    assert_eq!((dump.program.as_str(), dump.code.as_str()), ("STATE", "AKC3"));
    let told = content(&region, &dump);
    let last = told["commands"].as_array().and_then(|commands| commands.last()).expect("a command");
    assert_eq!((&last["command"], &last["name"]), (&"WRITEQ".into(), &"RECOVER".into()));
    assert_eq!(last["resp"], "running");
    // Nothing of its unit is left, nor its place among those who wait for the lock.
    assert_eq!(ask(&mut waiter, (2, request(write_in(2, in_unit("waiter", true))))), Answer::UnitUnknown);
    assert_eq!(resps(&region, &[step("RQI", "RECOWN").number(1)]).await, [44]);
    let more = ask(&mut holder, (2, request(write_in(2, in_unit("holder", true)))));
    assert!(matches!(more, Answer::Queue { held: true, .. }), "{more:?}");
    let unit = in_unit("holder", true).id;
    let prepare = Request::Prepare { unit: unit.clone(), coordinator: "FRND/x".to_owned() };
    assert_eq!(ask(&mut holder, (3, prepare)), Answer::Vote { prepared: true });
    let decide = Request::Decide { unit, decision: store::Decision::Commit };
    assert_eq!(ask(&mut holder, (4, decide)), Answer::Decided { contradicts: false });
    let items = [1, 2, 3].map(|item| step("RQI", "RECOVER").number(item));
    assert_eq!(resps(&region, &[items[0].clone(), items[1].clone()]).await, [0, 0]);
    assert_eq!(resps(&region, &[items[2].clone(), step("WQ", "RECOVER").text("free")]).await, [26, 0]);
}
