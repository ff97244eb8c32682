//! START and CANCEL in another region, and transactions that are defined to be there.

use std::cell::RefCell;

use region::link::message::{Answer, Message, Request};

use crate::between::{Fate, stand_between};
use crate::linked::{Came, Linked, hex, pair, until};

const NOTFND: u32 = 13;
const TRANSIDERR: u32 = 28;
const SYSIDERR: u32 = 53;
const NOTAUTH: u32 = 70;

fn both() -> (tempfile::TempDir, Linked, Linked) {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan_a, plan_b) = pair(folder.path());
    let (a, b) = (Linked::start(&plan_a), Linked::start(&plan_b));
    a.wait_for_link("REGB");
    (folder, a, b)
}

/// RESP, RESP2 and EIBREQID of what FARSTART does.
fn start(region: &Linked, words: [&str; 4]) -> Result<(u32, u32, String), String> {
    let [how, sysid, transaction, then] = words;
    let commarea = format!("{how:8}{sysid:4}{transaction:4}{then:8}{:010}{:8}", 0, "");
    match region.call(&format!("FARSTART {}", hex(commarea.as_bytes()))) {
        Came::Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let number = |from: usize| text[from..from + 5].parse().expect("digits");
            Ok((number(24), number(29), text[34..].trim_end().to_owned()))
        }
        Came::Failed(message) => Err(message),
        other => panic!("{other:?}"),
    }
}

/// The next task that was started there: its transaction, start code, user, and data.
fn note(region: &Linked) -> String {
    let found = RefCell::new(String::new());
    until("the task does not begin", || {
        *found.borrow_mut() = next_note(region);
        !found.borrow().is_empty()
    });
    found.into_inner()
}

fn next_note(region: &Linked) -> String {
    String::from_utf8_lossy(&next_note_bytes(region)).trim_end().to_owned()
}

fn next_note_bytes(region: &Linked) -> Vec<u8> {
    match region.call(&format!("NOTES {}", hex(&[b' '; 50]))) {
        Came::Ok(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_start_gives_changes_its_code_page_as_the_definition_says() {
    let (_folder, a, b) = both();
    // The other region has code page 037. Of the one nothing is known, of the other the first two bytes are text.
    for (transaction, expected) in [("FST1", *b"HEL"), ("FST2", *b"\xC8\xC5L")] {
        assert_eq!(start(&a, ["DEFINED", "", transaction, ""]).expect("an answer").0, 0);
        let found = RefCell::new(Vec::new());
        until("the task does not begin", || {
            *found.borrow_mut() = next_note_bytes(&b);
            found.borrow().iter().any(|byte| *byte != b' ')
        });
        let found = found.into_inner();
        assert_eq!((&found[..6], &found[23..26]), (&b"STD1SD"[..], &expected[..]), "{transaction}");
    }
}

#[test]
fn tasks_are_started_in_another_region_under_the_user_of_the_caller() {
    let (_folder, a, b) = both();
    let (resp, resp2, request) = start(&a, ["START", "REGB", "STD1", ""]).expect("an answer");
    assert_eq!((resp, resp2, &request[..2]), (0, 0, "DF"));
    assert_eq!(note(&b), "STD1SDCALLER  000029016HELLO   RTR1RTM1QUEUE001003");
    // It is defined to be there, under another name.
    assert_eq!(start(&a, ["DEFINED", "", "FST1", ""]).expect("an answer").0, 0);
    assert_eq!(&note(&b)[..14], "STD1SDCALLER  ");
    assert_eq!(start(&a, ["CHANNEL", "REGB", "STD1", ""]).expect("an answer").0, 0);
    assert_eq!(&note(&b)[..29], "STD1S CALLER  029029000INSIDE");
    assert_eq!(start(&a, ["USER", "REGB", "STD1", ""]).expect("an answer").0, 0);
    assert_eq!(&note(&b)[..14], "STD1S BATCH1  ");
    assert_eq!(next_note(&a), "");
}

#[test]
fn what_cannot_be_started_there_raises_a_condition() {
    let (_folder, a, b) = both();
    for (words, expected) in [
        (["START", "ELSE", "STD1", ""], (SYSIDERR, 3072)),
        (["START", "REGB", "NONE", ""], (TRANSIDERR, 0)),
        (["STRANGER", "REGB", "STD1", ""], (NOTAUTH, 9)),
        (["CANCEL", "REGB", "", ""], (NOTFND, 0)),
        (["CANCEL", "ELSE", "", ""], (SYSIDERR, 3072)),
    ] {
        let (resp, resp2, _) = start(&a, words).expect("an answer");
        assert_eq!((resp, resp2), expected, "{words:?}");
    }
    drop(b);
    until("the other region is still there", || {
        let (resp, resp2, _) = start(&a, ["START", "REGB", "STD1", ""]).expect("an answer");
        (resp, resp2) == (SYSIDERR, 2048)
    });
}

#[test]
fn what_has_not_begun_there_is_cancelled() {
    let (_folder, a, b) = both();
    assert_eq!(start(&a, ["LATER", "REGB", "STD1", ""]), Ok((0, 0, "LATER".to_owned())));
    assert_eq!(start(&a, ["CANCEL", "REGB", "", ""]).expect("an answer").0, 0);
    assert_eq!(start(&a, ["CANCEL", "REGB", "", ""]).expect("an answer").0, NOTFND);
    assert_eq!(next_note(&b), "");
}

#[test]
fn with_protect_a_task_begins_there_when_the_unit_of_work_commits() {
    let (_folder, a, b) = both();
    assert!(start(&a, ["PROTECT", "REGB", "STD1", "ABEND"]).is_err());
    // The unit cancels what it would start.
    assert_eq!(start(&a, ["PROTECT", "REGB", "STD1", "CANCEL"]), Ok((0, 0, "GUARDED".to_owned())));
    assert_eq!(start(&a, ["PROTECT", "REGB", "STD1", ""]).expect("an answer").0, 0);
    assert_eq!(&note(&b)[..6], "STD1SD");
    assert_eq!(next_note(&b), "");
}

#[test]
fn a_protected_task_begins_though_the_link_breaks_before_the_decision_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut plan_a, plan_b) = pair(folder.path());
    plan_a.peers_socket = folder.path().join("between");
    let mut broken = false;
    stand_between(&plan_a.peers_socket, &plan_b.socket, move |message| {
        let decides = matches!(message, Message::Request { request: Request::Decide { .. }, .. });
        if !decides || broken {
            return Fate::Passes;
        }
        broken = true;
        Fate::Lost
    });
    let (a, b) = (Linked::start(&plan_a), Linked::start(&plan_b));
    a.wait_for_link("REGB");
    assert_eq!(start(&a, ["PROTECT", "REGB", "STD1", ""]).expect("an answer").0, 0);
    assert_eq!(&note(&b)[..6], "STD1SD");
}

#[test]
fn a_start_whose_answer_is_lost_is_a_condition() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut plan_a, plan_b) = pair(folder.path());
    plan_a.peers_socket = folder.path().join("between");
    stand_between(&plan_a.peers_socket, &plan_b.socket, |message| {
        match matches!(message, Message::Answer { answer: Answer::Start { .. }, .. }) {
            true => Fate::Lost,
            false => Fate::Passes,
        }
    });
    let (a, b) = (Linked::start(&plan_a), Linked::start(&plan_b));
    a.wait_for_link("REGB");
    let (resp, resp2, _) = start(&a, ["START", "REGB", "STD1", ""]).expect("an answer");
    assert_eq!((resp, resp2), (SYSIDERR, 2048));
    // It was started; nobody could say so.
    assert_eq!(&note(&b)[..6], "STD1SD");
}
