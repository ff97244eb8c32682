//! The manager of a process, over all configurations, and its clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use message::{ManagerName, Moment};
use queue::{Manager, News, Notice, Session};
use service::Error;
use storage::{Claim, Storage};

use crate::late::LeftWaits;
use crate::section::QueueManagerPlan;

/// The moment by the system's clock.
#[must_use]
pub fn now() -> Moment {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into()
}

/// Where providers of one configuration find the queue manager, once it runs.
#[derive(Debug, Default)]
pub struct QueueSlot(OnceLock<Found>);

/// The open manager, as services find it.
#[derive(Debug)]
struct Found {
    session: Session,
    name: ManagerName,
    left_waits: LeftWaits,
}

impl QueueSlot {
    /// The way to the queues; none before the configuration serves.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.0.get().map(|found| &found.session)
    }

    /// The queues of a manager, and the waits of abandoned calls. Without a name, the manager of the process.
    ///
    /// # Errors
    /// It does not run, or has another name.
    pub(crate) fn found(&self, manager: Option<&ManagerName>) -> Result<(&Session, &LeftWaits), Error> {
        let found = self.0.get().ok_or_else(|| Error::refused("the queue manager does not run yet"))?;
        let own = &found.name;
        match manager {
            Some(wanted) if wanted != own => Err(Error::refused(format!(
                "the queue manager {wanted} cannot be reached; the one here is {own}"
            ))),
            _ => Ok((&found.session, &found.left_waits)),
        }
    }

    /// Lets the providers find the manager.
    pub fn fill(&self, manager: &Manager, running: &Running) {
        let _ = self.0.set(Found {
            session: manager.session(),
            name: manager.definitions().name,
            left_waits: running.left_waits.clone(),
        });
    }
}

/// The uses of the queue manager by services: an earlier stage of loading makes this, and providers take it.
#[derive(Debug, Default)]
pub struct QueueUse {
    /// True if there is a queue manager.
    pub is_there: bool,
    /// Where it will be.
    pub slot: Arc<QueueSlot>,
}

/// The manager of a process. It begins with the first configuration that has one, and ends with the process.
#[derive(Debug, Default)]
pub struct Running {
    state: Mutex<Option<Begun>>,
    /// Of the calls of all configurations.
    left_waits: LeftWaits,
}

#[derive(Debug)]
struct Begun {
    manager: Manager,
    storage: Arc<Storage>,
    /// Before the claim: it uses the store.
    _sweeper: Sweeper,
    /// Dropped last: another process may have the store when this one has let it go.
    _claim: Claim,
}

impl Running {
    /// Finds out whether a plan can count. A manager that has not begun begins, and nobody knows its queues yet.
    ///
    /// # Errors
    /// As [`Running::apply`].
    pub fn prepare(&self, plan: Option<&QueueManagerPlan>, storage: &Arc<Storage>) -> Result<(), String> {
        let Some(plan) = plan else { return Ok(()) };
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(begun) = state.as_ref() {
            return begun.check(plan, storage);
        }
        drop(state);
        self.apply(Some(plan), storage).map(|_| ())
    }

    /// Puts a plan into force: opens the manager, or gives it its new definitions. None if there is no plan;
    /// then queues that files had defined are dropped.
    ///
    /// # Errors
    /// The reason for people: the store cannot be opened, or a setting has changed that only a restart can
    /// change.
    pub fn apply(
        &self,
        plan: Option<&QueueManagerPlan>,
        storage: &Arc<Storage>,
    ) -> Result<Option<Manager>, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let notices = match (&mut *state, plan) {
            (None, None) => return Ok(None),
            (Some(begun), None) => {
                let definitions = queue::Definitions { queues: Vec::new(), ..begun.manager.definitions() };
                tell(&begun.manager.configure(&definitions));
                return Ok(None);
            }
            (Some(begun), Some(plan)) => {
                begun.check(plan, storage)?;
                begun.manager.configure(&plan.definitions)
            }
            (none, Some(plan)) => {
                let claim = storage.claim("queue manager")?;
                let named =
                    |message: &str| format!("the queue manager's store: {}", store::without_name(message));
                let store = storage.open().map_err(|(_, message)| named(&message))?;
                let opened = Manager::open(Arc::clone(store), &plan.definitions, plan.limits.clone(), now());
                let (manager, notices) = opened.map_err(|error| format!("the queue manager: {error}"))?;
                manager.set_hearing(tell_news);
                let sweeper = Sweeper::start(manager.clone(), plan.sweep)?;
                *none =
                    Some(Begun { manager, storage: Arc::clone(storage), _sweeper: sweeper, _claim: claim });
                notices
            }
        };
        tell(&notices);
        Ok(state.as_ref().map(|begun| begun.manager.clone()))
    }

    /// The manager, if it has begun.
    #[must_use]
    pub fn manager(&self) -> Option<Manager> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.as_ref().map(|begun| begun.manager.clone())
    }

    /// Ends all waits. Puts and gets still work.
    pub fn stop(&self) {
        if let Some(manager) = self.manager() {
            manager.stop();
        }
    }
}

impl Begun {
    fn check(&self, plan: &QueueManagerPlan, storage: &Arc<Storage>) -> Result<(), String> {
        let before = self.manager.definitions().name;
        if before != plan.definitions.name {
            let after = &plan.definitions.name;
            return Err(format!("the queue manager is {before}, and becomes {after} only after a restart"));
        }
        if !Arc::ptr_eq(&self.storage, storage) {
            return Err(format!(
                "the store is {}, and becomes {} only after a restart",
                self.storage.path().display(),
                storage.path().display()
            ));
        }
        Ok(())
    }
}

fn tell(notices: &[Notice]) {
    for notice in notices {
        match notice {
            Notice::Kept { queue, messages } => {
                tracing::warn!(%queue, messages, "the queue has no definition; its messages are kept");
            }
            Notice::Damaged { queue, position } => {
                tracing::error!(%queue, position, "a message is damaged; nobody can get it");
            }
            Notice::Replaced(queue) => {
                tracing::warn!(%queue, "a file defines the queue that a command had defined; the file counts");
            }
            Notice::UnknownDefinition(queue) => {
                tracing::error!(queue, "the store has a definition that this version does not know");
            }
        }
    }
}

fn tell_news(news: &News) {
    match news {
        News::Dead { queue, .. } => tracing::warn!(%queue, "{news}"),
        News::BackedOut { queue, .. } => tracing::warn!(%queue, "{news}"),
        News::Discarded { .. } => tracing::warn!("{news}"),
        News::ReportLost { queue, .. } => tracing::error!(%queue, "{news}"),
    }
}

/// The thread that discards expired messages.
#[derive(Debug)]
struct Sweeper {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Sweeper {
    fn start(manager: Manager, every: Duration) -> Result<Self, String> {
        let ended = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&ended);
        let run = move || {
            // The same failure is logged once.
            let mut told = None;
            while !is_over.load(Ordering::SeqCst) {
                std::thread::park_timeout(every);
                match manager.sweep(now()) {
                    Ok(_) => told = None,
                    Err(refusal) if told.as_ref() != Some(&refusal.reason) => {
                        tracing::error!("expired messages cannot be discarded: {refusal}");
                        told = Some(refusal.reason);
                    }
                    Err(_) => {}
                }
            }
        };
        let thread = std::thread::Builder::new().name("queues".to_owned()).spawn(run);
        let thread = thread.map_err(|error| format!("no thread for the queue manager: {error}"))?;
        Ok(Self { ended, thread: Some(thread) })
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        // Reservations hold units, and units hold the store.
        self.manager.stop();
    }
}

#[cfg(test)]
mod tests {
    use message::{Expiry, ManagerName, NewMessage, QueueName};
    use queue::{Definition, Definitions, Limits};

    use super::*;

    #[test]
    fn a_manager_outlives_configurations_and_discards_what_has_expired() {
        let folder = tempfile::tempdir().expect("a folder");
        let storage = Storage::at(&folder.path().join("store"));
        let name = QueueName::new("Q").unwrap();
        let mut definitions = Definitions::new(ManagerName::new("QM1").unwrap());
        definitions.queues.push(Definition::local(name.clone()));
        let sweep = Duration::from_millis(5);
        let plan = QueueManagerPlan { definitions, limits: Limits::default(), sweep, listeners: Vec::new() };
        let running = Running::default();
        assert!(running.apply(None, &storage).unwrap().is_none());
        let manager = running.apply(Some(&plan), &storage).unwrap().expect("a manager");
        let session = manager.session();
        let mut work = session.begin().unwrap();
        let brief = NewMessage { expiry: Expiry::AfterMs(1), ..NewMessage::text("a") };
        session.put(&mut work.scope(), &name, brief, now()).unwrap();
        work.commit().unwrap();
        let again = running.apply(Some(&plan), &storage).unwrap().expect("the same");
        // A turn of the sweeper at most, however slow the machine is.
        while again.inquire(&name).unwrap().depth > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut other = plan.clone();
        other.definitions.name = ManagerName::new("QM2").unwrap();
        assert!(running.apply(Some(&other), &storage).unwrap_err().contains("only after a restart"));
        let elsewhere = Storage::at(&folder.path().join("other"));
        assert!(running.apply(Some(&plan), &elsewhere).unwrap_err().contains("only after a restart"));
    }
}
