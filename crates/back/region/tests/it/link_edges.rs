//! Links where they end: a link to itself, an answer that nobody hears, and text that the other side cannot have.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use region::link::definition::{Address, Allowed, Links, Peer, RemoteProgram, RemoteTransaction};
use region::link::message::{Answer, Message};
use region::{Definitions, Failure, Region, Settings, Transaction};
use wire::{Interface, name};

use crate::between::{Fate, stand_between};
use crate::linked::until;
use crate::region::{request, settings};
use crate::strangers::{peer, with_links};

pub(crate) fn socket(folder: &Path, sysid: &str) -> Address {
    Address::Unix(folder.join(sysid))
}

pub(crate) fn linked(region: &Region) {
    until("there is no link", || region.links().iter().all(|link| link.trouble.is_none()));
}

pub(crate) async fn run(region: &Region, program: &str, commarea: String) -> Vec<u8> {
    let answer = region.run(request(program, Interface::Commarea(commarea.into_bytes()))).await;
    match answer.expect("an answer") {
        Interface::Commarea(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

/// True if the queue RECIN has a first item.
pub(crate) async fn has_item(region: &Region) -> bool {
    let commarea = format!("001RQI     {:16}{:16}{:09}{:05}{:40}000000", "RECIN", "", 1, 20, "");
    &run(region, "STATE", commarea).await[97..100] == b"000"
}

#[test]
fn a_region_has_no_link_to_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let itself = Links {
        listen: vec![socket(folder.path(), "SELF")],
        peers: vec![peer("SELF", Some(socket(folder.path(), "SELF")))],
        ..Links::default()
    };
    let store = folder.path().join("store");
    let settings = Settings { sysid: name("SELF"), store, links: itself, ..settings() };
    let region = Region::start(settings).expect("a region");
    let refused = region.open_links().expect_err("a link to itself");
    assert!(refused.contains("SELF is this region"), "{refused}");
    // Nor under another name: it is not the one that it should be.
    let masked = Links {
        listen: vec![socket(folder.path(), "MASK")],
        peers: vec![peer("NAME", Some(socket(folder.path(), "MASK")))],
        ..Links::default()
    };
    let region = with_links(folder.path(), "MASK", masked);
    let refused = Some("refused: this region does not know you".to_owned());
    until("it is not refused", || region.links()[0].trouble == refused);
}

#[test]
fn whether_a_program_was_run_is_not_known_if_its_answer_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path().join("between");
    stand_between(&at, &folder.path().join("FAR1"), |message| {
        match matches!(message, Message::Answer { answer: Answer::Linked { .. }, .. }) {
            true => Fate::Lost,
            false => Fate::Passes,
        }
    });
    let everything = |peer| Peer { allowed: Allowed::everything(), ..peer };
    let far = Links {
        listen: vec![socket(folder.path(), "FAR1")],
        peers: vec![everything(peer("FRND", None))],
        ..Links::default()
    };
    let far = with_links(folder.path(), "FAR1", far);
    let peers = vec![peer("FAR1", Some(Address::Unix(at)))];
    let near = with_links(folder.path(), "FRND", Links { peers, ..Links::default() });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    // Once over the connection that all share, once in a session, if there is one by then.
    for _ in 0..2 {
        linked(&near);
        let commarea = format!("{:68}", "item");
        let failure =
            runtime.block_on(near.run(request("FARTAKE", Interface::Commarea(commarea.into_bytes()))));
        assert!(matches!(&failure, Err(Failure::OutcomeUnknown(_))), "{failure:?}");
    }
    assert!(runtime.block_on(has_item(&far)), "it was run");
}

/// FAR1 with CCSID 37, and NEAR with 1252, of whose program FARSTATE and transaction FST1 there the first five bytes are text.
fn with_other_pages(folder: &Path) -> [Arc<Region>; 2] {
    let started = Transaction { program: name("STARTED"), enabled: true, tasks_max: None };
    let listens = Links {
        listen: vec![socket(folder, "FAR1")],
        peers: vec![Peer::trusted(name("NEAR"), None)],
        ..Links::default()
    };
    let far = Settings {
        sysid: name("FAR1"),
        ccsid: 37,
        store: folder.join("FAR1.store"),
        transactions: [(name("STD1"), started)].into(),
        links: listens,
        ..settings()
    };
    let (sysid, text) = (name("FAR1"), vec![(0, 5)]);
    let program = RemoteProgram {
        name: name("FARSTATE"),
        sysid,
        remote_name: name("STATE"),
        transaction: None,
        text: text.clone(),
    };
    let transaction = RemoteTransaction { name: name("FST1"), sysid, remote_name: name("STD1"), text };
    let definitions = Definitions {
        remote_programs: vec![program],
        remote_transactions: vec![transaction],
        ..Definitions::default()
    };
    let peers = vec![Peer::trusted(sysid, Some(socket(folder, "FAR1")))];
    let links = Links { peers, ..Links::default() };
    let near = Settings { sysid: name("NEAR"), ccsid: 1252, definitions, links, ..settings() };
    [far, near].map(|settings| {
        let region = Region::start(settings).expect("a region");
        region.open_links().expect("links");
        region
    })
}

/// Its configuration may still be refused.
#[tokio::test]
async fn others_reach_a_region_only_when_it_serves() {
    let folder = tempfile::tempdir().expect("a folder");
    let [far, near] = with_other_pages(folder.path());
    linked(&near);
    // The commarea is none for this program, which abends.
    let begins_there = async || {
        let came = near.run(request("FARSTATE", Interface::Commarea(b"000".to_vec()))).await;
        matches!(came, Err(Failure::Abend { code, .. }) if code == "STEP")
    };
    let empty = folder.path().join("programs");
    std::fs::create_dir(&empty).expect("a folder");
    let next = far.successor(Settings { programs: empty, ..far.settings().clone() }).expect("a region");
    next.open_links().expect("links");
    assert!(begins_there().await, "the region before has the program, and serves");
    next.begin_serving();
    assert!(!begins_there().await, "the new one serves, and has no programs");
}

#[tokio::test]
async fn text_that_the_other_code_page_lacks_is_an_abend() {
    /// The euro sign, which CCSID 37 lacks.
    const EURO: u8 = 0x80;
    let folder = tempfile::tempdir().expect("a folder");
    let [far, near] = with_other_pages(folder.path());
    linked(&near);
    let start = |text: [u8; 8]| {
        let commarea = [b"GIVEN       FST1".as_slice(), &text, &[b' '; 18]].concat();
        near.run(request("FARSTART", Interface::Commarea(commarea)))
    };
    let commarea = Interface::Commarea(vec![b'0', b'0', EURO]);
    for (what, failed) in [
        ("data", start([b'A', EURO, 0, 0, 0, 0, 0, 0]).await),
        ("commarea", near.run(request("FARSTATE", commarea)).await),
    ] {
        let Err(Failure::Abend { code, message, .. }) = failed else { panic!("{what}: {failed:?}") };
        let expected = format!("the {what} cannot be converted from CCSID 1252 to 37");
        assert_eq!((code.as_str(), message), ("GCNV", expected));
    }
    // Behind the text there may be anything. Only this was begun there, and notes the first three bytes that it got.
    start([b'H', b'E', b'L', b'L', b'O', EURO, 0, 0]).await.expect("it is started");
    let noted = loop {
        let noted = run(&far, "NOTES", " ".repeat(50)).await;
        if noted[0] != b' ' {
            break noted;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!((&noted[..6], &noted[23..26]), (&b"STD1SD"[..], &b"\xC8\xC5\xD3"[..]));
}
