//! Files of lines that are written beside the requests: a bounded queue in front of one thread for each file.
//!
//! The writer says what happens when the queue is full. The file's settings say what happens when the file cannot be
//! written. Every lost line is counted and told.

mod file;
mod writer;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use metrics::{JournalMetrics, Lost, Metrics};
use writer::Writer;

/// How a file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileSettings {
    /// The file.
    pub(crate) path: PathBuf,
    /// Lines that wait at most; fixed for as long as the file is written.
    pub(crate) queue_max_lines: usize,
    /// The file is put aside before it grows beyond this; 0 is never.
    pub(crate) rotate_bytes: u64,
    /// The file is put aside at the end of each such period, counted from 1970; 0 is never.
    pub(crate) rotate_s: u64,
    /// Files that were put aside and are kept.
    pub(crate) files_max: usize,
    /// When lines are made to outlive a crash of the machine.
    pub(crate) sync: Sync,
    /// What happens to lines that cannot be written.
    pub(crate) on_write_error: OnWriteError,
}

/// When written lines are made to outlive a crash of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    /// The system decides.
    Never,
    /// After each write: of one line, or of all that waited.
    Write,
    /// So often.
    Every(Duration),
}

/// What happens to lines that cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnWriteError {
    /// They are tried again until they are written; meanwhile the queue fills.
    Retry,
    /// They are lost, counted and told.
    Drop,
}

/// What happens when the queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// The line is lost, counted and told.
    Drop,
    /// The answer waits for room, so long at most; then the line is lost, counted and told.
    Block(Duration),
    /// Room is taken before the call; where there is none, the request is refused.
    Refuse,
}

/// A file that is being written. Clones write into the same.
#[derive(Clone, Debug)]
pub(crate) struct Journal {
    shared: Arc<Shared>,
    overflow: Overflow,
}

#[derive(Debug)]
struct Shared {
    queue: mpsc::Sender<Message>,
    settings: Arc<ArcSwap<FileSettings>>,
    metrics: JournalMetrics,
    /// When losses were told last.
    told: Mutex<Option<Instant>>,
}

/// What the writer gets.
#[derive(Debug)]
enum Message {
    Line(Vec<u8>),
    /// Answered when all that came before is written, or lost.
    Flush(oneshot::Sender<()>),
}

/// Room for one line.
#[derive(Debug)]
pub(crate) struct Room(mpsc::OwnedPermit<Message>);

/// There is no room, and nothing may go on without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Journal {
    /// Takes room for the line of a request that is about to run, where that is the policy.
    pub(crate) fn reserve(&self) -> Result<Option<Room>, Full> {
        if self.overflow != Overflow::Refuse {
            return Ok(None);
        }
        match self.shared.queue.clone().try_reserve_owned() {
            Ok(permit) => Ok(Some(Room(permit))),
            Err(_) => Err(Full),
        }
    }

    /// Puts a line into the queue, in the room that was taken for it, or as the policy for a full queue says.
    pub(crate) async fn put(&self, line: Vec<u8>, room: Option<Room>) {
        if let Some(Room(permit)) = room {
            self.shared.metrics.queued(1);
            permit.send(Message::Line(line));
            return;
        }
        let unsent = match self.shared.queue.try_reserve() {
            Ok(permit) => {
                self.shared.metrics.queued(1);
                permit.send(Message::Line(line));
                return;
            }
            Err(TrySendError::Full(())) => line,
            Err(TrySendError::Closed(())) => return self.shared.lose(),
        };
        if let Overflow::Block(time) = self.overflow
            && let Ok(Ok(permit)) = tokio::time::timeout(time, self.shared.queue.reserve()).await
        {
            self.shared.metrics.queued(1);
            permit.send(Message::Line(unsent));
            return;
        }
        self.shared.lose();
    }

    /// The same from a thread that no request waits for.
    pub(crate) fn put_blocking(&self, line: Vec<u8>) {
        match self.shared.queue.try_send(Message::Line(line)) {
            Ok(()) => self.shared.metrics.queued(1),
            Err(_) => self.shared.lose(),
        }
    }
}

/// All files that are being written, over all configurations: one that a changed configuration names again is written
/// on, by the same thread.
#[derive(Debug, Default)]
pub struct Journals(Mutex<HashMap<PathBuf, Open>>);

#[derive(Debug)]
struct Open {
    shared: Weak<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Journals {
    /// A file to write, under a name for figures and the log.
    ///
    /// # Errors
    /// A thread cannot be made.
    pub(crate) fn open(
        &self,
        name: &str,
        settings: &FileSettings,
        (overflow, metrics): (Overflow, &Metrics),
    ) -> std::io::Result<Journal> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = open.get_mut(&settings.path);
        if let Some(shared) = known.as_ref().and_then(|known| known.shared.upgrade()) {
            if shared.settings.load().queue_max_lines != settings.queue_max_lines {
                tracing::warn!("a changed queue_max_lines of {} needs a restart", settings.path.display());
            }
            shared.settings.store(Arc::new(settings.clone()));
            return Ok(Journal { shared, overflow });
        }
        // The thread that wrote it before has seen its end, and must not write beside the new one.
        if let Some(thread) = known.and_then(|known| known.thread.take()) {
            let _ = thread.join();
        }
        let (queue, messages) = mpsc::channel(settings.queue_max_lines);
        let settings_shared = Arc::new(ArcSwap::from_pointee(settings.clone()));
        let metrics = metrics.journal(name);
        let writer = Writer::new(messages, Arc::clone(&settings_shared), metrics.clone());
        let thread =
            std::thread::Builder::new().name(format!("journal-{name}")).spawn(move || writer.run())?;
        let shared = Arc::new(Shared { queue, settings: settings_shared, metrics, told: Mutex::default() });
        let entry = Open { shared: Arc::downgrade(&shared), thread: Some(thread) };
        open.insert(settings.path.clone(), entry);
        Ok(Journal { shared, overflow })
    }

    /// Waits until all that is in the queues is written, so long at most; tells what is not.
    pub async fn flush(&self, time: Duration) {
        let open: Vec<(PathBuf, Arc<Shared>)> = {
            let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            open.iter().filter_map(|(path, open)| Some((path.clone(), open.shared.upgrade()?))).collect()
        };
        let deadline = tokio::time::Instant::now() + time;
        for (path, shared) in open {
            if tokio::time::timeout_at(deadline, shared.flush()).await.is_err() {
                tell_unwritten(&path, &shared);
            }
        }
    }
}

/// How often it is told that lines are lost.
const TELL_AGAIN: Duration = Duration::from_secs(1);

impl Shared {
    /// Counts a line for which there was no room, and tells it, but not for each one.
    fn lose(&self) {
        self.metrics.lost(Lost::Overflow, 1);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|told| told.elapsed() >= TELL_AGAIN) {
            let (lost, settings) = (self.metrics.lost_in_all(), self.settings.load());
            tracing::error!("{}: the queue is full, {lost} lines are lost so far", settings.path.display());
            *told = Some(Instant::now());
        }
    }

    async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.queue.send(Message::Flush(done)).await.is_ok() {
            let _ = flushed.await;
        }
    }
}

fn tell_unwritten(path: &Path, shared: &Shared) {
    let lines = shared.metrics.depth();
    tracing::error!("{lines} lines for {} are lost: they could not be written in time", path.display());
}
