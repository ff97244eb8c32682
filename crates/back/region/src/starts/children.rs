//! The children of a task in a region: RUN TRANSID, FETCH CHILD, FETCH ANY and FREE CHILD.
//!
//! A child is a task like any other, in a worker of its own. It has a unit of work of its own, and runs on if its
//! parent ends.
//!
//! # Why may one worker less than there are wait for children?
//!
//! A parent that waits keeps its worker, and its children need a worker. If all workers wait, no child ever
//! begins. With one worker that does not wait, the children run one after the other, because places are given
//! in the order of asking. So [`Parents`] lets all but one parent wait. The parent that asks last is the
//! victim, as with locks: its command fails, because it would wait for ever. A wait with a TIMEOUT ends by
//! itself and is not counted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use program::conditions::{Condition, DISABLED, INVREQ, NOSTART, NOTAUTH, NOTFINISHED, NOTFND, TRANSIDERR};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use wire::{Answer, ChildAnswer, ChildAsk, ChildToken, Completion, Interface, Name};

use crate::region::{Beginning, Failure, Request};
use crate::starts::{RESP2_NOT_ALLOWED, Starts, Whose, is_of_web};
use crate::work::TaskContext;

/// INVREQ of FETCH CHILD and FREE CHILD: the token is none, or freed.
const RESP2_NO_CHILD: u32 = 50;
/// INVREQ of FETCH CHILD: the child's channel has been fetched.
const RESP2_CHANNEL_FETCHED: u32 = 51;
/// INVREQ of FETCH ANY: the task has no children.
const RESP2_NO_CHILDREN: u32 = 52;
/// NOTFINISHED: with NOSUSPEND, and with TIMEOUT.
const RESP2_NOT_YET: u32 = 52;
const RESP2_TIMEOUT: u32 = 53;
/// NOTFND of FETCH ANY: all children have been fetched.
const RESP2_ALL_FETCHED: u32 = 1;
/// INVREQ: the last worker would wait for children that need one.
const CODE_DEADLOCK: Name<4> = *b"GWAI";

/// The abend codes of children that ended otherwise than by an abend: they took too long, or never began.
const CODE_TIMED_OUT: Name<4> = *b"GTIM";
const CODE_NOT_BEGUN: Name<4> = *b"GNBG";
/// The code of children whose changes may or may not exist.
const CODE_UNKNOWN: Name<4> = *b"GUNK";

/// The tasks of a region that wait for their children without an end.
#[derive(Debug)]
pub(crate) struct Parents {
    waiting: AtomicUsize,
    /// One less than the workers, so that one is always left to children.
    most: usize,
}

impl Parents {
    pub(crate) fn new(workers: usize) -> Self {
        Self { waiting: AtomicUsize::new(0), most: workers.saturating_sub(1) }
    }

    /// A place to wait; none if no task would be left to end the wait.
    fn wait(&self) -> Option<ParentWaits<'_>> {
        if self.waiting.fetch_add(1, Ordering::AcqRel) >= self.most {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            return None;
        }
        Some(ParentWaits(self))
    }
}

struct ParentWaits<'p>(&'p Parents);

impl Drop for ParentWaits<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The children of one task; most tasks have none.
#[derive(Debug, Default)]
pub(crate) struct Children {
    all: HashMap<ChildToken, Child>,
    count: u64,
    /// How many have not ended, as far as is known.
    running: usize,
    /// There from the first child on.
    ends: Option<Ends>,
    /// Those of them that were not fetched, in their order.
    unfetched: Vec<ChildToken>,
}

type Outcome = Result<Interface, Failure>;

#[derive(Debug)]
struct Child {
    completion: Option<Completion>,
    /// The channel that it gave back, until it is fetched.
    channel: Option<Interface>,
    is_fetched: bool,
    is_channel_fetched: bool,
}

/// Children that have ended, in their order.
#[derive(Debug)]
struct Ends {
    told: UnboundedReceiver<(ChildToken, Outcome)>,
    tell: UnboundedSender<(ChildToken, Outcome)>,
}

impl Default for Ends {
    fn default() -> Self {
        let (tell, told) = unbounded_channel();
        Self { told, tell }
    }
}

/// Why a command on children failed.
enum Fault {
    Condition(&'static Condition, u32),
    /// It would wait for ever.
    Deadlock,
}

type Done = Result<ChildAnswer, Fault>;

impl Children {
    /// Carries out the worker's request.
    pub(crate) async fn carry_out(&mut self, ask: ChildAsk, starts: &Starts, task: &TaskContext) -> Answer {
        let done = match ask {
            ChildAsk::Run { transaction, interface } => self.run(transaction, interface, starts, task),
            ChildAsk::Fetch { child: Some(child), milliseconds, channel } => {
                self.fetch(child, milliseconds, channel, task).await
            }
            ChildAsk::Fetch { child: None, milliseconds, channel } => {
                self.fetch_any(milliseconds, channel, task).await
            }
            ChildAsk::Free { child } => self.free(child),
        };
        match done {
            Ok(answer) => Answer::Child(answer),
            Err(Fault::Condition(condition, resp2)) => Answer::Condition { resp: condition.number, resp2 },
            Err(Fault::Deadlock) => Answer::Abend {
                code: CODE_DEADLOCK,
                message: "all workers would wait for children that need one: give the region more workers, \
                          or FETCH a TIMEOUT"
                    .to_owned(),
            },
        }
    }

    fn run(&mut self, id: Name<4>, interface: Interface, starts: &Starts, task: &TaskContext) -> Done {
        let condition = |condition: &'static Condition| Err(Fault::Condition(condition, 0));
        if is_of_web(&interface) {
            return condition(&INVREQ);
        }
        let Some(region) = starts.region() else { return condition(&TRANSIDERR) };
        let settings = region.settings();
        let Some(transaction) = settings.transactions.get(&id) else { return condition(&TRANSIDERR) };
        if !transaction.enabled {
            return condition(&DISABLED);
        }
        // The child runs in the region of now, whose rules may be others than those of its parent.
        let whose = Whose::of(task.user, task);
        let may_run = whose.may_run(id, &task.settings);
        let whose = whose.in_region(settings);
        if !may_run || !whose.may_run(id, settings) {
            return Err(Fault::Condition(&NOTAUTH, RESP2_NOT_ALLOWED));
        }
        self.note_all();
        let held = self.all.values().filter(|child| !child.is_fetched || child.channel.is_some());
        // A child that was freed and still runs counts too.
        if held.count().max(self.running) >= task.settings.limits.children_max {
            return condition(&NOSTART);
        }
        let Some(place) = starts.child_place(&task.settings.limits) else { return condition(&NOSTART) };
        self.count += 1;
        let mut child = [0; 16];
        child[..4].copy_from_slice(&task.number.to_be_bytes());
        child[8..].copy_from_slice(&self.count.to_be_bytes());
        let request = Request {
            program: transaction.program,
            transaction: id,
            user: Some(task.user),
            refused_programs: whose.refused_programs,
            caller: whose.caller,
            until: None,
            interface,
        };
        let running = region.run_unattended(request, Beginning::Child);
        let tell = self.ends.get_or_insert_default().tell.clone();
        let shown = String::from_utf8_lossy(&id).trim_end().to_owned();
        let began = starts.unattended.run_task(async move {
            let outcome = running.await;
            drop(place);
            if let Err(failure) = &outcome {
                tracing::warn!("child transaction {shown}: {failure}");
            }
            // The parent may be gone; that is no fault of the child.
            let _ = tell.send((child, outcome));
        });
        if let Err(error) = began {
            tracing::error!("children cannot run: {error}");
            return condition(&NOSTART);
        }
        self.running += 1;
        let new = Child { completion: None, channel: None, is_fetched: false, is_channel_fetched: false };
        self.all.insert(child, new);
        Ok(ChildAnswer::Running { child })
    }

    /// Notes all children that have ended.
    fn note_all(&mut self) {
        while let Some(ended) = self.ends.as_mut().and_then(|ends| ends.told.try_recv().ok()) {
            self.note(ended);
        }
    }

    /// Notes that a child has ended.
    fn note(&mut self, (token, outcome): (ChildToken, Outcome)) {
        self.running -= 1;
        // One that was freed meanwhile is nobody's.
        let Some(child) = self.all.get_mut(&token) else { return };
        let (completion, channel) = match outcome {
            Ok(channel @ Interface::Channel { .. }) => (Completion::Normal, Some(channel)),
            Ok(_) => (Completion::Normal, None),
            Err(Failure::Abend { code, .. }) => (Completion::Abend(wire::name(&code)), None),
            Err(Failure::TimedOut) => (Completion::Abend(CODE_TIMED_OUT), None),
            Err(Failure::OutcomeUnknown(_)) => (Completion::Abend(CODE_UNKNOWN), None),
            Err(Failure::NotBegun(_)) => (Completion::Abend(CODE_NOT_BEGUN), None),
        };
        (child.completion, child.channel) = (Some(completion), channel);
        self.unfetched.push(token);
    }

    async fn fetch(
        &mut self,
        token: ChildToken,
        milliseconds: Option<u64>,
        channel: bool,
        task: &TaskContext,
    ) -> Done {
        let Some(child) = self.all.get(&token) else {
            return Err(Fault::Condition(&INVREQ, RESP2_NO_CHILD));
        };
        if channel && child.is_channel_fetched {
            return Err(Fault::Condition(&INVREQ, RESP2_CHANNEL_FETCHED));
        }
        let has_ended = |children: &Self| children.all[&token].completion.is_some();
        self.wait(milliseconds, task, has_ended).await?;
        Ok(self.give(token, channel))
    }

    async fn fetch_any(&mut self, milliseconds: Option<u64>, channel: bool, task: &TaskContext) -> Done {
        if self.count == 0 {
            return Err(Fault::Condition(&INVREQ, RESP2_NO_CHILDREN));
        }
        if self.all.values().all(|child| child.is_fetched) {
            return Err(Fault::Condition(&NOTFND, RESP2_ALL_FETCHED));
        }
        self.wait(milliseconds, task, |children| !children.unfetched.is_empty()).await?;
        let token = self.unfetched[0];
        Ok(self.give(token, channel))
    }

    /// Waits until it is so.
    async fn wait(
        &mut self,
        milliseconds: Option<u64>,
        task: &TaskContext,
        is_so: impl Fn(&Self) -> bool,
    ) -> Result<(), Fault> {
        self.note_all();
        if is_so(self) {
            return Ok(());
        }
        let _waits = match milliseconds {
            Some(0) => return Err(Fault::Condition(&NOTFINISHED, RESP2_NOT_YET)),
            Some(_) => None,
            None => Some(task.parents.wait().ok_or(Fault::Deadlock)?),
        };
        let until_so = async {
            while !is_so(self) {
                // One sender is ours, so that there is an end as long as there are children.
                let Some(ends) = &mut self.ends else { return };
                let Some(ended) = ends.told.recv().await else { return };
                self.note(ended);
            }
        };
        match milliseconds {
            None => until_so.await,
            Some(milliseconds) => tokio::time::timeout(Duration::from_millis(milliseconds), until_so)
                .await
                .map_err(|_| Fault::Condition(&NOTFINISHED, RESP2_TIMEOUT))?,
        }
        Ok(())
    }

    /// The answer about a child that has ended.
    fn give(&mut self, token: ChildToken, channel: bool) -> ChildAnswer {
        self.unfetched.retain(|unfetched| *unfetched != token);
        let child = self.all.get_mut(&token).expect("a child that was just found");
        child.is_fetched = true;
        child.is_channel_fetched |= channel;
        let interface = if channel { child.channel.take() } else { None };
        ChildAnswer::Fetched {
            child: token,
            completion: child.completion.unwrap_or(Completion::Normal),
            interface: interface.unwrap_or_default(),
        }
    }

    fn free(&mut self, token: ChildToken) -> Done {
        self.unfetched.retain(|unfetched| *unfetched != token);
        match self.all.remove(&token) {
            Some(_) => Ok(ChildAnswer::Done),
            None => Err(Fault::Condition(&INVREQ, RESP2_NO_CHILD)),
        }
    }
}
