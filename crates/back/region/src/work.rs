//! The work of a region for one task: it answers the requests of the task's worker, and ends what the task began.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use program::conditions::INVREQ;
use store::ErrorKind;
use wire::{Answer, Ask, Name, StartedData, WebAnswer};

use crate::around::outward as surroundings;
use crate::definitions::{Defined, Definitions};
use crate::link::partners::Partners;
use crate::region::Failure;
use crate::resources::Resources;
use crate::resources::catalogue::Catalogue;
use crate::resources::enqueues::Enqueues;
use crate::resources::files::{Files, TaskFiles};
use crate::resources::messages::TaskMessages;
use crate::resources::temporary::TaskQueues;
use crate::resources::temporary::shared::Pools;
use crate::resources::transient::{TaskTransients, Transients};
use crate::resources::trouble::{Trouble, refused};
use crate::resources::unit::UnitOfWork;
use crate::rights::TaskCaller;
use crate::rights::user_id;
use crate::settings::Settings;
use crate::starts::children::{Children, Parents};
use crate::starts::{Kept, TaskStarts};

/// The abend of a task whose unit of work the store could not commit, and has backed out.
pub(crate) const NOT_COMMITTED: [u8; 4] = *b"ASP7";

/// The abend of a task, as programs see it, if it is not known whether its unit was committed.
const UNKNOWN: [u8; 4] = *b"GUNK";

/// The abend of a task whose unit of work another region could not commit, so that it is backed out everywhere.
const ROLLED_BACK: &str = "ASP3";

/// Why a task whose program is in another region has not run.
const LOST: &str = "the link to the region of its program broke, and its changes there are backed out";

/// RESP2 of INVREQ: the command is not allowed while another region decides the unit of work.
const RESP2_NOT_HERE: u32 = 200;

/// The work of one task in its region.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) resources: Arc<Resources>,
    pub(crate) definitions: Arc<Definitions>,
    /// The names that INQUIRE knows.
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) unit: UnitOfWork,
    /// Locks that outlive syncpoints. It never has changes.
    pub(crate) for_task: UnitOfWork,
    pub(crate) enqueues: Enqueues,
    pub(crate) queues: TaskQueues,
    /// The pools of shared queues.
    pub(crate) pools: Arc<Pools>,
    /// The files of the region.
    pub(crate) all_files: Arc<Files>,
    /// The task's work in files.
    pub(crate) files: TaskFiles,
    /// The transient data queues of the region.
    pub(crate) all_transients: Arc<Transients>,
    /// The task's work in transient data queues.
    pub(crate) transients: TaskTransients,
    pub(crate) task: TaskContext,
    pub(crate) starts: TaskStarts,
    children: Children,
    /// The task's work with queues of messages.
    pub(crate) messages: TaskMessages,
    /// The task's work in other regions.
    pub(crate) partners: Partners,
    /// The answer over HTTP that the task has sent with IMMEDIATE.
    pub(crate) web_sent: Option<Box<WebAnswer>>,
    /// A syncpoint has failed, and nobody knows whether its changes are there.
    unknown: Option<String>,
}

/// The facts about a task that its work needs.
#[derive(Debug)]
pub(crate) struct TaskContext {
    pub(crate) settings: Arc<Settings>,
    pub(crate) parents: Arc<Parents>,
    /// EIBTASKN.
    pub(crate) number: u32,
    pub(crate) transaction: Name<4>,
    pub(crate) user: Name<8>,
    /// The caller of the task, and the programs that it may not run. Tasks that the task begins under the
    /// same user have both too.
    pub(crate) caller: Option<Arc<TaskCaller>>,
    pub(crate) refused_programs: Vec<Name<8>>,
    /// When it got its worker, and how long it may take from then.
    pub(crate) began: Instant,
    pub(crate) wall_max: Duration,
    /// When its caller stops waiting, if the caller does so.
    pub(crate) until: Option<Instant>,
}

impl TaskContext {
    /// The longest time that the task may wait now. A tenth of its time stays, so that the program hears of the end of a wait before
    /// the task is ended or its caller leaves.
    pub(crate) fn wait_max(&self) -> Duration {
        let own = (self.wall_max - self.wall_max / 10).saturating_sub(self.began.elapsed());
        let of_caller = self.time_of_caller();
        own.min(of_caller - of_caller / 10)
    }

    /// The time from now on that its caller waits.
    pub(crate) fn time_of_caller(&self) -> Duration {
        self.until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()))
    }
}

/// How a task has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskEnd {
    /// Its first program has returned.
    Normal,
    /// By an abend, or its worker is gone.
    Abnormal,
}

impl Work {
    pub(crate) fn new(resources: Arc<Resources>, defined: &Defined, task: TaskContext) -> Self {
        let begin = || UnitOfWork::new(resources.clone(), task.settings.limits.lock_wait_max);
        Self {
            unit: begin(),
            for_task: begin(),
            resources,
            definitions: defined.definitions.clone(),
            catalogue: defined.catalogue.clone(),
            all_files: defined.files.clone(),
            pools: defined.pools.clone(),
            files: TaskFiles::default(),
            all_transients: defined.transients.clone(),
            transients: TaskTransients::default(),
            enqueues: Enqueues::default(),
            queues: TaskQueues::default(),
            task,
            starts: TaskStarts::default(),
            children: Children::default(),
            messages: TaskMessages::default(),
            partners: Partners::default(),
            web_sent: None,
            unknown: None,
        }
    }

    /// From now on this is the work of this user, without groups; none for the default user.
    pub(crate) fn is_for_user(&mut self, user: Option<&str>) {
        let settings = &self.task.settings;
        let caller = user.map(TaskCaller::named);
        self.task.refused_programs =
            settings.rights.refused_programs(caller.as_ref().map(TaskCaller::caller));
        self.task.user = user.map_or(settings.default_user, user_id);
        self.task.caller = caller.map(Arc::new);
    }

    /// The task was begun by START.
    pub(crate) fn was_started_with(&mut self, data: StartedData, kept: Option<Kept>) {
        self.starts.began(data, kept);
    }

    /// Carries out the worker's request. Requests to other regions and servers are boxed: the future of each
    /// task is as large as its largest part, and is copied.
    pub(crate) async fn carry_out(&mut self, ask: Ask) -> Answer {
        let answer = match ask {
            Ask::Queue(ask) => self.temporary(ask).await,
            Ask::Enqueue(ask) => self.enqueue(ask).await,
            Ask::File(ask) => self.file(ask).await,
            Ask::Transient(ask) => self.transient(ask).await,
            Ask::Link(ask) => Box::pin(self.link(ask)).await,
            Ask::RemoteQueue { sysid, ask } => Box::pin(self.remote_queue(sysid, ask)).await,
            Ask::Syncpoint { .. } if self.partners.is_joined() => Err(refused(&INVREQ, RESP2_NOT_HERE)),
            Ask::Syncpoint { rollback: false } => self.commit().await.map(|()| Answer::Done),
            Ask::Syncpoint { rollback: true } => {
                self.back_out();
                Ok(Answer::Done)
            }
            Ask::Start(ask) => Box::pin(self.start(ask)).await,
            Ask::RemoteStart { sysid, ask } => Box::pin(self.remote_start(sysid, ask)).await,
            Ask::Child(ask) => Ok(self.children.carry_out(ask, &self.resources.starts, &self.task).await),
            Ask::Message(ask) => Ok(Answer::Message(Box::pin(self.message(ask)).await)),
            Ask::Counter(ask) => Ok(crate::resources::counters::carry_out(ask, &self.resources).await),
            Ask::Resource(ask) => self.resource(ask),
            Ask::WebSent(answer) => {
                // The first answer counts, as in CICS; a worker that sends another one is wrong.
                self.web_sent.get_or_insert(answer);
                Ok(Answer::Done)
            }
            Ask::Call(ask) => {
                let time_left = self.task.wait_max();
                Ok(surroundings::carry_out(ask, &self.resources, &self.task, time_left).await)
            }
        };
        answer.unwrap_or_else(|refused| refused)
    }

    /// Ends the task's work before its caller gets an answer. Nothing is to be done with it afterwards.
    ///
    /// # Errors
    /// The task fails though its program has returned.
    pub(crate) async fn end(&mut self, end: TaskEnd) -> Result<(), Failure> {
        let committed = match end {
            TaskEnd::Normal => self.commit().await,
            TaskEnd::Abnormal => Ok(()),
        };
        let has_failed = end == TaskEnd::Abnormal || (committed.is_err() && self.unknown.is_none());
        if has_failed {
            self.back_out();
            if self.starts.is_elsewhere() && self.partners.have_lost_one() {
                self.messages.close();
                return Err(Failure::NotBegun(LOST.to_owned()));
            }
            self.starts.give_up(&self.resources).await;
        }
        self.messages.close();
        match (self.unknown.take(), committed) {
            (Some(message), _) => Err(Failure::OutcomeUnknown(message)),
            (None, Err(Answer::Abend { code, message })) => {
                let code = String::from_utf8_lossy(&code).into_owned();
                Err(Failure::Abend { code, program: String::new(), message })
            }
            (None, Err(_)) => {
                let message =
                    "the unit of work was backed out: another region could not commit it".to_owned();
                Err(Failure::Abend { code: ROLLED_BACK.to_owned(), program: String::new(), message })
            }
            _ => Ok(()),
        }
    }

    /// A syncpoint: all that is recoverable is committed, and the locks of the unit are free.
    async fn commit(&mut self) -> Result<(), Answer> {
        self.check_not_doomed()?;
        let deleted = self.queues.take_deleted();
        self.files.end_unit();
        self.transients.end_unit();
        self.enqueues.keep_those_of_the_task();
        let begin = self.starts.beginning(&self.resources.starts);
        // The store's own thread calls this. It must not drop the last reference to the resources, because
        // their drop waits for that thread.
        let touched = self.transients.take_touched();
        let resources = (!touched.is_empty()).then(|| Arc::downgrade(&self.resources));
        let messages = self.messages.committing();
        let begin = move || {
            begin();
            messages();
            if let Some(resources) = resources.and_then(|resources| resources.upgrade()) {
                touched.committed(&resources);
            }
        };
        let committed = match self.starts.settle(&mut self.unit).await {
            Err(trouble) => {
                self.unit.back_out();
                self.partners.leave();
                Err(trouble)
            }
            Ok(()) if self.partners.is_alone() => self.unit.commit_and(begin).await,
            Ok(()) => match Box::pin(self.commit_with_partners(begin)).await {
                Ok(committed) => committed,
                Err(answer) => {
                    self.messages.failed(false);
                    return Err(answer);
                }
            },
        };
        if let Err(Trouble { kind, message }) = committed {
            self.messages.failed(kind == ErrorKind::Unknown);
            tracing::error!("a unit of work was not committed: {message}");
            if kind != ErrorKind::Unknown {
                return Err(Answer::Abend { code: NOT_COMMITTED, message });
            }
            // Whether the unit is there nobody knows, nor whether the tasks that it starts are.
            self.unknown.get_or_insert_with(|| message.clone());
            return Err(Answer::Abend { code: UNKNOWN, message });
        }
        self.forget_cursors(&deleted);
        self.starts.settled();
        Ok(())
    }

    /// The queues are gone, and with them the places of their readers.
    fn forget_cursors(&self, queues: &HashSet<Vec<u8>>) {
        if !queues.is_empty() {
            let mut cursors = self.resources.cursors.lock().unwrap_or_else(PoisonError::into_inner);
            queues.iter().for_each(|queue| cursors.remove(queue));
        }
    }

    /// SYNCPOINT ROLLBACK: recoverable resources are as they were at the last syncpoint.
    pub(crate) fn back_out(&mut self) {
        self.queues.take_deleted();
        self.files.end_unit();
        self.transients.end_unit();
        self.transients.take_touched();
        self.enqueues.keep_those_of_the_task();
        // The unit's locks are free before its messages can be got again.
        self.unit.back_out();
        self.messages.back_out();
        self.starts.back_out();
        self.partners.leave();
    }

    /// True if something depends on the end of the unit of work: changes, locks, tasks to start, or parts in
    /// other regions.
    pub(crate) fn is_begun(&self) -> bool {
        let elsewhere = !self.partners.is_alone() || self.partners.is_doomed();
        self.unit.is_begun() || self.for_task.is_begun() || elsewhere
    }

    /// Another region has decided to commit, and the store has done so: the rest follows.
    pub(crate) fn was_committed(&mut self) {
        let deleted = self.queues.take_deleted();
        self.forget_cursors(&deleted);
        self.starts.beginning(&self.resources.starts)();
        self.transients.take_touched().committed(&self.resources);
        self.messages.committing()();
        self.starts.settled();
    }
}
