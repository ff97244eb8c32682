//! Temporary storage for one task. The model of a queue says where the queue is kept. Auxiliary queues are logs of the
//! store.

pub(crate) mod cursors;
pub(crate) mod main;
pub(crate) mod shared;
pub(crate) mod sweep;

use std::collections::HashSet;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use program::conditions::{Condition, INVREQ, ITEMERR, NOSPACE, QIDERR};
use store::{ErrorKind, Extent, Logs, Mode, Recovery};
use wire::{Answer, Location, QueueAnswer, QueueAsk};

use crate::definitions::Keeping;
use crate::resources::durable::Opened;
use crate::resources::temporary::cursors::Cursors;
use crate::resources::temporary::main::{ITEMS_MAX, check};
use crate::resources::trouble::{LockOf, Trouble, refused};
use crate::resources::unit::Waits;
use crate::work::Work;

/// A task's changes of temporary storage until its next syncpoint.
#[derive(Debug, Default)]
pub(crate) struct TaskQueues {
    /// Recoverable queues that it has deleted: nothing is written to them before a syncpoint.
    deleted: HashSet<Vec<u8>>,
}

impl TaskQueues {
    /// Those deleted, which are gone for all if the unit was committed.
    pub(crate) fn take_deleted(&mut self) -> HashSet<Vec<u8>> {
        std::mem::take(&mut self.deleted)
    }
}

/// Where one queue is.
enum Place {
    Main,
    Auxiliary(Recovery),
}

fn logs(opened: &Opened, recovery: Recovery) -> &Logs {
    match recovery {
        Recovery::Recoverable => &opened.recoverable_queues,
        Recovery::NotRecoverable => &opened.auxiliary_queues,
    }
}

fn raised(condition: &Condition) -> Answer {
    refused(condition, 0)
}

fn told(trouble: Trouble) -> Answer {
    match trouble.kind {
        ErrorKind::NotFound => raised(&QIDERR),
        ErrorKind::NoSpace => raised(&NOSPACE),
        _ => trouble.answer(LockOf::Other),
    }
}

fn done(items: u64, item: u64, data: Vec<u8>) -> Answer {
    Answer::Queue(QueueAnswer { items: items as u32, item: item as u32, data })
}

impl Work {
    /// Carries out a command on a temporary storage queue.
    ///
    /// # Errors
    /// The resulting condition or abend.
    pub(crate) async fn temporary(&mut self, ask: QueueAsk) -> Result<Answer, Answer> {
        let name = match &ask {
            QueueAsk::Write { queue, data, .. } => {
                check(queue, data).map_err(raised)?;
                queue.clone()
            }
            QueueAsk::Read { queue, .. } | QueueAsk::Delete { queue } if queue.is_empty() => {
                return Err(raised(&QIDERR));
            }
            QueueAsk::Read { queue, .. } | QueueAsk::Delete { queue } => queue.clone(),
        };
        let model = self.definitions.queue_model(&name);
        let expiry = model.and_then(|model| model.expiry);
        let keeping = model.map(|model| model.keeping.clone());
        let place = match keeping {
            Some(Keeping::Main) => Place::Main,
            Some(Keeping::Auxiliary { recoverable: true }) => Place::Auxiliary(Recovery::Recoverable),
            Some(Keeping::Auxiliary { recoverable: false }) => Place::Auxiliary(Recovery::NotRecoverable),
            Some(Keeping::Shared(pool)) => return Box::pin(self.pools.carry_out(&pool, ask, expiry)).await,
            Some(Keeping::Remote(sysid)) => return Box::pin(self.remote_queue(sysid, ask)).await,
            None => self.place_without_model(&name, &ask).await?,
        };
        match place {
            Place::Main => Ok(self.main(ask, expiry)),
            Place::Auxiliary(recovery) => {
                self.expire(&name, recovery, expiry).await?;
                match ask {
                    QueueAsk::Write { item, data, .. } => self.write_item(name, recovery, item, data).await,
                    QueueAsk::Read { item, .. } => self.read_item(&name, recovery, item).await,
                    QueueAsk::Delete { .. } => self.delete_queue(name, recovery).await,
                }
            }
        }
    }

    fn main(&self, ask: QueueAsk, expiry: Option<Duration>) -> Answer {
        let mut queues = self.resources.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let (
            Some(expiry),
            QueueAsk::Write { queue, .. } | QueueAsk::Read { queue, .. } | QueueAsk::Delete { queue },
        ) = (expiry, &ask)
        {
            queues.expire(queue, expiry, now);
        }
        if self.definitions.some_expire() {
            queues.sweep(now, |name| self.definitions.queue_model(name)?.expiry);
        }
        queues.carry_out(ask, now)
    }

    /// Where a queue is that no model covers: where it was written first, which the program chose then.
    async fn place_without_model(&mut self, name: &[u8], ask: &QueueAsk) -> Result<Place, Answer> {
        if self.resources.queues.lock().unwrap_or_else(PoisonError::into_inner).contains(name) {
            return Ok(Place::Main);
        }
        if self.resources.durable.exists() {
            let extent = self.unit.with(|opened, unit| unit.extent(&opened.auxiliary_queues, name)).await;
            if extent.map_err(told)?.count > 0 {
                return Ok(Place::Auxiliary(Recovery::NotRecoverable));
            }
        }
        let location = match ask {
            QueueAsk::Write { location, .. } => location.unwrap_or(self.definitions.queue_location),
            _ => Location::Main,
        };
        Ok(match location {
            Location::Main => Place::Main,
            Location::Auxiliary => Place::Auxiliary(Recovery::NotRecoverable),
        })
    }

    /// Deletes a queue that nobody has used for too long.
    async fn expire(
        &mut self,
        name: &[u8],
        recovery: Recovery,
        expiry: Option<Duration>,
    ) -> Result<(), Answer> {
        let expiry = expiry.filter(|_| recovery == Recovery::NotRecoverable);
        let is_expired = self.cursors().touch(name, Instant::now(), expiry);
        let Some(expiry) = expiry.filter(|_| is_expired) else { return Ok(()) };
        self.lock_queue(name, recovery).await?;
        // Another task may have deleted it meanwhile, and written to a new queue of the name.
        let is_expired = self.cursors().is_expired(name, Instant::now(), expiry);
        let cleared = if is_expired { self.clear_queue(name, recovery).await } else { Ok(()) };
        if let Err(trouble) = cleared
            && trouble.kind != ErrorKind::NotFound
        {
            self.unlock_queue(name, recovery).await?;
            return Err(told(trouble));
        }
        // The queue was just as unused for every task that waited for the lock.
        self.cursors().take_expired(name, Instant::now(), expiry);
        self.unlock_queue(name, recovery).await
    }

    fn cursors(&self) -> MutexGuard<'_, Cursors> {
        self.resources.cursors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write_item(
        &mut self,
        name: Vec<u8>,
        recovery: Recovery,
        item: Option<i64>,
        data: Vec<u8>,
    ) -> Result<Answer, Answer> {
        if self.queues.deleted.contains(&name) {
            return Err(raised(&INVREQ));
        }
        self.lock_queue(&name, recovery).await?;
        let (queue, appends) = (name.clone(), item.is_none());
        let written = self.unit.change(recovery, move |opened, unit| {
            let logs = logs(opened, recovery);
            let Extent { count, .. } = unit.extent(logs, &queue)?;
            let position = match item.map(u64::try_from) {
                Some(_) if count == 0 => return Ok(Err(&QIDERR)),
                Some(Ok(item)) if (1..=count).contains(&item) => item,
                Some(_) => return Ok(Err(&ITEMERR)),
                None if count >= ITEMS_MAX as u64 => return Ok(Err(&ITEMERR)),
                None => {
                    unit.append(logs, &queue, data)?;
                    return Ok(Ok((count + 1, count + 1)));
                }
            };
            unit.replace(logs, &queue, position, data)?;
            Ok(Ok((count, position)))
        });
        match written.await {
            Ok(Ok((items, item))) => {
                match recovery {
                    // It is there, and its time for expiry runs.
                    Recovery::NotRecoverable => {
                        self.cursors().add(&name, Instant::now(), recovery);
                    }
                    // NEXT is its first item, because the queue is new. A unit that was in doubt may have
                    // deleted the queue before, without setting NEXT back.
                    Recovery::Recoverable if appends && items == 1 => self.cursors().begin(&name),
                    Recovery::Recoverable => {}
                }
                Ok(done(items, item, Vec::new()))
            }
            Ok(Err(condition)) => {
                self.unlock_queue(&name, recovery).await?;
                Err(raised(condition))
            }
            Err(trouble) => {
                self.unlock_queue(&name, recovery).await?;
                Err(told(trouble))
            }
        }
    }

    async fn read_item(
        &mut self,
        name: &[u8],
        recovery: Recovery,
        item: Option<i64>,
    ) -> Result<Answer, Answer> {
        let resources = self.resources.clone();
        let read = self.unit.with(|opened, unit| {
            let logs = logs(opened, recovery);
            // Held while the item is read, so that two tasks do not get the same one. Who deletes the queue removes its cursor
            // after that.
            let mut cursors = resources.cursors.lock().unwrap_or_else(PoisonError::into_inner);
            let Extent { count, .. } = unit.extent(logs, name)?;
            if count == 0 {
                return Ok(Err(&QIDERR));
            }
            let wanted = match item {
                Some(item) => u64::try_from(item).unwrap_or(0),
                // Items that the cursor has passed may have been backed out since.
                None => cursors.read(name).min(count) + 1,
            };
            if wanted == 0 {
                return Ok(Err(&ITEMERR));
            }
            let Some(data) = unit.item(logs, name, wanted)? else { return Ok(Err(&ITEMERR)) };
            cursors.set_read(name, wanted, Instant::now(), recovery);
            Ok(Ok(done(count, wanted, data)))
        });
        read.await.map_err(told)?.map_err(raised)
    }

    async fn delete_queue(&mut self, name: Vec<u8>, recovery: Recovery) -> Result<Answer, Answer> {
        self.lock_queue(&name, recovery).await?;
        if let Err(trouble) = self.clear_queue(&name, recovery).await {
            self.unlock_queue(&name, recovery).await?;
            return Err(told(trouble));
        }
        match recovery {
            Recovery::Recoverable => {
                self.queues.deleted.insert(name);
            }
            Recovery::NotRecoverable => {
                self.cursors().remove(&name);
            }
        }
        Ok(done(0, 0, Vec::new()))
    }

    async fn clear_queue(&mut self, name: &[u8], recovery: Recovery) -> Result<(), Trouble> {
        let name = name.to_vec();
        self.unit.change(recovery, move |opened, unit| unit.clear(logs(opened, recovery), &name)).await
    }

    async fn lock_queue(&mut self, name: &[u8], recovery: Recovery) -> Result<(), Answer> {
        let locked = self
            .unit
            .lock(Waits::Yes, |opened, unit| unit.lock_log(logs(opened, recovery), name, Mode::Exclusive));
        locked.await.map_err(|trouble| trouble.answer(LockOf::Other))
    }

    async fn unlock_queue(&mut self, name: &[u8], recovery: Recovery) -> Result<(), Answer> {
        let unlocked = self.unit.with(|opened, unit| unit.unlock_log(logs(opened, recovery), name));
        unlocked.await.map_err(told)
    }
}
