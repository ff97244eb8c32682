//! A unit of work that a task of another region has here: from its first request to the decision of how it ends.

use std::sync::Arc;
use std::time::Duration;

use program::conditions::{INVREQ, PGMIDERR, ROLLEDBACK, SYSIDERR, TERMERR};
use store::{Authority, Decision, GlobalId, Prepared, Resolution, Vote};
use tokio::sync::oneshot;
use wire::{self, Ask, Interface, QueueAsk, StartAsk, name};

use super::caller::raised;
use super::message::{Answer, IN_DOUBT_MAX};
use super::shared::{RESP2_CONVERSATION, RESP2_NOT_IN_SERVICE, Shared};
use crate::region::{Failure, Region, Request as Task};
use crate::resources::durable::Opened;
use crate::work::{NOT_COMMITTED, Work};

/// RESP2 of ROLLEDBACK: the program's own syncpoint failed.
const RESP2_NOT_COMMITTED: u32 = 29;

/// The abend of a task whose command on a queue of another region has abended there.
const FAR_ABEND: [u8; 4] = *b"ATNI";

/// A unit of work of another region's task.
#[derive(Debug)]
pub(super) enum Mirror {
    /// Commands change it. Dropped, it is backed out.
    Working(Box<Work>),
    /// It waits for the decision. Dropped, it is in doubt.
    Prepared(Prepared, Box<Work>),
    /// It was backed out, or the decision has come.
    Ended,
}

impl Mirror {
    pub(super) fn new(region: &Region, unit: &GlobalId) -> Self {
        let mut work = region.work(None);
        work.partners.join(unit);
        Mirror::Working(Box::new(work))
    }

    /// True if its end must be sent: it has changed something, or holds locks.
    pub(super) fn is_held(&self) -> bool {
        match self {
            Mirror::Working(work) => work.is_begun(),
            Mirror::Prepared(..) => true,
            Mirror::Ended => false,
        }
    }

    /// True if it waits for the decision.
    pub(super) fn is_prepared(&self) -> bool {
        matches!(self, Mirror::Prepared(..))
    }

    /// Starts or cancels a task as a part of the unit.
    pub(super) async fn start(&mut self, ask: StartAsk, user: Option<&str>) -> Answer {
        let Mirror::Working(work) = self else { return out_of_turn() };
        work.is_for_user(user);
        let answer = work.carry_out(Ask::Start(ask)).await;
        super::starts::said(answer, work.is_begun())
    }

    /// Runs a program as a part of the unit.
    ///
    /// # Errors
    /// The answer for the caller. After an abend or a time-out the unit has ended.
    pub(super) async fn run(
        &mut self,
        region: &Region,
        task: Task,
        most: Duration,
    ) -> Result<Interface, Answer> {
        let Mirror::Working(work) = self else { return Err(out_of_turn()) };
        let program = task.program;
        let ran = tokio::time::timeout(most, region.run_joined(task, work)).await;
        work.partners.end_program();
        let failure = match ran {
            Ok(Ok(interface)) => return Ok(interface),
            Ok(Err(failure)) => failure,
            Err(_) => Failure::TimedOut,
        };
        let answer = told_joined(failure, region, program);
        if matches!(answer, Answer::Abend { .. }) {
            *self = Mirror::Ended;
        }
        Err(answer)
    }

    /// Carries out a command on a temporary storage queue as a part of the unit.
    pub(super) async fn queue(&mut self, ask: QueueAsk) -> Answer {
        let Mirror::Working(work) = self else { return out_of_turn() };
        let answer = work.temporary(ask).await.unwrap_or_else(|refused| refused);
        let held = work.is_begun();
        match answer {
            wire::Answer::Queue(answer) => Answer::Queue { answer, held },
            wire::Answer::Condition { resp, resp2 } => Answer::Condition { resp, resp2, held },
            wire::Answer::Abend { code, message } => {
                *self = Mirror::Ended;
                let code = String::from_utf8_lossy(&code).into_owned();
                Answer::Abend {
                    code: FAR_ABEND,
                    message: format!("abend {code} in the other region: {message}"),
                }
            }
            _ => out_of_turn(),
        }
    }

    /// The first phase of two-phase commit.
    pub(super) async fn prepare(&mut self, unit: &GlobalId, coordinator: &str) -> Answer {
        let Mirror::Working(mut work) = std::mem::replace(self, Mirror::Ended) else { return out_of_turn() };
        work.files.end_unit();
        work.transients.end_unit();
        match work.vote(unit, coordinator).await {
            // Such a unit gets no decision.
            Ok(Vote::ReadOnly) => {
                work.was_committed();
                Answer::Vote { prepared: false }
            }
            Ok(Vote::Prepared(prepared)) => {
                work.messages.prepared(unit);
                *self = Mirror::Prepared(prepared, work);
                Answer::Vote { prepared: true }
            }
            Err(message) => {
                tracing::error!("unit {unit} of another region was not prepared: {message}");
                Answer::Abend { code: NOT_COMMITTED, message }
            }
        }
    }

    /// The second phase.
    pub(super) async fn decide(self, decision: Decision) -> Answer {
        match self {
            Mirror::Prepared(prepared, mut work) => {
                let resources = work.resources.clone();
                let Some(opened) = resources.durable.get().cloned() else { return out_of_turn() };
                let resolved = resolved(&opened, prepared.id(), decision).await;
                drop(prepared);
                match resolved {
                    Ok(Resolution::Contradicts) => {
                        // An operator may have committed it, and with it tasks that no thread handles now.
                        drop(work);
                        crate::starts::recall_soon(&resources);
                    }
                    Ok(_) => {
                        match decision {
                            Decision::Commit => work.was_committed(),
                            Decision::Abort => work.messages.aborted(),
                        }
                        std::mem::take(&mut work.partners).tell_below(decision);
                    }
                    // The regions below learn the outcome from this region's store when it is open again.
                    Err(_) => {}
                }
                resolved.map_or_else(|refused| refused, decided)
            }
            Mirror::Working(_) if decision == Decision::Abort => Answer::Decided { contradicts: false },
            Mirror::Ended if decision == Decision::Abort => Answer::Decided { contradicts: false },
            _ => out_of_turn(),
        }
    }

    /// Backs it out.
    pub(super) async fn abort(self) {
        if let Mirror::Prepared(..) = self {
            self.decide(Decision::Abort).await;
        }
    }
}

/// Runs a program whose changes are committed when it returns.
///
/// # Errors
/// The answer for the caller.
pub(super) async fn run_alone(region: &Region, task: Task, most: Duration) -> Result<Interface, Answer> {
    let program = task.program;
    match tokio::time::timeout(most, region.run(task)).await {
        Ok(Ok(interface)) => Ok(interface),
        Ok(Err(failure)) => Err(told(failure, program)),
        Err(_) => Err(told(Failure::TimedOut, program)),
    }
}

/// Applies the decision to a unit in doubt after its connection is gone.
pub(super) async fn resolve(
    shared: &Shared,
    unit: &GlobalId,
    decision: Decision,
    may_decide: impl Fn(&str) -> bool,
) -> Answer {
    let Some(opened) = shared.resources.durable.get().cloned() else {
        return Answer::Decided { contradicts: false };
    };
    let found = opened.store.in_doubt().into_iter().find(|doubt| doubt.id == *unit);
    if found.is_some_and(|doubt| !may_decide(&doubt.coordinator)) {
        return out_of_turn();
    }
    let resolved = resolved(&opened, unit, decision).await;
    if matches!(resolved, Ok(Resolution::Done | Resolution::AsForced)) {
        shared.resources.settle_messages(unit, decision);
    }
    // Tasks that the unit starts, and regions that wait for its end, are not in the hands of anybody.
    crate::starts::recall_soon(&shared.resources);
    if matches!(resolved, Ok(Resolution::Done)) {
        if decision == Decision::Commit {
            check_triggers(shared);
        }
        shared.tell_of_ends();
    }
    resolved.map_or_else(|refused| refused, decided)
}

/// Checks all trigger levels, because it is not known which queues the unit has written.
fn check_triggers(shared: &Shared) {
    // Before the first recall programs may lack what they need. The recall itself looks at all levels.
    if let Some(region) = shared.region().filter(|_| shared.resources.starts.is_recalled()) {
        crate::resources::transient::triggers::check_all_soon(&region);
    }
}

/// The units that wait for a decision of this coordinator.
pub(super) fn in_doubt(shared: &Shared, coordinator: &str) -> Vec<GlobalId> {
    let Some(opened) = shared.resources.durable.get() else { return Vec::new() };
    let doubts = opened.store.in_doubt().into_iter();
    doubts.filter(|doubt| doubt.coordinator == coordinator).map(|doubt| doubt.id).take(IN_DOUBT_MAX).collect()
}

/// Lets the store end a unit.
///
/// # Errors
/// The answer for the coordinator if the store fails.
async fn resolved(opened: &Arc<Opened>, unit: &GlobalId, decision: Decision) -> Result<Resolution, Answer> {
    let (tell, told) = oneshot::channel();
    opened.store.resolve_then(unit, decision, Authority::Coordinator, move |outcome| {
        // The caller may have gone; the outcome stands.
        let _ = tell.send(outcome);
    });
    match told.await {
        Ok(Ok(resolution)) => {
            if matches!(resolution, Resolution::Contradicts) {
                tracing::error!(
                    "unit {unit}: an operator has forced another end than the coordinator decided"
                );
            }
            Ok(resolution)
        }
        Ok(Err(error)) => {
            tracing::error!("unit {unit}: {error}");
            Err(Answer::Abend { code: NOT_COMMITTED, message: error.to_string() })
        }
        Err(_) => Err(Answer::Abend { code: NOT_COMMITTED, message: "the store broke down".to_owned() }),
    }
}

/// The answer for the coordinator about a unit that has ended.
fn decided(resolution: Resolution) -> Answer {
    Answer::Decided { contradicts: matches!(resolution, Resolution::Contradicts) }
}

/// The answer for a program whose linked program failed in the same unit. If the linked program had begun,
/// the caller's region must hear an abend, whatever code the program chose: only an abend says that the unit
/// can only be backed out.
fn told_joined(failure: Failure, region: &Region, linked: [u8; 8]) -> Answer {
    match failure {
        // A program that is not there cannot have begun.
        Failure::Abend { code, .. } if code == "APCT" && !region.catalogue().is_here(linked) => {
            raised(&PGMIDERR, 1)
        }
        Failure::Abend { code, program, message } => abended(&code, &program, &message),
        Failure::OutcomeUnknown(message) => {
            tracing::error!("outcome of a task of another region unknown: {message}");
            Answer::Abend { code: FAR_ABEND, message }
        }
        other => told(other, linked),
    }
}

fn abended(code: &str, program: &str, message: &str) -> Answer {
    let message = format!("in program {program} of the other region: {message}");
    Answer::Abend { code: name(code), message }
}

/// The answer for a program whose linked task failed.
fn told(failure: Failure, program: [u8; 8]) -> Answer {
    match failure {
        Failure::NotBegun(reason) => {
            tracing::warn!("a program was not begun for another region: {reason}");
            raised(&SYSIDERR, RESP2_NOT_IN_SERVICE)
        }
        Failure::Abend { code, program: at, .. } if code == "APCT" && name::<8>(&at) == program => {
            raised(&PGMIDERR, 1)
        }
        Failure::Abend { code, .. } if code.as_bytes() == NOT_COMMITTED || code == "ASP3" => {
            raised(&ROLLEDBACK, RESP2_NOT_COMMITTED)
        }
        Failure::Abend { code, program, message } => abended(&code, &program, &message),
        Failure::TimedOut => {
            let message = "the other region has ended the task, which took too long".to_owned();
            Answer::Abend { code: FAR_ABEND, message }
        }
        Failure::OutcomeUnknown(message) => {
            tracing::error!("outcome of a task of another region unknown: {message}");
            raised(&TERMERR, RESP2_CONVERSATION)
        }
    }
}

pub(super) fn out_of_turn() -> Answer {
    Answer::Condition { resp: INVREQ.number, resp2: 0, held: false }
}

#[cfg(test)]
mod tests {
    use message::{ManagerName, Moment, NewMessage, Persistence, QueueName, Selection};
    use queue::{Attributes, Definition, Definitions, Limits, Manager, Origin, QueueKind};
    use store::Store;

    use super::*;
    use crate::definitions::Defined;
    use crate::resources::Resources;
    use crate::resources::files::property::{context, settings};

    const NOW: Moment = Moment(1_700_000_000_000);

    /// A mirror that has got `first`, and put `second`, and what belongs to it.
    async fn prepared(
        folder: &std::path::Path,
        persistence: Persistence,
    ) -> (Mirror, Manager, Arc<Store>, GlobalId, QueueName) {
        let settings = Arc::new(settings(folder, Vec::new()));
        let resources = Arc::new(Resources::new(&settings));
        let defined = Defined::open(&settings, &resources.durable).expect("definitions");
        let mut work = Work::new(resources.clone(), &defined, context(&settings));
        let store = resources.durable.open().expect("a store").store.clone();
        let definitions = Definitions::new(ManagerName::new("QM1").expect("a name"));
        let (manager, _) =
            Manager::open(store.clone(), &definitions, Limits::default(), NOW).expect("a manager");
        let name = QueueName::new("Q").expect("a name");
        let (kind, origin) = (QueueKind::Local, Origin::Command);
        let queue = Definition { name: name.clone(), kind, attributes: Attributes::default(), origin };
        manager.define(queue, false).expect("a queue");
        let session = manager.session();
        let message = |text: &str| NewMessage { persistence: Some(persistence), ..NewMessage::text(text) };
        let mut before = session.begin().expect("a unit");
        session.put(&mut before.scope(), &name, message("first"), NOW).expect("it is put");
        before.commit().expect("it is committed");
        let unit = GlobalId::new(b"unit").expect("an id");
        work.partners.join(&unit);
        let done = work.with_messages(|scope| {
            let got = session.get(scope, &name, &Selection::ANY, NOW).expect("a queue");
            assert!(got.is_some());
            session.put(scope, &name, message("second"), NOW).expect("it is put");
        });
        done.await.expect("a unit");
        let mut mirror = Mirror::Working(Box::new(work));
        let vote = mirror.prepare(&unit, "REGA/1").await;
        assert!(matches!(vote, Answer::Vote { prepared: true }), "{vote:?}");
        (mirror, manager, store, unit, name)
    }

    #[tokio::test]
    async fn messages_wait_for_the_decision_whether_or_not_they_are_on_disk() {
        for persistence in [Persistence::Persistent, Persistence::NonPersistent] {
            for decision in [Decision::Commit, Decision::Abort] {
                for is_linked in [true, false] {
                    let folder = tempfile::tempdir().expect("a folder");
                    let (mirror, manager, store, unit, name) = prepared(folder.path(), persistence).await;
                    let next = || {
                        let found =
                            manager.session().browse(&name, &Selection::ANY, None, NOW).expect("a queue");
                        found.map(|found| String::from_utf8(found.message.body).expect("text"))
                    };
                    assert_eq!(next(), None, "before the decision");
                    if is_linked {
                        let decided = mirror.decide(decision).await;
                        assert!(matches!(decided, Answer::Decided { contradicts: false }), "{decided:?}");
                    } else {
                        drop(mirror);
                        assert_eq!(next(), None, "in doubt");
                        store.resolve(&unit, decision, Authority::Coordinator).expect("it ends");
                        manager.settle_unit(&unit, decision);
                    }
                    let left = if decision == Decision::Commit { "second" } else { "first" };
                    let told = format!("{persistence:?} {decision:?} {is_linked}");
                    assert_eq!(next().as_deref(), Some(left), "{told}");
                    assert_eq!(manager.inquire(&name).expect("a queue").depth, 1, "{told}");
                }
            }
        }
    }
}
