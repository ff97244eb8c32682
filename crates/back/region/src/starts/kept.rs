//! Protected STARTs in the region's store. Each has a record, which is written with its unit of work, and
//! deleted with the first unit of work of the task that it begins. The next region begins tasks that a killed
//! region had not begun or not ended.

use std::collections::HashSet;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use store::{Direction, ErrorKind};
use tokio::sync::oneshot;
use tokio::time::Instant;
use waiting::{Pauses, random};
use wire::bytes::{Reader, put_bytes};
use wire::{BadMessage, Name, Start, StartAsk};

use super::complaints::Complaints;
use super::{Due, Starts, Whose};
use crate::resources::Resources;
use crate::resources::trouble::Trouble;
use crate::resources::unit::{UnitOfWork, opened};
use crate::rights::TaskCaller;

/// The form of a record.
const VERSION: u8 = 1;

/// The key of a record: the time when it was made, and a number.
type Key = [u8; 16];

/// The records that this process has in its hands; all others are nobody's.
#[derive(Debug, Default)]
pub(crate) struct Known {
    keys: Mutex<HashSet<Key>>,
    complaints: Complaints<Key>,
}

/// A record that this process handles. While this value lives, the record does not count as forgotten.
#[derive(Debug)]
pub(crate) struct Kept {
    key: Key,
    known: Arc<Known>,
}

impl Known {
    /// None if somebody has it already.
    fn take(self: &Arc<Self>, key: Key) -> Option<Kept> {
        let is_new = self.keys.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
        is_new.then(|| Kept { key, known: self.clone() })
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.known.keys.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

/// The record of a task that this process may have let go by now.
#[derive(Clone, Debug)]
pub(super) struct Trying {
    key: Key,
    known: Arc<Known>,
}

impl Trying {
    /// The task could not begin.
    pub(super) fn failed(&self, message: &str) {
        self.known.complaints.say(self.key, message);
    }

    /// The task has begun, or never will.
    pub(super) fn is_over(&self) {
        self.known.complaints.forget(&self.key);
    }
}

impl Kept {
    pub(super) fn trying(&self) -> Trying {
        Trying { key: self.key, known: self.known.clone() }
    }

    /// Deletes the record when the unit commits.
    pub(super) async fn delete_with(&self, unit: &mut UnitOfWork) -> Result<(), Trouble> {
        unit.with(|opened, unit| unit.delete(&opened.starts, &self.key)).await
    }

    /// Deletes the record now.
    pub(super) async fn delete(&self, resources: &Arc<Resources>) -> Result<(), Trouble> {
        let mut unit = UnitOfWork::new(resources.clone(), Duration::ZERO);
        self.delete_with(&mut unit).await?;
        unit.commit().await
    }
}

impl Kept {
    /// Deletes the record of a task that has left those that wait, whether or not the caller waits for the end. If that
    /// fails, the task begins at its time all the same.
    pub(super) async fn cancel(self, resources: &Arc<Resources>) -> Result<(), Trouble> {
        let (tell, told) = oneshot::channel();
        let shared = resources.clone();
        let began = resources.starts.unattended.run_task(async move {
            let deleted = self.delete(&shared).await;
            if deleted.is_ok() {
                self.trying().is_over();
            }
            drop(self);
            if deleted.is_err() {
                recall_soon(&shared);
            }
            // The caller may have gone.
            let _ = tell.send(deleted);
        });
        if let Err(error) = began {
            tracing::error!("protected STARTs cannot be cancelled: {error}");
            return Err(Trouble::broken(ErrorKind::Stopped));
        }
        told.await.unwrap_or_else(|_| Err(Trouble::broken(ErrorKind::Stopped)))
    }
}

/// The content of a record.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) start: Start,
    pub(super) request: Name<8>,
    /// When the task begins.
    pub(super) due: SystemTime,
    /// The caller of the task; none if no rule needs to know it.
    pub(super) caller: Option<Arc<TaskCaller>>,
}

impl Record {
    fn encode(self) -> Vec<u8> {
        let mut to = vec![VERSION];
        to.extend(milliseconds(self.due).to_le_bytes());
        to.extend(self.request);
        to.push(u8::from(self.caller.is_some()));
        if let Some(caller) = &self.caller {
            put_bytes(&mut to, caller.user.as_bytes());
            to.extend((caller.groups.len() as u32).to_le_bytes());
            caller.groups.iter().for_each(|group| put_bytes(&mut to, group.as_bytes()));
        }
        StartAsk::Start(self.start).encode(&mut to);
        to
    }

    fn decode(bytes: &[u8]) -> Result<Self, BadMessage> {
        let mut from = Reader(bytes);
        if from.byte()? != VERSION {
            return Err(BadMessage("expected a START of version 1"));
        }
        let due = UNIX_EPOCH + Duration::from_millis(from.u64()?);
        let request = from.array()?;
        let caller = match from.flag()? {
            true => Some(Arc::new(TaskCaller {
                user: text(&mut from)?,
                groups: (0..from.u32()?).map(|_| text(&mut from)).collect::<Result<_, _>>()?,
            })),
            false => None,
        };
        match StartAsk::decode(&mut from)? {
            StartAsk::Start(start) if from.0.is_empty() => Ok(Self { start, request, due, caller }),
            _ => Err(BadMessage("expected a START and nothing behind it")),
        }
    }
}

fn text(from: &mut Reader<'_>) -> Result<Box<str>, BadMessage> {
    String::from_utf8(from.bytes()?).map(String::into_boxed_str).map_err(|_| BadMessage("expected UTF-8"))
}

fn milliseconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Writes a record that is there when the unit has committed.
pub(super) async fn write(
    unit: &mut UnitOfWork,
    resources: &Resources,
    record: Record,
) -> Result<Kept, Trouble> {
    let made = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let mut key = [0; 16];
    key[..8].copy_from_slice(&made.to_be_bytes());
    let kept = loop {
        key[8..].copy_from_slice(&resources.starts.waiting().number().to_be_bytes());
        if let Some(kept) = resources.starts.known.take(key) {
            break kept;
        }
    };
    let value = record.encode();
    unit.with(|opened, unit| unit.insert(&opened.starts, &key, value)).await?;
    Ok(kept)
}

/// From now on the STARTs in the store may begin, because programs have what they need. Those from before a
/// restart are the first.
pub(crate) fn recall(resources: &Arc<Resources>) {
    resources.starts.recalled.store(true, Ordering::Release);
    recall_soon(resources);
}

/// Soon schedules STARTs of the store that no task here handles: after a restart, and when a unit of work
/// that was in doubt has been committed. Does nothing before the first [`recall`].
pub(crate) fn recall_soon(resources: &Arc<Resources>) {
    let starts = &resources.starts;
    if !resources.durable.exists() || !starts.is_recalled() {
        return;
    }
    // A call that has not begun will see all records, so that one waiting call is enough.
    if starts.recall_wanted.swap(true, Ordering::AcqRel) {
        return;
    }
    let known = resources.clone();
    let began = starts.unattended.run_task(async move {
        // Swapped, so that this thread sees every change before the request.
        known.starts.recall_wanted.swap(false, Ordering::AcqRel);
        match schedule_all(&known).await {
            Ok(0) => {}
            Ok(count) => tracing::info!("{count} protected STARTs of before are there again"),
            Err(trouble) => tracing::error!("protected STARTs cannot be read: {}", trouble.message),
        }
    });
    if let Err(error) = began {
        starts.recall_wanted.store(false, Ordering::Release);
        tracing::error!("protected STARTs cannot be read: {error}");
    }
}

/// When STARTs are scheduled again whose tasks could not begin: at first, and at most.
const AGAIN: Pauses = Pauses { first: Duration::from_secs(1), longest: Duration::from_secs(60) };

/// Calls of [`recall_later`] since a task has begun.
#[derive(Debug, Default)]
pub(crate) struct Later {
    is_waiting: AtomicBool,
    tries: AtomicU32,
}

impl Later {
    /// A task of a protected START has begun.
    pub(super) fn has_begun(&self) {
        self.tries.store(0, Ordering::Relaxed);
    }
}

/// A task could not begin, for example because the region of its program cannot be reached: [`recall_soon`] after a pause.
pub(super) fn recall_later(resources: &Arc<Resources>) {
    let later = &resources.starts.later;
    if later.is_waiting.swap(true, Ordering::AcqRel) {
        return;
    }
    let pause = AGAIN.pause(later.tries.fetch_add(1, Ordering::Relaxed), random());
    let weak = Arc::downgrade(resources);
    let began = resources.starts.unattended.run(async move {
        tokio::time::sleep(pause).await;
        let Some(resources) = weak.upgrade() else { return };
        resources.starts.later.is_waiting.store(false, Ordering::Release);
        recall_soon(&resources);
    });
    if let Err(error) = began {
        later.is_waiting.store(false, Ordering::Release);
        tracing::error!("protected STARTs are put off until a restart: {error}");
    }
}

async fn schedule_all(resources: &Arc<Resources>) -> Result<usize, Trouble> {
    let opened = opened(resources).await?;
    let unit = opened.store.unit()?;
    let mut count = 0;
    let mut last: Option<Vec<u8>> = None;
    loop {
        let from = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let Some(found) = unit.browse(&opened.starts, from, Direction::Forward)? else { break };
        if let Some(kept) = Key::try_from(&*found.key).ok().and_then(|key| resources.starts.known.take(key)) {
            // The task that handled it may have ended meanwhile. Only records that still exist count.
            if let Some(value) = unit.read(&opened.starts, &found.key)? {
                let is_new = !resources.starts.known.complaints.know(&kept.key);
                count += usize::from(schedule(&resources.starts, kept, &value) && is_new);
            }
        }
        last = Some(found.key);
    }
    Ok(count)
}

/// Lets the task of a record begin at its time. False if it cannot.
fn schedule(starts: &Arc<Starts>, kept: Kept, value: &[u8]) -> bool {
    let Record { start, request, due, caller } = match Record::decode(value) {
        Ok(record) => record,
        Err(error) => {
            kept.trying().failed(&format!("a protected START cannot be read: {error}"));
            return false;
        }
    };
    let Some(region) = starts.region() else { return false };
    let whose = Whose::known(caller, region.settings());
    let at = Instant::now() + due.duration_since(SystemTime::now()).unwrap_or_default();
    let scheduled = starts.schedule(Due { start, whose, request, at }, Some(kept), None);
    if let Err((condition, _)) = &scheduled {
        tracing::error!("a protected START is put off until a restart: {}", condition.name);
    }
    scheduled.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::Interface;

    #[test]
    fn records_say_what_was_written() {
        let start = Start {
            transaction: *b"PAY ",
            protect: true,
            data: wire::StartedData { data: Some(b"data".to_vec()), ..Default::default() },
            interface: Interface::Commarea(b"area".to_vec()),
            ..Start::default()
        };
        let caller = TaskCaller { user: "jörg".into(), groups: ["a".into(), "b".into()].into() };
        for caller in [None, Some(Arc::new(caller))] {
            let due = UNIX_EPOCH + Duration::from_millis(1_234_567);
            let record = Record { start: start.clone(), request: *b"REQUEST1", due, caller: caller.clone() };
            let bytes = record.encode();
            let read = Record::decode(&bytes).expect("a record");
            assert_eq!((read.start, read.request, read.due), (start.clone(), *b"REQUEST1", due));
            assert_eq!(read.caller, caller);
            for length in 0..bytes.len() {
                Record::decode(&bytes[..length]).expect_err("a piece");
            }
            Record::decode(&[bytes, vec![0]].concat()).expect_err("something behind it");
        }
    }
}
