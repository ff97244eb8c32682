//! Tasks whose programs run one after the other, in one unit of work: those of a SOAP pipeline, and those that begin with a
//! message ([`MessageTask`]).
//!
//! Each program gets a worker when it is linked, and gives it back when it returns. Quick programs go to a worker together with
//! those of other tasks, as calls do. The changes of a program stay in the unit of work of the task, with its locks, until
//! the task ends. Between two programs the task holds no worker. If all workers wait for its locks meanwhile, they wait no longer
//! than any task does (`lock_wait_max`).

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use queue::{Manager, Scope};
use service::{
    CallContext, Channel, EndFuture, Error, LinkError, LinkFuture, LinkedChannel, ProgramRunner, ProgramTask,
};
use tokio::sync::Mutex;
use wire::{Interface, Name, name, soap_fault};

use crate::around::provider::{Slot, check_program, error, from_program, taken_fault, to_program};
use crate::region::{Failure, Region, Request};
use crate::rights::{TaskCaller, user_id};
use crate::work::{TaskEnd, Work};

/// The longest name of a program.
const PROGRAM_NAME_BYTES: usize = 8;

/// Begins tasks of several programs in a region.
#[derive(Debug)]
pub struct TaskRunner {
    /// The region.
    pub region: Arc<Slot>,
    /// The code page of its programs.
    pub ccsid: u16,
    /// The transaction of its tasks: CPIH with CICS.
    pub transaction: Name<4>,
}

impl ProgramRunner for TaskRunner {
    fn begin(&self, context: CallContext<'_>) -> Result<Arc<dyn ProgramTask>, Error> {
        let Some(region) = self.region.get() else {
            return Err(Error::refused("the region of the pipeline is not started"));
        };
        let rights = &region.settings().rights;
        if !rights.allow_transaction(self.transaction, context.caller) {
            let transaction = wire::shown(&self.transaction);
            let message =
                format!("expected a user who may run the transaction {transaction} of the pipeline");
            return Err(Error::not_authorized(message));
        }
        let first = Request {
            program: [b' '; 8],
            transaction: self.transaction,
            user: context.caller.map(|caller| user_id(caller.user)),
            refused_programs: rights.refused_programs(context.caller),
            caller: context.caller.map(|caller| Arc::new(TaskCaller::of(caller))),
            until: Instant::now().checked_add(context.time_left),
            interface: Interface::None,
        };
        Ok(Arc::new(RegionTask::new(region.clone(), first)))
    }

    fn ccsid(&self) -> u16 {
        self.ccsid
    }
}

/// A task of several programs.
#[derive(Clone, Debug)]
pub(crate) struct RegionTask(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    region: Arc<Region>,
    /// EIBTASKN of all its programs.
    number: u32,
    /// All its programs have this in common.
    first: Request,
    work: Mutex<Work>,
}

impl RegionTask {
    fn new(region: Arc<Region>, first: Request) -> Self {
        let work = Mutex::new(region.work(first.user));
        Self(Arc::new(Inner { number: region.next_task_number(), region, first, work }))
    }

    /// The task, if it is one of this region.
    pub(crate) fn of(task: &Arc<dyn ProgramTask>, region: &Arc<Region>) -> Option<Self> {
        let any: &dyn Any = &**task;
        let own = any.downcast_ref::<Self>()?;
        Arc::ptr_eq(&own.0.region, region).then(|| own.clone())
    }

    /// Runs a program of the task.
    ///
    /// # Errors
    /// It was not begun, or has failed.
    pub(crate) async fn run(&self, request: Request) -> Result<Interface, Failure> {
        let Inner { region, number, work, .. } = &*self.0;
        let mut work = work.lock().await;
        region.run_within(request, *number, &mut work).await
    }

    async fn link(self, program: String, given: LinkedChannel) -> Result<LinkedChannel, LinkError> {
        let is_name = (1..=PROGRAM_NAME_BYTES).contains(&program.len()) && program.is_ascii();
        if !is_name {
            let expected = "expected a program of 1 to 8 characters";
            return Err(not_called(Error::refused(format!("{expected}, found {program:?}"))));
        }
        let own: Name<8> = name(&program);
        let Inner { region, first, .. } = &*self.0;
        if first.refused_programs.contains(&own) {
            let message = format!("expected a user who may run the program {program}");
            return Err(not_called(Error::not_authorized(message)));
        }
        check_program(region, own).map_err(not_called)?;
        let containers = given.channel.into_containers().into_iter().map(to_program);
        let mut containers: Vec<_> = containers.collect();
        containers.extend(given.fault.as_ref().map(soap_fault::container));
        let interface = Interface::Channel { name: name(&given.name), containers };
        let answer = self
            .run(Request { program: own, interface, ..first.clone() })
            .await
            .map_err(|failure| LinkError { abend: abend_code(&failure), error: error(failure) })?;
        let Interface::Channel { mut containers, .. } = answer else {
            return Err(not_called(Error::failed("the program gave back something else than a channel")));
        };
        let fault = taken_fault(&mut containers).map_err(not_called)?;
        let channel = Channel::of(containers.into_iter().map(from_program).collect());
        Ok(LinkedChannel { name: given.name, channel, fault })
    }
}

/// A program that has no abend.
fn not_called(error: Error) -> LinkError {
    LinkError { abend: None, error }
}

fn abend_code(failure: &Failure) -> Option<String> {
    match failure {
        Failure::Abend { code, .. } => Some(code.clone()),
        _ => None,
    }
}

impl ProgramTask for RegionTask {
    fn link(&self, program: &str, channel: LinkedChannel) -> LinkFuture {
        Box::pin(self.clone().link(program.to_owned(), channel))
    }

    fn back_out(&self) -> EndFuture {
        let task = self.clone();
        Box::pin(async move {
            task.0.work.lock().await.back_out();
            Ok(())
        })
    }

    fn end(&self) -> EndFuture {
        let task = self.clone();
        Box::pin(async move { task.0.work.lock().await.end(TaskEnd::Normal).await.map_err(error) })
    }
}

/// A task that begins with a message. The message, the changes of its programs, and the reply are one unit of
/// work.
#[derive(Debug)]
pub struct MessageTask(RegionTask);

impl MessageTask {
    /// Begins a task in a unit that has got a message. It has no worker until a program is called with it, as the task of a
    /// [`CallContext`].
    ///
    /// # Errors
    /// The region has another store than the messages, or none; the unit is given back.
    pub async fn begin(
        region: &Arc<Region>,
        caller: Option<&TaskCaller>,
        (got, manager): (queue::Work, &Manager),
    ) -> Result<Self, queue::Work> {
        let first = Request {
            program: [b' '; 8],
            transaction: [b' '; 4],
            user: caller.map(|caller| user_id(&caller.user)),
            refused_programs: Vec::new(),
            caller: None,
            until: None,
            interface: Interface::None,
        };
        let task = RegionTask::new(region.clone(), first);
        task.0.work.lock().await.take_over(got, manager).await?;
        Ok(Self(task))
    }

    /// The task, for the context of a call.
    #[must_use]
    pub fn task(&self) -> Arc<dyn ProgramTask> {
        Arc::new(self.0.clone())
    }

    /// Does something with queues in the unit of work of the task.
    ///
    /// # Errors
    /// The store has no unit for it.
    pub async fn with_messages<T>(&self, act: impl FnOnce(&mut Scope<'_>) -> T) -> Result<T, Error> {
        let mut work = self.0.0.work.lock().await;
        work.with_messages(act).await.map_err(|trouble| Error::refused(trouble.message))
    }

    /// True if a program has backed out the unit with the message (SYNCPOINT ROLLBACK).
    pub async fn was_backed_out(&self) -> bool {
        self.0.0.work.lock().await.messages.was_backed_out
    }

    /// Commits, and ends the task.
    ///
    /// # Errors
    /// It was backed out instead, or nobody knows how it has ended.
    pub async fn end(self) -> Result<(), Error> {
        self.0.end().await
    }

    /// Backs out, and ends the task. The message is counted.
    pub async fn back_out(self) {
        self.0.0.work.lock().await.back_out();
    }

    /// Backs out, and ends the task. The message is not counted: no program has had it.
    pub async fn undo(self) {
        self.0.0.work.lock().await.undo();
    }
}
