//! The unit of work of one task: begun with the first command that needs it, ended by syncpoints and with the task.
//!
//! Nothing here blocks the thread: locks and commits are awaited. Changes that are not recoverable are
//! applied at once, where blocking is allowed. Reads are done here: they come from memory, or from one page
//! of a file.

use std::sync::Arc;
use std::time::Duration;

use store::{Answer, ErrorKind, Locking, Preparation, Recovery, Unit, Vote};
use tokio::sync::oneshot;

use crate::resources::Resources;
use crate::resources::durable::Opened;
use crate::resources::trouble::Trouble;

/// A task's unit of work.
#[derive(Debug)]
pub(crate) struct UnitOfWork {
    resources: Arc<Resources>,
    lock_wait_max: Duration,
    begun: Option<Begun>,
    /// A change has the unit. If its caller leaves it, the unit is lost: nothing else is to be committed in its place.
    is_away: bool,
}

struct Begun {
    opened: Arc<Opened>,
    unit: Unit,
}

impl std::fmt::Debug for Begun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Begun").finish_non_exhaustive()
    }
}

/// Whether a command waits for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    Yes,
    No,
}

impl Waits {
    pub(crate) fn when(waits: bool) -> Self {
        if waits { Waits::Yes } else { Waits::No }
    }
}

/// The store of a region, which is opened where blocking is allowed.
pub(crate) async fn opened(resources: &Arc<Resources>) -> Result<Arc<Opened>, Trouble> {
    if let Some(opened) = resources.durable.get() {
        return Ok(opened.clone());
    }
    let resources = resources.clone();
    let opening = tokio::task::spawn_blocking(move || resources.durable.open().cloned());
    opening.await.unwrap_or_else(|_| Err(Trouble::broken(ErrorKind::Stopped)))
}

impl UnitOfWork {
    pub(crate) fn new(resources: Arc<Resources>, lock_wait_max: Duration) -> Self {
        Self { resources, lock_wait_max, begun: None, is_away: false }
    }

    /// The store and the unit, which begins if it has not.
    pub(crate) async fn begin(&mut self) -> Result<(&Opened, &mut Unit), Trouble> {
        self.check_is_here()?;
        if self.begun.is_none() {
            let opened = opened(&self.resources).await?;
            let unit = opened.store.unit()?;
            self.begun = Some(Begun { opened, unit });
        }
        let begun = self.begun.as_mut().ok_or_else(|| Trouble::broken(ErrorKind::Stopped))?;
        Ok((&begun.opened, &mut begun.unit))
    }

    /// The unit was not lost in a change that its caller has left.
    fn check_is_here(&self) -> Result<(), Trouble> {
        if self.is_away { Err(Trouble::broken(ErrorKind::Stopped)) } else { Ok(()) }
    }

    /// Takes the unit for its end; none if it has not begun.
    fn take(&mut self) -> Result<Option<Begun>, Trouble> {
        let here = self.check_is_here();
        self.is_away = false;
        here.map(|()| self.begun.take())
    }

    /// Goes on with a unit that somebody has begun on the region's store.
    pub(crate) fn take_over(&mut self, opened: Arc<Opened>, unit: Unit) {
        self.begun = Some(Begun { opened, unit });
    }

    /// Gets a lock, after as long a wait as the region allows.
    ///
    /// # Errors
    /// `Busy` for a task that does not wait, `TimedOut`, and errors of the store: `Deadlock`, `Locked`,
    /// `Limit`.
    pub(crate) async fn lock(
        &mut self,
        waits: Waits,
        ask: impl FnOnce(&Opened, &mut Unit) -> store::Result<Locking>,
    ) -> Result<(), Trouble> {
        let most = self.lock_wait_max;
        let (opened, unit) = self.begin().await?;
        let ticket = match ask(opened, unit)? {
            Locking::Granted => return Ok(()),
            Locking::Waiting(_) if waits == Waits::No => return Err(Trouble::busy()),
            Locking::Waiting(ticket) => ticket,
        };
        let (tell, told) = oneshot::channel();
        ticket.on_answer(move || {
            // The caller may have gone.
            let _ = tell.send(());
        });
        let late = tokio::time::timeout(most, told).await.is_err();
        // The lock may come between the end of the wait and the cancelling: then it came.
        if late && ticket.cancel() {
            return Err(Trouble::timed_out(most.as_millis()));
        }
        match ticket.answer() {
            Answer::Granted => Ok(()),
            Answer::Refused(error) => Err(error.into()),
            Answer::Waiting => Err(Trouble::timed_out(most.as_millis())),
        }
    }

    /// Reads with the unit, or changes recoverable records.
    pub(crate) async fn with<T>(
        &mut self,
        work: impl FnOnce(&Opened, &mut Unit) -> store::Result<T>,
    ) -> Result<T, Trouble> {
        let (opened, unit) = self.begin().await?;
        Ok(work(opened, unit)?)
    }

    /// Makes a change. A change that is not recoverable is applied at once, and waits for the store.
    pub(crate) async fn change<T: Send + 'static>(
        &mut self,
        recovery: Recovery,
        work: impl FnOnce(&Opened, &mut Unit) -> store::Result<T> + Send + 'static,
    ) -> Result<T, Trouble> {
        if recovery == Recovery::Recoverable {
            return self.with(work).await;
        }
        self.begin().await?;
        let mut begun = self.begun.take().ok_or_else(|| Trouble::broken(ErrorKind::Stopped))?;
        self.is_away = true;
        let doing = tokio::task::spawn_blocking(move || {
            let done = work(&begun.opened, &mut begun.unit);
            (begun, done)
        });
        let (begun, done) = doing.await.map_err(|_| Trouble::broken(ErrorKind::Stopped))?;
        (self.begun, self.is_away) = (Some(begun), false);
        Ok(done?)
    }

    /// Commits; the next command begins another unit.
    ///
    /// # Errors
    /// The unit is backed out, except with `Unknown`: then nobody knows until the store is opened again.
    pub(crate) async fn commit(&mut self) -> Result<(), Trouble> {
        self.commit_and(|| {}).await
    }

    /// Commits, and then calls `then`, even if the caller has gone meanwhile. It must not block.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub(crate) async fn commit_and(&mut self, then: impl FnOnce() + Send + 'static) -> Result<(), Trouble> {
        let Some(begun) = self.take()? else {
            then();
            return Ok(());
        };
        commit_and(begun.unit, then).await
    }

    /// True if commands have used the store since the last syncpoint: there may be changes and locks.
    pub(crate) fn is_begun(&self) -> bool {
        self.begun.is_some() || self.is_away
    }

    /// Commits here and decides so for other stores that have prepared; then as with [`commit_and`](Self::commit_and).
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub(crate) async fn decide_commit(
        &mut self,
        participants: Vec<String>,
        then: impl FnOnce() + Send + 'static,
    ) -> Result<(), Trouble> {
        let Some(begun) = self.take()? else {
            then();
            return Ok(());
        };
        let (tell, told) = oneshot::channel();
        begun.unit.decide_commit_then(&participants, move |outcome| {
            if outcome.is_ok() {
                then();
            }
            // The caller may have gone; the outcome stands.
            let _ = tell.send(outcome);
        });
        committed(told).await
    }

    /// Prepares: changes and locks stay until the coordinator decides.
    ///
    /// # Errors
    /// The unit is backed out, except with `Unknown`.
    pub(crate) async fn prepare(&mut self, preparation: Preparation<'_>) -> Result<Vote, Trouble> {
        let Some(begun) = self.take()? else { return Ok(Vote::ReadOnly) };
        let (tell, told) = oneshot::channel();
        begun.unit.prepare_then(preparation, move |vote| {
            // A vote that nobody takes leaves the unit in doubt.
            let _ = tell.send(vote);
        });
        match told.await {
            Ok(vote) => Ok(vote?),
            Err(_) => Err(Trouble::broken(ErrorKind::Unknown)),
        }
    }

    /// Drops all changes.
    pub(crate) fn back_out(&mut self) {
        (self.begun, self.is_away) = (None, false);
    }
}

/// Commits a unit without blocking the thread.
pub(crate) async fn commit(unit: Unit) -> Result<(), Trouble> {
    commit_and(unit, || {}).await
}

async fn commit_and(unit: Unit, then: impl FnOnce() + Send + 'static) -> Result<(), Trouble> {
    let (tell, told) = oneshot::channel();
    unit.syncpoint_then(move |outcome| {
        if outcome.is_ok() {
            then();
        }
        // The caller may have gone; the outcome stands.
        let _ = tell.send(outcome);
    });
    committed(told).await
}

async fn committed(told: oneshot::Receiver<store::Result<()>>) -> Result<(), Trouble> {
    match told.await {
        Ok(outcome) => Ok(outcome?),
        Err(_) => Err(Trouble::broken(ErrorKind::Unknown)),
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;
    use crate::resources::files::property::settings;

    /// A program's command may be cut while the work of its task goes on.
    #[tokio::test]
    async fn a_unit_that_was_lost_in_a_change_is_not_committed() {
        let folder = tempfile::tempdir().expect("a folder");
        let resources = Arc::new(Resources::new(&settings(folder.path(), Vec::new())));
        let mut unit = UnitOfWork::new(resources, Duration::from_secs(1));
        unit.begin().await.expect("a unit");
        {
            // The change lasts until it was looked at.
            let (_end, ended) = std::sync::mpsc::channel::<()>();
            let wait = move |_: &Opened, _: &mut Unit| {
                let _ = ended.recv();
                Ok(())
            };
            let mut change = pin!(unit.change(Recovery::NotRecoverable, wait));
            let begun = change.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(begun.is_pending(), "it is done elsewhere");
        }
        assert!(unit.is_begun());
        assert!(unit.begin().await.is_err(), "nothing is done in another unit");
        assert!(unit.commit().await.is_err(), "its changes are not there");
        unit.back_out();
        unit.change(Recovery::NotRecoverable, |_, _| Ok(())).await.expect("another unit");
        unit.commit().await.expect("it is whole");
    }
}
