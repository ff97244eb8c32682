//! Two regions that die at each step of a two-phase commit: afterwards both have the change or none has, and nobody waits.

use std::sync::{Arc, Mutex};

use region::link::message::{Answer, Message, Request};
use store::GlobalId;

use crate::between::{Fate, stand_between};
use crate::linked::{Came, Far, Linked, Plan, pair, until};

const LOCKED: &str = "100";

/// A moment of a commit, by the message that is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The other region is asked to prepare.
    Prepare,
    /// It has prepared; the first one does not know.
    Prepared,
    /// The first one has decided; the other does not know.
    Decided,
    /// The other has committed; the first one does not know.
    Confirmed,
}

pub(crate) const MOMENTS: [Moment; 4] =
    [Moment::Prepare, Moment::Prepared, Moment::Decided, Moment::Confirmed];

/// Finds the moment of one unit: of those before it somebody may still speak.
#[derive(Debug)]
pub(crate) struct Watch {
    moment: Moment,
    unit: Option<GlobalId>,
    /// The request that tells the decision.
    tells: Option<u64>,
}

impl Watch {
    pub(crate) fn new(moment: Moment) -> Self {
        Self { moment, unit: None, tells: None }
    }

    /// True if the moment has come.
    pub(crate) fn sees(&mut self, message: &Message) -> bool {
        match message {
            Message::Request { request: Request::Prepare { unit, .. }, .. } => {
                self.unit = Some(unit.clone());
                self.moment == Moment::Prepare
            }
            Message::Request { id, request: Request::Decide { unit, .. } }
                if Some(unit) == self.unit.as_ref() =>
            {
                self.tells = Some(*id);
                self.moment == Moment::Decided
            }
            Message::Answer { answer: Answer::Vote { .. }, .. } => self.moment == Moment::Prepared,
            Message::Answer { id, answer: Answer::Decided { .. } } if Some(*id) == self.tells => {
                self.moment == Moment::Confirmed
            }
            _ => false,
        }
    }
}

/// Who dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    First,
    Other,
    Both,
    /// Only the connection.
    Nobody,
}

const VICTIMS: [Victim; 4] = [Victim::First, Victim::Other, Victim::Both, Victim::Nobody];

/// What happens at a moment.
struct Strike {
    watch: Watch,
    does: Box<dyn FnOnce() + Send>,
}

/// Two regions with somebody between them, who does something once.
struct Stage {
    _folder: tempfile::TempDir,
    plans: (Plan, Plan),
    strike: Arc<Mutex<Option<Strike>>>,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut plan_a, plan_b) = pair(folder.path());
        plan_a.peers_socket = folder.path().join("between");
        let strike: Arc<Mutex<Option<Strike>>> = Arc::default();
        let planned = strike.clone();
        stand_between(&plan_a.peers_socket, &plan_b.socket, move |message| {
            let mut planned = planned.lock().expect("no holder panics");
            if !planned.as_mut().is_some_and(|strike| strike.watch.sees(message)) {
                return Fate::Passes;
            }
            if let Some(strike) = planned.take() {
                (strike.does)();
            }
            Fate::Lost
        });
        Self { _folder: folder, plans: (plan_a, plan_b), strike }
    }

    fn prepare(&self, moment: Moment, does: impl FnOnce() + Send + 'static) {
        let watch = Watch::new(moment);
        *self.strike.lock().expect("no holder panics") = Some(Strike { watch, does: Box::new(does) });
    }
}

/// One transfer in which the victim dies at the moment. Gives the caller's answer and the regions, dead or
/// not.
fn transfer(stage: &Stage, (moment, victim): (Moment, Victim), id: &str) -> (Came, Linked, Linked) {
    let a = Arc::new(Linked::start(&stage.plans.0));
    let b = Arc::new(Linked::start(&stage.plans.1));
    a.wait_for_link("REGB");
    // That a unit was backed out need not be on disk: after a kill it may be in doubt again, and lock the queue, until the
    // other region has been asked.
    until("units of before are still in doubt", || b.in_doubt() == 0);
    let (first, other) = (a.clone(), b.clone());
    stage.prepare(moment, move || {
        if matches!(victim, Victim::First | Victim::Both) {
            first.kill();
        }
        if matches!(victim, Victim::Other | Victim::Both) {
            other.kill();
        }
    });
    let came = a.far(&Far::new("JOIN", "REGB", id));
    // What struck has let go of both.
    until(&format!("{id}: nobody has struck, {came:?}"), || {
        Arc::strong_count(&a) == 1 && Arc::strong_count(&b) == 1
    });
    let alone = |region: Arc<Linked>| Arc::into_inner(region).expect("nobody else has it");
    (came, alone(a), alone(b))
}

/// Starts those again that have died.
fn again(stage: &Stage, victim: Victim, (a, b): (Linked, Linked)) -> (Linked, Linked) {
    let started = |region: Linked, plan: &Plan, died: bool| {
        if died {
            drop(region);
            return Linked::start(plan);
        }
        region
    };
    let b = started(b, &stage.plans.1, matches!(victim, Victim::Other | Victim::Both));
    (started(a, &stage.plans.0, matches!(victim, Victim::First | Victim::Both)), b)
}

#[test]
fn both_regions_agree_whoever_dies_when() {
    let stage = Stage::new();
    let mut committed = Vec::new();
    for moment in MOMENTS {
        for victim in VICTIMS {
            let id = format!("{moment:?}{victim:?}");
            let (came, a, b) = transfer(&stage, (moment, victim), &id);
            let (a, b) = again(&stage, victim, (a, b));
            // The link mends itself, and what is in doubt is resolved; the queue is free again.
            a.wait_for_link("REGB");
            until(&format!("{id} is still in doubt"), || b.in_doubt() == 0);
            let (items_a, items_b) = (a.items("RECOUT"), b.items("RECIN"));
            assert_eq!(items_a, items_b, "{id}");
            // After the decision it is committed, before it is not.
            if matches!(moment, Moment::Decided | Moment::Confirmed) {
                committed.push(id.clone());
            }
            assert_eq!(items_a, committed, "{id}");
            match (victim, came) {
                (Victim::First | Victim::Both, Came::Gone) => {}
                (_, Came::Ok(_)) => assert!(committed.contains(&id), "{id}"),
                (_, Came::Failed(message)) => {
                    assert!(message.starts_with("abend ASP3") && !committed.contains(&id), "{id}: {message}");
                }
                (_, other) => panic!("{id}: {other:?}"),
            }
            assert_eq!(a.far_back(&Far::new("JOIN", "REGB", "")).resp, 0);
        }
    }
}

#[test]
fn an_operator_ends_what_is_in_doubt_and_the_regions_find_out() {
    let stage = Stage::new();
    for (force, agrees) in [("commit", true), ("abort", false)] {
        let (came, a, b) = transfer(&stage, (Moment::Decided, Victim::First), force);
        assert_eq!(came, Came::Gone);
        // Nobody is there who could tell how it ended.
        drop(a);
        until("the unit is not in doubt", || b.in_doubt() == 1);
        // Nobody waits for its lock: the task is told at once.
        assert_eq!(b.write("RECIN"), LOCKED);
        assert!(matches!(b.call(force), Came::Ok(_)));
        until("the unit is still in doubt", || b.in_doubt() == 0);
        let a = Linked::start(&stage.plans.0);
        a.wait_for_link("REGB");
        assert!(a.items("RECOUT").contains(&force.to_owned()));
        assert_eq!(b.items("RECIN").contains(&force.to_owned()), agrees);
    }
}
