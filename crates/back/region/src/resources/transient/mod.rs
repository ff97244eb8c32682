//! Transient data queues: records in the store that are read once, or lines of a file outside.
//!
//! A logically recoverable queue is locked until the syncpoint, at the end where a task reads and at the end
//! where it writes. A physically recoverable queue keeps its records whatever happens to the task. The others
//! may lose what was written within the last second before a crash.

mod lines;
pub(crate) mod triggers;

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use program::conditions::{
    Condition, DISABLED, INVREQ, IOERR, LENGERR, NOSPACE, NOTOPEN, QBUSY, QIDERR, QZERO,
};
use store::{Definition, ErrorKind, Logs, Organization, Positions, Recovery, Unit};
use wire::{Answer, Name, TRANSIENT_MAX_BYTES, TransientAnswer, TransientAsk};

use crate::resources::durable::Opened;
use crate::resources::files::FileStatus;
use crate::resources::transient::lines::{Lines, LinesOut};
use crate::resources::transient::triggers::{Touched, Trigger, check_soon};
use crate::resources::trouble::{LockOf, Trouble, refused};
use crate::resources::unit::{Waits, commit, opened};
use crate::work::Work;

/// A transient data queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransientDefinition {
    /// Its name.
    pub name: Name<4>,
    /// Where its records are.
    pub place: TransientPlace,
    /// Whether it can be used.
    pub status: FileStatus,
    /// The task that starts when the queue has this many records; for queues in the store.
    pub trigger: Option<Trigger>,
}

/// Where the records of a queue are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransientPlace {
    /// In the store: intrapartition.
    Store(TransientRecovery),
    /// In a file that programs read line by line: extrapartition.
    Input(PathBuf),
    /// In a file to which programs add lines: extrapartition.
    Output(PathBuf),
}

/// What happens to records when a task or the region fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransientRecovery {
    /// They stay, but may be lost in a crash.
    No,
    /// They stay, also after a crash.
    Physical,
    /// Units of work commit and back them out.
    Logical,
}

/// All queues of a region that runs.
#[derive(Debug, Default)]
pub(crate) struct Transients(HashMap<Name<4>, Arc<Transient>>);

#[derive(Debug)]
pub(crate) struct Transient {
    definition: TransientDefinition,
    opened: Medium,
}

#[derive(Debug)]
enum Medium {
    Store(TransientRecovery, Logs),
    Input(Mutex<Lines<BufReader<File>>>),
    Output(Mutex<LinesOut>),
}

/// The ends of logically recoverable queues that a task has, until its next syncpoint.
#[derive(Debug, Default)]
pub(crate) struct TaskTransients {
    writes: HashSet<Name<4>>,
    /// The unit's changes of queues with trigger levels.
    touched: Touched,
}

impl TaskTransients {
    pub(crate) fn end_unit(&mut self) {
        self.writes.clear();
    }

    /// Takes the unit's changes of queues with trigger levels, for the time after its commit.
    pub(crate) fn take_touched(&mut self) -> Touched {
        std::mem::take(&mut self.touched)
    }
}

impl Transients {
    /// Opens all queues.
    ///
    /// # Errors
    /// The store has one otherwise, or a file cannot be opened: the reason for people.
    pub(crate) fn open(definitions: &[TransientDefinition], opened: Option<&Opened>) -> Result<Self, String> {
        let open = |definition: &TransientDefinition| {
            let shown = String::from_utf8_lossy(&definition.name).into_owned();
            let at = |message: String| format!("transient data queue {}: {message}", shown.trim_end());
            let medium = Medium::open(&definition.place, opened).map_err(at)?;
            Ok((definition.name, Arc::new(Transient { definition: definition.clone(), opened: medium })))
        };
        definitions.iter().map(open).collect::<Result<_, String>>().map(Self)
    }
}

impl Transients {
    /// The trigger of a queue that can be used, and its records.
    pub(crate) fn trigger(&self, queue: Name<4>) -> Option<(&Trigger, &Logs)> {
        let Transient { definition, opened } = self.0.get(&queue)?.as_ref();
        match opened {
            Medium::Store(_, logs) if definition.status == FileStatus::Open => {
                Some((definition.trigger.as_ref()?, logs))
            }
            _ => None,
        }
    }

    /// The queues that have their records in the store.
    pub(crate) fn in_store(&self) -> impl Iterator<Item = (Name<4>, &Logs)> {
        self.0.iter().filter_map(|(name, queue)| match &queue.opened {
            Medium::Store(_, logs) => Some((*name, logs)),
            Medium::Input(_) | Medium::Output(_) => None,
        })
    }

    /// The queues that have trigger levels.
    pub(crate) fn with_triggers(&self) -> impl Iterator<Item = Name<4>> {
        self.0
            .values()
            .map(|queue| &queue.definition)
            .filter(|queue| queue.trigger.is_some())
            .map(|queue| queue.name)
    }
}

impl Medium {
    fn open(place: &TransientPlace, opened: Option<&Opened>) -> Result<Self, String> {
        let at = |path: &PathBuf| {
            let path = path.display().to_string();
            move |error: io::Error| format!("{path}: {error}")
        };
        match place {
            TransientPlace::Store(recovery) => {
                let opened = opened.ok_or("the store is not open")?;
                let (name, kept) = match recovery {
                    TransientRecovery::No => ("td.plain", Recovery::NotRecoverable),
                    _ => ("td.recoverable", Recovery::Recoverable),
                };
                let organization = Organization::Logs(Positions::Unique);
                let definition = Definition { name: name.to_owned(), organization, recovery: kept };
                let logs = opened.store.logs(&definition).map_err(|error| error.to_string())?;
                Ok(Medium::Store(*recovery, logs))
            }
            TransientPlace::Input(path) => {
                let file = File::open(path).map_err(at(path))?;
                Ok(Medium::Input(Mutex::new(Lines::new(BufReader::new(file)))))
            }
            TransientPlace::Output(path) => {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder).map_err(at(path))?;
                }
                Ok(Medium::Output(Mutex::new(LinesOut::open(path).map_err(at(path))?)))
            }
        }
    }
}

fn raise<T>(condition: &Condition) -> Result<T, Answer> {
    Err(refused(condition, 0))
}

fn told(trouble: Trouble) -> Answer {
    match trouble.kind {
        ErrorKind::Busy => refused(&QBUSY, 0),
        ErrorKind::NotFound => refused(&QZERO, 0),
        _ => trouble.answer(LockOf::Other),
    }
}

/// The name that a task holds while it reads or writes at an end of a queue.
fn end_name(queue: Name<4>, end: u8) -> Vec<u8> {
    [END_NAME.as_slice(), &queue, &[end]].concat()
}

/// The first bytes of these names. Units in doubt have them in the store.
const END_NAME: &[u8; 4] = b"\0td\0";

/// True if a name that a program gives is also that of an end of a queue.
pub(crate) fn is_end_name(name: &[u8]) -> bool {
    name.len() == END_NAME.len() + 5 && name.starts_with(END_NAME)
}

impl Transients {
    /// True if the region has the queue.
    pub(crate) fn has(&self, queue: Name<4>) -> bool {
        self.0.contains_key(&queue)
    }
}

const READ_END: u8 = b'R';
const WRITE_END: u8 = b'W';

impl Work {
    /// Carries out a command on a transient data queue.
    ///
    /// # Errors
    /// The resulting condition or abend.
    pub(crate) async fn transient(&mut self, ask: TransientAsk) -> Result<Answer, Answer> {
        let (TransientAsk::Write { queue, .. }
        | TransientAsk::Read { queue, .. }
        | TransientAsk::Delete { queue }) = &ask;
        let Some(found) = self.all_transients.0.get(queue).cloned() else { return raise(&QIDERR) };
        match found.definition.status {
            FileStatus::Open => {}
            FileStatus::Closed => return raise(&NOTOPEN),
            FileStatus::Disabled => return raise(&DISABLED),
        }
        match ask {
            TransientAsk::Write { data, .. } => self.write_transient(found, data).await,
            TransientAsk::Read { waits, .. } => self.read_transient(found, Waits::when(waits)).await,
            TransientAsk::Delete { .. } => self.delete_transient(&found).await,
        }
    }

    async fn write_transient(&mut self, queue: Arc<Transient>, data: Vec<u8>) -> Result<Answer, Answer> {
        if data.is_empty() || data.len() > TRANSIENT_MAX_BYTES {
            return raise(&LENGERR);
        }
        let name = queue.definition.name;
        match &queue.opened {
            Medium::Store(TransientRecovery::Logical, logs) => {
                let end = end_name(name, WRITE_END);
                let locked = self.unit.lock(Waits::Yes, |_, unit| unit.enqueue(&end));
                locked.await.map_err(|trouble| trouble.answer(LockOf::Other))?;
                self.transients.writes.insert(name);
                self.unit.with(|_, unit| unit.append(logs, &name, data)).await.map_err(told)?;
                if queue.definition.trigger.is_some() {
                    self.transients.touched.write(name);
                }
            }
            Medium::Store(TransientRecovery::Physical, logs) => {
                let mut unit = self.own_unit().await?;
                unit.append(logs, &name, data).map_err(|error| told(error.into()))?;
                commit(unit).await.map_err(told)?;
            }
            Medium::Store(TransientRecovery::No, logs) => {
                let logs = logs.clone();
                let appended = move |_: &Opened, unit: &mut Unit| unit.append(&logs, &name, data);
                self.unit.change(Recovery::NotRecoverable, appended).await.map_err(told)?;
            }
            Medium::Output(_) => {
                return outside(queue, move |queue| queue.write_line(data)).await.map(|()| Answer::Done);
            }
            Medium::Input(_) => return raise(&INVREQ),
        }
        if queue.counts_at_once() {
            check_soon(&self.resources, name);
        }
        Ok(Answer::Done)
    }

    async fn read_transient(&mut self, queue: Arc<Transient>, waits: Waits) -> Result<Answer, Answer> {
        let name = queue.definition.name;
        let data = match &queue.opened {
            Medium::Store(TransientRecovery::Logical, logs) => self.read_logical(name, logs, waits).await?,
            Medium::Store(TransientRecovery::Physical, logs) => {
                let mut unit = self.own_unit().await?;
                let item = unit.take_first(logs, &name).map_err(|error| told(error.into()))?;
                commit(unit).await.map_err(told)?;
                item.map(|item| item.value)
            }
            Medium::Store(TransientRecovery::No, logs) => {
                let logs = logs.clone();
                let taken = move |_: &Opened, unit: &mut Unit| unit.take_first(&logs, &name);
                let taken = self.unit.change(Recovery::NotRecoverable, taken).await.map_err(told)?;
                taken.map(|item| item.value)
            }
            Medium::Input(_) => outside(queue.clone(), |queue| queue.read_line()).await?,
            Medium::Output(_) => return raise(&INVREQ),
        };
        match data {
            Some(data) => Ok(Answer::Transient(TransientAnswer { data })),
            None => {
                self.note_empty(&queue);
                raise(&QZERO)
            }
        }
    }

    /// A queue was read to its end, or deleted: its trigger counts anew, now or when the unit of work has committed.
    fn note_empty(&mut self, queue: &Transient) {
        match queue.definition.trigger {
            None => {}
            Some(_) if queue.counts_at_once() => {
                self.resources.triggers.emptied(queue.definition.name);
                // A task that has written since the last check may have found the last cycle, and started
                // nothing.
                check_soon(&self.resources, queue.definition.name);
            }
            Some(_) => self.transients.touched.empty(queue.definition.name),
        }
    }

    /// The next committed record, or one of the task's own. Without any, it waits for a task that is writing some.
    async fn read_logical(
        &mut self,
        name: Name<4>,
        logs: &Logs,
        waits: Waits,
    ) -> Result<Option<Vec<u8>>, Answer> {
        let end = end_name(name, READ_END);
        self.unit.lock(waits, |_, unit| unit.enqueue(&end)).await.map_err(told)?;
        loop {
            let taken = self.unit.with(|_, unit| unit.take_first(logs, &name)).await.map_err(told)?;
            if let Some(item) = taken {
                return Ok(Some(item.value));
            }
            if self.transients.writes.contains(&name) {
                return Ok(None);
            }
            let end = end_name(name, WRITE_END);
            let before = self.unit.lock(Waits::No, |_, unit| unit.enqueue(&end)).await;
            match before {
                Err(trouble) if trouble.kind == ErrorKind::Busy && waits == Waits::Yes => {
                    self.unit.lock(waits, |_, unit| unit.enqueue(&end)).await.map_err(told)?;
                    self.give_up_end(&end).await?;
                }
                Err(trouble) => return Err(told(trouble)),
                // Nobody writes.
                Ok(()) => {
                    self.give_up_end(&end).await?;
                    return Ok(None);
                }
            }
        }
    }

    async fn give_up_end(&mut self, end: &[u8]) -> Result<(), Answer> {
        let given_up = self.unit.with(|_, unit| {
            unit.dequeue(end);
            Ok(())
        });
        given_up.await.map_err(told)
    }

    async fn delete_transient(&mut self, queue: &Transient) -> Result<Answer, Answer> {
        let name = queue.definition.name;
        let Medium::Store(recovery, logs) = &queue.opened else { return raise(&INVREQ) };
        let cleared = match recovery {
            TransientRecovery::Logical => {
                for end in [READ_END, WRITE_END] {
                    let end = end_name(name, end);
                    let locked = self.unit.lock(Waits::Yes, |_, unit| unit.enqueue(&end));
                    locked.await.map_err(|trouble| trouble.answer(LockOf::Other))?;
                }
                self.transients.writes.insert(name);
                self.unit.with(|_, unit| unit.clear(logs, &name)).await
            }
            TransientRecovery::Physical => {
                let mut unit = self.own_unit().await?;
                match unit.clear(logs, &name) {
                    Ok(()) => commit(unit).await,
                    Err(error) => Err(error.into()),
                }
            }
            TransientRecovery::No => {
                let logs = logs.clone();
                let clear = move |_: &Opened, unit: &mut Unit| unit.clear(&logs, &name);
                self.unit.change(Recovery::NotRecoverable, clear).await
            }
        };
        match cleared {
            // A queue without records can be deleted, too.
            Err(trouble) if trouble.kind != ErrorKind::NotFound => Err(told(trouble)),
            _ => {
                self.note_empty(queue);
                Ok(Answer::Done)
            }
        }
    }

    /// A unit for one command alone.
    async fn own_unit(&self) -> Result<Unit, Answer> {
        let opened = opened(&self.resources).await.map_err(told)?;
        opened.store.unit().map_err(|error| told(error.into()))
    }
}

/// Reads or writes a file outside of the store, where blocking is allowed.
async fn outside<T: Send + 'static>(
    queue: Arc<Transient>,
    work: impl FnOnce(&Transient) -> io::Result<T> + Send + 'static,
) -> Result<T, Answer> {
    let done = tokio::task::spawn_blocking(move || {
        let done = work(&queue);
        if let Err(error) = &done {
            let name = String::from_utf8_lossy(&queue.definition.name).into_owned();
            tracing::error!("transient data queue {}: {error}", name.trim_end());
        }
        done
    });
    match done.await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) if error.kind() == io::ErrorKind::StorageFull => raise(&NOSPACE),
        Ok(Err(error)) if error.kind() == io::ErrorKind::InvalidData => raise(&LENGERR),
        _ => raise(&IOERR),
    }
}

impl Transient {
    /// True if its trigger counts each command at once, not only with its unit of work.
    fn counts_at_once(&self) -> bool {
        self.definition.trigger.is_some()
            && !matches!(self.opened, Medium::Store(TransientRecovery::Logical, _))
    }

    /// Adds a line; whole, since others may add some too.
    fn write_line(&self, data: Vec<u8>) -> io::Result<()> {
        let Medium::Output(lines) = &self.opened else { return Ok(()) };
        lines.lock().unwrap_or_else(PoisonError::into_inner).add(data)
    }

    /// The next line without its end; none at the end of the file, until something is added.
    fn read_line(&self) -> io::Result<Option<Vec<u8>>> {
        let Medium::Input(lines) = &self.opened else { return Ok(None) };
        lines.lock().unwrap_or_else(PoisonError::into_inner).next()
    }
}
