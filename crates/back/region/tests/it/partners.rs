//! A unit of work with parts in two other regions: both prepare at once, and all three agree.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use region::link::definition::{Address, Links, Peer};
use region::link::message::{Answer, Message, Request};
use region::{Failure, Region};
use wire::{Interface, name};

use crate::between::{Fate, stand_between};
use crate::link_edges::{has_item, linked, run, socket};
use crate::linked::{ANSWER_MAX, Far, until};
use crate::region::request;
use crate::strangers::with_links;

const OTHERS: [&str; 2] = ["REGB", "REGC"];

type Judge = Box<dyn FnMut(&Message) -> Fate + Send>;

/// REGA, and two regions that it is linked to, with somebody in each link.
struct Stage {
    _folder: tempfile::TempDir,
    a: Arc<Region>,
    others: [Arc<Region>; 2],
}

impl Stage {
    fn new(judges: [Judge; 2]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        let others = OTHERS.map(|sysid| {
            let peers = vec![Peer::trusted(name("REGA"), None)];
            with_links(at, sysid, Links { listen: vec![socket(at, sysid)], peers, ..Links::default() })
        });
        let between = |sysid: &str| at.join(format!("to {sysid}"));
        for (sysid, judge) in OTHERS.into_iter().zip(judges) {
            stand_between(&between(sysid), &at.join(sysid), judge);
        }
        let peer = |sysid: &str| Peer::trusted(name(sysid), Some(Address::Unix(between(sysid))));
        let a = with_links(at, "REGA", Links { peers: OTHERS.map(peer).into(), ..Links::default() });
        linked(&a);
        Self { _folder: folder, a, others }
    }

    /// FAR in REGA: TAKE in both others takes the item.
    async fn transfer(&self) -> Result<Interface, Failure> {
        let far = Far { then: "REGC", ..Far::new("FIRST", "REGB", "item") };
        self.a.run(request("FAR", Interface::Commarea(far.commarea()))).await
    }

    /// Which regions have the item, when all have heard how the unit has ended.
    async fn items(&self) -> [bool; 3] {
        until("a unit is still in doubt", || self.others.iter().all(|other| other.in_doubt().is_empty()));
        let [b, c] = &self.others;
        [sent(&self.a).await, has_item(b).await, has_item(c).await]
    }
}

/// True if REGA has the item.
async fn sent(a: &Region) -> bool {
    let commarea = format!("001RQI     {:16}{:16}{:09}{:05}{:40}000000", "RECOUT", "", 1, 20, "");
    &run(a, "STATE", commarea).await[97..100] == b"000"
}

fn prepares(message: &Message) -> bool {
    matches!(message, Message::Request { request: Request::Prepare { .. }, .. })
}

fn decides(message: &Message) -> bool {
    matches!(message, Message::Request { request: Request::Decide { .. }, .. })
}

/// Two who let each a message pass only when the other has seen one, too.
fn at_once(wanted: fn(&Message) -> bool) -> [Judge; 2] {
    let judge = |(tell, told): (Sender<()>, Receiver<()>)| -> Judge {
        Box::new(move |message| {
            if wanted(message) {
                tell.send(()).expect("the other one is there");
                if told.recv_timeout(ANSWER_MAX / 10).is_err() {
                    return Fate::Lost;
                }
            }
            Fate::Passes
        })
    };
    let ((to_b, of_b), (to_c, of_c)) = (channel(), channel());
    [judge((to_c, of_b)), judge((to_b, of_c))]
}

#[tokio::test]
async fn both_are_asked_to_prepare_before_one_has_answered() {
    let stage = Stage::new(at_once(prepares));
    stage.transfer().await.expect("both have prepared");
    assert_eq!(stage.items().await, [true; 3]);
}

#[tokio::test]
async fn both_are_told_before_one_has_confirmed() {
    let stage = Stage::new(at_once(decides));
    stage.transfer().await.expect("both have prepared");
    // One that was told too late would have lost its link, and would be told again.
    let mut in_doubt = stage.others.iter().map(|other| other.in_doubt().len());
    assert_eq!((in_doubt.next(), in_doubt.next()), (Some(0), Some(0)));
    assert_eq!(stage.items().await, [true; 3]);
}

/// True if the program learns that another region could not commit its unit of work.
fn is_backed_out(ended: &Result<Interface, Failure>) -> bool {
    matches!(ended, Err(Failure::Abend { code, .. }) if code == "ASP3")
}

#[tokio::test]
async fn who_has_prepared_is_told_that_another_one_has_not() {
    let (tell, told) = channel();
    let votes: Judge = Box::new(move |message| {
        if matches!(message, Message::Answer { answer: Answer::Vote { .. }, .. }) {
            tell.send(()).expect("the other one is there");
        }
        Fate::Passes
    });
    // It is lost when the other one has prepared.
    let is_lost: Judge = Box::new(move |message| match prepares(message) {
        true => {
            told.recv_timeout(ANSWER_MAX).expect("the other one prepares");
            Fate::Lost
        }
        false => Fate::Passes,
    });
    let stage = Stage::new([is_lost, votes]);
    let ended = stage.transfer().await;
    assert!(is_backed_out(&ended), "{ended:?}");
    assert_eq!(stage.items().await, [false; 3]);
}

#[tokio::test]
async fn one_that_cannot_prepare_ends_the_unit_though_another_has_not_answered() {
    let (go_on, goes_on) = channel();
    let (came, comes) = channel();
    let hesitates: Judge = Box::new(move |message| {
        if prepares(message) {
            came.send(()).expect("the other one is there");
            goes_on.recv_timeout(ANSWER_MAX).expect("the task has ended");
        }
        Fate::Passes
    });
    let is_lost: Judge = Box::new(move |message| match prepares(message) {
        true => {
            comes.recv_timeout(ANSWER_MAX).expect("the other one is asked, too");
            Fate::Lost
        }
        false => Fate::Passes,
    });
    let stage = Stage::new([is_lost, hesitates]);
    let ended = stage.transfer().await;
    assert!(is_backed_out(&ended), "{ended:?}");
    // Now it is asked to prepare, and then hears that there is nothing any more.
    go_on.send(()).expect("it waits for this");
    assert_eq!(stage.items().await, [false; 3]);
}
