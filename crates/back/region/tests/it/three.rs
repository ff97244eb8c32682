//! A unit of work in three regions: the first one's program links to the second one's, and that to the third one's.

use std::path::Path;
use std::sync::{Arc, Mutex};

use region::Region;
use region::link::definition::{Allowed, Links, Peer};
use region::link::message::{Answer, Message};

use crate::between::{Fate, stand_between};
use crate::link_edges::{has_item, linked, run, socket};
use crate::linked::{Back, Came, Far, Linked, Plan, until};
use crate::strangers::{peer, with_links};
use crate::two_phase::{MOMENTS, Moment, Watch};

const SYSIDS: [&str; 3] = ["REGA", "REGB", "REGC"];

/// Three regions of this process, each linked to both others.
fn in_a_process(folder: &Path) -> [Arc<Region>; 3] {
    let start = |sysid: &str| {
        let others = SYSIDS.into_iter().filter(|other| *other != sysid);
        let peers = others
            .map(|other| Peer { allowed: Allowed::everything(), ..peer(other, Some(socket(folder, other))) });
        let links = Links { listen: vec![socket(folder, sysid)], peers: peers.collect(), ..Links::default() };
        with_links(folder, sysid, links)
    };
    let regions = SYSIDS.map(start);
    regions.iter().for_each(|region| linked(region));
    regions
}

/// FAR in the first region: CHAIN in the second takes the item on to the region that `what` names.
async fn chain(first: &Region, how: &str, (what, then): (&str, &str)) -> Back {
    let commarea = format!("{how:8}{:4}{:8}{:20}{what:8}{then:8}{:015}{:40}", "REGB", "CHAIN", "item", 0, "");
    Back::read(&run(first, "FAR", commarea).await)
}

async fn have_items([_, b, c]: &[Arc<Region>; 3]) -> (bool, bool) {
    (has_item(b).await, has_item(c).await)
}

/// Waits until all have heard how the units have ended: the third region hears of it after the first one's task has ended.
fn all_told(regions: &[Arc<Region>; 3]) {
    until("a unit is still in doubt", || regions.iter().all(|region| region.in_doubt().is_empty()));
}

#[tokio::test]
async fn a_unit_of_work_goes_on_to_a_third_region() {
    for what in ["REGC", "REGCONLY", "REGCSYNC"] {
        let folder = tempfile::tempdir().expect("a folder");
        let regions = in_a_process(folder.path());
        let back = chain(&regions[0], "JOIN", (what, "")).await;
        assert_eq!((back.resp, back.text().as_str()), (0, "0000000000"), "{what}");
        all_told(&regions);
        // The one in the middle may have nothing of its own.
        assert_eq!(have_items(&regions).await, (what != "REGCONLY", true), "{what}");
    }
}

#[tokio::test]
async fn what_is_backed_out_is_backed_out_in_all_three() {
    for what in ["REGC", "REGCONLY"] {
        let folder = tempfile::tempdir().expect("a folder");
        let regions = in_a_process(folder.path());
        chain(&regions[0], "JOIN", (what, "BACK")).await;
        assert_eq!(have_items(&regions).await, (false, false), "{what}");
        // Nor does anything of it stand in the way of the next unit.
        chain(&regions[0], "JOIN", ("REGC", "")).await;
        all_told(&regions);
        assert_eq!(have_items(&regions).await, (true, true), "{what}");
    }
}

#[tokio::test]
async fn a_unit_of_work_comes_into_a_region_by_one_way_alone() {
    const REFUSED: &str = "0001600214";
    let folder = tempfile::tempdir().expect("a folder");
    let regions = in_a_process(folder.path());
    // From the first region to the third, and once more through the second: that is told, and the unit goes on.
    let back = chain(&regions[0], "FIRST", ("REGC", "REGC")).await;
    assert_eq!((back.resp, back.text().as_str()), (0, REFUSED));
    all_told(&regions);
    assert_eq!(have_items(&regions).await, (true, true));
    // The other way round the first region is told.
    let back = chain(&regions[0], "AFTER", ("REGC", "REGC")).await;
    assert_eq!((back.resp, back.resp2, back.text().as_str()), (16, 214, "0000000000"));
    all_told(&regions);
    // Back to where it began.
    let back = chain(&regions[0], "JOIN", ("REGA", "")).await;
    assert_eq!((back.resp, back.text().as_str()), (0, REFUSED));
    assert!(!has_item(&regions[0]).await);
    // When a unit has ended, its regions are free for others by any way.
    assert_eq!(chain(&regions[0], "JOIN", ("REGC", "")).await.text(), "0000000000");
    all_told(&regions);
}

/// Which link a message is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    /// From the first region to the second.
    First,
    /// From the second to the third.
    Second,
}

/// What happens at a moment on a link.
struct Strike {
    on: On,
    sees: Box<dyn FnMut(&Message) -> bool + Send>,
    does: Box<dyn FnOnce() + Send>,
}

/// Three regions in processes with somebody in both links, who does something once.
struct Stage {
    _folder: tempfile::TempDir,
    plans: [Plan; 3],
    strike: Arc<Mutex<Option<Strike>>>,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let plan = |sysid: &'static str, (peer, peers_socket): (&'static str, &str)| Plan {
            sysid,
            ccsid: 819,
            store: at(&format!("{sysid}.store")),
            socket: at(sysid),
            peer,
            peers_socket: at(peers_socket),
            others: Vec::new(),
        };
        let mut middle = plan("REGB", ("REGC", "second"));
        middle.others.push(("REGA", at("REGA")));
        let plans = [plan("REGA", ("REGB", "first")), middle, plan("REGC", ("REGB", "REGB"))];
        let strike: Arc<Mutex<Option<Strike>>> = Arc::default();
        for (on, name, to) in [(On::First, "first", "REGB"), (On::Second, "second", "REGC")] {
            let planned = strike.clone();
            stand_between(&at(name), &at(to), move |message| {
                let mut planned = planned.lock().expect("no holder panics");
                if !planned.as_mut().is_some_and(|strike| strike.on == on && (strike.sees)(message)) {
                    return Fate::Passes;
                }
                if let Some(strike) = planned.take() {
                    (strike.does)();
                }
                Fate::Lost
            });
        }
        Self { _folder: folder, plans, strike }
    }

    fn start(&self) -> [Arc<Linked>; 3] {
        let regions = [0, 1, 2].map(|place| Arc::new(Linked::start(&self.plans[place])));
        wait_for_links(&regions);
        // As with two regions, what was backed out may be in doubt again after a kill.
        until("units of before are still in doubt", || none_in_doubt(&regions));
        regions
    }

    /// Plans that the region at that place, or none, is killed at a moment.
    fn plan(&self, (on, moment): (On, Moment), victim: Option<Arc<Linked>>) {
        let does = Box::new(move || {
            if let Some(victim) = victim {
                victim.kill();
            }
        });
        let mut watch = Watch::new(moment);
        self.set(Strike { on, sees: Box::new(move |message| watch.sees(message)), does });
    }

    fn set(&self, strike: Strike) {
        *self.strike.lock().expect("no holder panics") = Some(strike);
    }
}

fn wait_for_links([a, b, _]: &[Arc<Linked>; 3]) {
    a.wait_for_link("REGB");
    b.wait_for_link("REGC");
}

fn none_in_doubt(regions: &[Arc<Linked>; 3]) -> bool {
    regions.iter().all(|region| region.in_doubt() == 0)
}

fn far(id: &str) -> Far {
    Far { program: "CHAIN", what: "REGC", ..Far::new("JOIN", "REGB", id) }
}

#[test]
fn three_regions_agree_whoever_dies_when() {
    let stage = Stage::new();
    let mut committed = Vec::new();
    for on in [On::First, On::Second] {
        for moment in MOMENTS {
            for victim in [Some(0), Some(1), Some(2), None] {
                // An item has 20 characters.
                let id = format!("{}{moment:?}{victim:?}", on as u8);
                let mut regions = stage.start();
                stage.plan((on, moment), victim.map(|place| regions[place].clone()));
                let came = regions[0].far(&far(&id));
                until(&format!("{id}: nobody has struck, {came:?}"), || {
                    stage.strike.lock().expect("no holder panics").is_none()
                });
                if let Some(place) = victim {
                    regions[place] = Arc::new(Linked::start(&stage.plans[place]));
                }
                // The links mend themselves, and what is in doubt is resolved; the queues are free again.
                wait_for_links(&regions);
                until(&format!("{id} is still in doubt"), || none_in_doubt(&regions));
                if matches!(moment, Moment::Decided | Moment::Confirmed) {
                    committed.push(id.clone());
                }
                let [a, b, c] = &regions;
                for (items, who) in
                    [(a.items("RECOUT"), "A"), (b.items("RECIN"), "B"), (c.items("RECIN"), "C")]
                {
                    assert_eq!(items, committed, "{id}: {who}");
                }
                match (victim, came) {
                    (Some(0), Came::Gone) => {}
                    (_, Came::Ok(_)) => assert!(committed.contains(&id), "{id}"),
                    (_, Came::Failed(message)) => {
                        let is_told = message.starts_with("abend ASP3") && !committed.contains(&id);
                        assert!(is_told, "{id}: {message}");
                    }
                    (_, other) => panic!("{id}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn what_breaks_below_a_region_that_has_nothing_itself_backs_all_out() {
    let stage = Stage::new();
    let regions = stage.start();
    let sees = |message: &Message| matches!(message, Message::Answer { answer: Answer::Linked { .. }, .. });
    stage.set(Strike { on: On::Second, sees: Box::new(sees), does: Box::new(|| {}) });
    // The program in the middle takes the break for a condition, and returns as if nothing had happened.
    let came = regions[0].far(&Far { what: "REGCONLY", ..far("lost") });
    let Came::Failed(message) = &came else { panic!("{came:?}") };
    assert!(message.starts_with("abend ASP3"), "{message}");
    wait_for_links(&regions);
    let [a, _, c] = &regions;
    until("the third region is not told", || c.in_doubt() == 0);
    assert_eq!((a.items("RECOUT"), c.items("RECIN")), (vec![], vec![]));
}

#[test]
fn what_an_operator_forces_in_the_middle_is_told_below() {
    let stage = Stage::new();
    let mut committed = Vec::new();
    for (force, commits) in [("commit", true), ("abort", false)] {
        let [a, b, c] = stage.start();
        // The first region has decided to commit, and is gone.
        stage.plan((On::First, Moment::Decided), Some(a.clone()));
        assert_eq!(a.far(&far(force)), Came::Gone);
        until("the units are not in doubt", || (b.in_doubt(), c.in_doubt()) == (1, 1));
        assert!(matches!(b.call(force), Came::Ok(_)));
        until("the third region is not told", || (b.in_doubt(), c.in_doubt()) == (0, 0));
        committed.extend(commits.then(|| force.to_owned()));
        assert_eq!((b.items("RECIN"), c.items("RECIN")), (committed.clone(), committed.clone()), "{force}");
        // The decision comes too late; an abort that was forced is half a unit, which people were told.
        let a = Linked::start(&stage.plans[0]);
        a.wait_for_link("REGB");
        assert!(a.items("RECOUT").contains(&force.to_owned()));
        assert_eq!(b.items("RECIN"), committed, "{force}");
    }
}
