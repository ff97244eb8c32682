//! Programs that the user of a task may not run.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use region::link::definition::{Address, Links, Peer, RemoteProgram};
use region::{
    Definitions, Failure, Region, Request, Rights, Rule, Settings, TaskCaller, Transaction, user_id,
};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use wire::{Interface, name};

use crate::linked::until;
use crate::region::{request, settings, text};
use crate::strangers::{limits, peer};

fn rights(how: &str, program: &str) -> Request {
    let commarea = format!("{how:8}{program:8}000000{:20}", "");
    let refused_programs = vec![name("ECHO"), name("NOSUCH")];
    Request { refused_programs, ..request("RIGHTS", Interface::Commarea(commarea.into_bytes())) }
}

#[tokio::test]
async fn link_and_its_like_to_a_refused_program_are_not_authorized() {
    let region = Region::start(settings()).expect("a region");
    for how in ["LINK", "XCTL", "HANDLE", "INQUIRE"] {
        // Whether the program is there makes no difference.
        for program in ["ECHO", "NOSUCH"] {
            let answer = text(region.run(rights(how, program)).await.expect("an answer"));
            assert_eq!(&answer[16..22], "070101", "{how} {program}");
        }
    }
    let unhandled = region.run(rights("ABEND", "ECHO")).await;
    let Err(Failure::Abend { code, message, .. }) = unhandled else { panic!("{unhandled:?}") };
    assert_eq!(code, "AEY7");
    assert!(message.contains("raised NOTAUTH with RESP2 101"), "{message}");
    // Other programs are free, and so are these in another task of the same worker.
    let free = text(region.run(rights("HANDLE", "ENDING")).await.expect("an answer"));
    assert_eq!(&free[16..22], "000000");
    let other = Request { refused_programs: Vec::new(), ..rights("HANDLE", "ECHO") };
    assert_eq!(&text(region.run(other).await.expect("an answer"))[16..22], "000000");
}

/// A region in which ECHO is for one user alone, and what it believes of FRND.
fn guarded(socket: &Address, user: &str) -> Arc<Region> {
    let rule = Rule { name: name("ECHO"), groups: Vec::new(), users: vec![user.into()] };
    let mut friend = Peer { asserts_users: true, user: None, ..peer("FRND", None) };
    friend.allowed.transactions = vec![Vec::new()];
    let links = Links { listen: vec![socket.clone()], peers: vec![friend], limits: limits(), identity: None };
    let rights = Rights { programs: vec![rule], ..Rights::default() };
    let region =
        Region::start(Settings { sysid: name("FAR1"), rights, links, ..settings() }).expect("a region");
    region.open_links().expect("links");
    region
}

#[tokio::test]
async fn rules_of_another_region_see_whole_names() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let socket = Address::Unix(folder.path().join("socket"));
    let _far = guarded(&socket, "customer");
    let remote = RemoteProgram {
        name: name("FARECHO"),
        sysid: name("FAR1"),
        remote_name: name("ECHO"),
        transaction: None,
        text: Vec::new(),
    };
    let links = Links {
        listen: Vec::new(),
        peers: vec![peer("FAR1", Some(socket))],
        limits: limits(),
        identity: None,
    };
    let definitions = Definitions { remote_programs: vec![remote], ..Definitions::default() };
    let near =
        Region::start(Settings { sysid: name("FRND"), definitions, links, ..settings() }).expect("a region");
    near.open_links().expect("links");
    until("a link", || near.links().iter().any(|link| link.applid.is_some()));
    let call = |user: &str| Request {
        user: Some(user_id(user)),
        caller: Some(Arc::new(TaskCaller::named(user))),
        ..request("FARECHO", Interface::Commarea(vec![b'A'; 20]))
    };
    assert_eq!(user_id("customer"), user_id("customer1"), "programs cannot tell them apart");
    let own = near.run(call("customer")).await;
    assert!(own.is_ok(), "{own:?}");
    for other in ["customer1", "customer ", "CUSTOMER", "custome"] {
        let refused = near.run(call(other)).await.expect_err("the rule does not name it");
        assert!(refused.to_string().contains("NOTAUTH"), "{other}: {refused}");
    }
}

/// What QUERY SECURITY says: RESP, RESP2, and the values of READ, UPDATE, CONTROL and ALTER.
async fn asked(region: &Arc<Region>, request: &Request, (how, kind, resource): (&str, &str, &str)) -> String {
    asked_with(region, request, (how, kind, resource), 0).await
}

async fn asked_with(
    region: &Arc<Region>,
    request: &Request,
    (how, kind, resource): (&str, &str, &str),
    number: u32,
) -> String {
    let commarea = format!("{how:8}{kind:12}{resource:16}{number:03}{:18}", "").into_bytes();
    let request = Request { interface: Interface::Commarea(commarea), ..request.clone() };
    text(region.run(request).await.expect("an answer"))[39..].to_owned()
}

/// The lines of the log about QUERY SECURITY.
static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Collects `LOGGED`, of all tests in the process.
struct Log;

impl Subscriber for Log {
    fn enabled(&self, of: &Metadata<'_>) -> bool {
        of.is_event() && of.target() == "region::resources::system"
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Message);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Message;

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            LOGGED.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{value:?}"));
        }
    }
}

/// How often the log says since the last question that a user may not use a resource.
fn logged(user: &str) -> usize {
    let mut lines = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    let before = lines.len();
    lines.retain(|line| {
        !(line.starts_with("QUERY SECURITY") && line.contains(&format!(": {user} may not use")))
    });
    before - lines.len()
}

const ALL: &str = "000000035037056052";
const READ: &str = "000000035038057053";
const NOTHING: &str = "000000036038057053";

#[tokio::test]
async fn programs_can_ask_which_access_their_user_has() {
    tracing::subscriber::set_global_default(Log).expect("no other log");
    let rule = Rule { name: name("ECHO"), groups: vec!["clerks".into()], users: Vec::new() };
    let own = Rule { name: name("PAYR"), groups: Vec::new(), users: vec!["maude".into()] };
    let rights = Rights { programs: vec![rule], transactions: vec![own] };
    let transaction = |program: &str| Transaction { program: name(program), enabled: true, tasks_max: None };
    let transactions = [("PAYR", "ENDING"), ("ECHO", "ECHO"), ("FREE", "ENDING")];
    let transactions = transactions.map(|(id, program)| (name(id), transaction(program)));
    let region = Region::start(Settings { rights, transactions: transactions.into(), ..settings() });
    let region = region.expect("a region");
    let clerk = TaskCaller { groups: Box::new(["clerks".into()]), ..TaskCaller::named("maude") };
    let access = request("ACCESS", Interface::Commarea(Vec::new()));
    let clerk = Request { caller: Some(Arc::new(clerk)), ..access.clone() };
    let stranger = Request {
        caller: Some(Arc::new(TaskCaller::named("joe"))),
        refused_programs: vec![name("ECHO")],
        user: Some(user_id("joe")),
        ..access
    };
    for (kind, resource, of_clerk, of_stranger) in [
        ("PROGRAM", "ECHO", READ, NOTHING),
        ("PROGRAM", "ENDING", ALL, ALL),
        ("PROGRAM", "NOSUCH", "013001000000000000", "013001000000000000"),
        ("TRANSACTION", "PAYR", READ, NOTHING),
        ("TRANSATTACH", "ECHO", READ, NOTHING),
        ("TRANSACTION", "FREE", ALL, ALL),
        ("TRANSACTION", "NONE", "013001000000000000", "013001000000000000"),
        ("FILE", "NOSUCH", "013001000000000000", "013001000000000000"),
        ("TDQUEUE", "NONE", "013001000000000000", "013001000000000000"),
        ("TSQUEUE", "ANYTHING", ALL, ALL),
        ("TSQNAME", "ANYTHING.AT.ALL", ALL, ALL),
        ("SPCOMMAND", "FILE", ALL, ALL),
        ("SPCOMMAND", "CONNECTION", "013003000000000000", "013003000000000000"),
        ("PSB", "MINE", "013001000000000000", "013001000000000000"),
        ("NONSENSE", "MINE", "013002000000000000", "013002000000000000"),
        ("PROGRAM", "", "016009000000000000", "016009000000000000"),
        // A name is as long as names of its type are. The data behind it do not count.
        ("PROGRAM", "ECHO    DATA", READ, NOTHING),
        ("PROGRAM", "        DATA", "016009000000000000", "016009000000000000"),
        ("TRANSACTION", "PAYRDATA", READ, NOTHING),
        ("TRANSATTACH", "ECHODATA", READ, NOTHING),
        ("FILE", "NOSUCH  DATA", "013001000000000000", "013001000000000000"),
        ("TDQUEUE", "NONEDATA", "013001000000000000", "013001000000000000"),
        ("TSQUEUE", "ANYTHINGDATA", ALL, ALL),
        ("SPCOMMAND", "FILE        DATA", ALL, ALL),
    ] {
        let both = [
            asked(&region, &clerk, ("TYPE", kind, resource)).await,
            asked(&region, &stranger, ("TYPE", kind, resource)).await,
        ];
        assert_eq!(both, [of_clerk, of_stranger], "{kind} {resource}");
    }
    // LOG is 54, NOLOG is 55.
    let log = |number| asked_with(&region, &stranger, ("LOG", "PROGRAM", "ECHO"), number);
    let seen = logged("JOE");
    assert!(seen > 0, "LOG is the default");
    for (number, lines) in [(54, 1), (55, 0)] {
        assert_eq!(log(number).await, "000000036000000000");
        assert_eq!(logged("JOE"), lines, "{number}");
    }
    assert_eq!(log(56).await, "016007000000000000");
    let class = |number| asked_with(&region, &clerk, ("CLASS", "", "MINE"), number);
    assert_eq!(
        [class(4).await, class(0).await, class(247).await],
        ["013005000000000000", "022006000000000000", "022006000000000000"]
    );
    let of_user = |user| asked(&region, &clerk, (user, "PROGRAM", "ECHO"));
    assert_eq!([of_user("MAUDE").await, of_user("JOE").await], ["000000035000000000", "070101000000000000"]);
}
