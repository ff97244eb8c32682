//! Links where they end: a link to itself, and an answer that nobody hears.

use std::path::Path;

use region::link::definition::{Address, Allowed, Links, Peer};
use region::link::message::{Answer, Message};
use region::wire::{Interface, name};
use region::{Failure, Region, Settings};

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
