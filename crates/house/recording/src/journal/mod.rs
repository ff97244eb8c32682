//! Files of lines that are written beside the requests. A bounded queue leads to one thread for
//! each file.
//!
//! The interceptor decides what happens when the queue is full. The file's settings decide what
//! happens when the file cannot be written. Every lost line is counted and reported.

mod file;
mod writer;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use metrics::{JournalMetrics, Lost, Metrics};
use writer::{Before, Writer};

/// The settings of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileSettings {
    /// The file.
    pub(crate) path: PathBuf,
    /// The most lines that wait. It is fixed while the file is open.
    pub(crate) queue_max_lines: usize,
    /// A new file begins before this size is passed; 0 is never.
    pub(crate) rotate_bytes: u64,
    /// A new file begins at the end of each period of this length, counted from 1970; 0 is never.
    pub(crate) rotate_s: u64,
    /// The number of old files to keep.
    pub(crate) files_max: usize,
    /// When lines are synced to the disk.
    pub(crate) sync: Sync,
    /// The effect of a failed write.
    pub(crate) on_write_error: OnWriteError,
}

/// When written lines are synced, so that they survive a crash of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    /// The system decides.
    Never,
    /// After each write, of one line or of all waiting lines.
    Write,
    /// At this interval.
    Every(Duration),
}

/// The effect of a failed write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnWriteError {
    /// The lines are tried again until they are written. Meanwhile the queue fills.
    Retry,
    /// The lines are lost, counted and reported.
    Drop,
}

/// The effect of a full queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// The line is lost, counted and reported.
    Drop,
    /// The answer waits for room, up to this time. Then the line is lost, counted and reported.
    Block(Duration),
    /// Room is reserved before the call. Without room, the request is refused.
    Refuse,
}

/// An open file. Clones write to the same file.
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
    /// When losses were last reported.
    told: Mutex<Option<Instant>>,
}

/// A message to the writer.
#[derive(Debug)]
enum Message {
    Line(Vec<u8>),
    /// Answered when all earlier lines are written or lost.
    Flush(oneshot::Sender<()>),
}

/// Room for one line.
#[derive(Debug)]
pub(crate) struct Room(mpsc::OwnedPermit<Message>);

/// A line that counts as lost when this is dropped.
struct Losing<'s>(Option<&'s Shared>);

impl Losing<'_> {
    /// The line is not lost.
    fn not(mut self) {
        self.0 = None;
    }
}

impl Drop for Losing<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.0 {
            shared.lose();
        }
    }
}

/// There is no room, and the request may not go on without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Journal {
    /// Reserves room for the line of a request, if the policy wants this.
    pub(crate) fn reserve(&self) -> Result<Option<Room>, Full> {
        if self.overflow != Overflow::Refuse {
            return Ok(None);
        }
        match self.shared.queue.clone().try_reserve_owned() {
            Ok(permit) => Ok(Some(Room(permit))),
            Err(_) => Err(Full),
        }
    }

    /// Puts a line into the queue, either in its reserved room or by the policy for a full queue.
    pub(crate) async fn put(&self, line: Vec<u8>, room: Option<Room>) {
        let Some(line) = self.try_put(line, room) else { return };
        // Also if nobody waits for this any more.
        let unless_put = Losing(Some(&self.shared));
        if let Overflow::Block(time) = self.overflow
            && let Ok(Ok(permit)) = tokio::time::timeout(time, self.shared.queue.reserve()).await
        {
            unless_put.not();
            self.shared.metrics.queued(1);
            permit.send(Message::Line(line));
        }
    }

    /// The same without waiting for room.
    pub(crate) fn put_now(&self, line: Vec<u8>, room: Option<Room>) {
        if self.try_put(line, room).is_some() {
            self.shared.lose();
        }
    }

    /// Puts a line into the queue. If the queue is full, gives it back.
    fn try_put(&self, line: Vec<u8>, room: Option<Room>) -> Option<Vec<u8>> {
        if let Some(Room(permit)) = room {
            self.shared.metrics.queued(1);
            permit.send(Message::Line(line));
            return None;
        }
        match self.shared.queue.try_reserve() {
            Ok(permit) => {
                self.shared.metrics.queued(1);
                permit.send(Message::Line(line));
                None
            }
            Err(TrySendError::Full(())) => Some(line),
            Err(TrySendError::Closed(())) => {
                self.shared.lose();
                None
            }
        }
    }
}

/// All open files, over all configurations. If a changed configuration names a file again, the same
/// thread goes on writing it.
#[derive(Debug, Default)]
pub struct Journals(Mutex<HashMap<PathBuf, Open>>);

#[derive(Debug)]
struct Open {
    shared: Weak<Shared>,
    /// Where its lines are counted.
    metrics: JournalMetrics,
    /// Its thread. It gives the lines that it could not write, for the next one.
    thread: JoinHandle<Vec<Vec<u8>>>,
    /// Set when another thread is to write the file.
    is_replaced: Arc<AtomicBool>,
}

impl Journals {
    /// Opens a file, under a name for figures and the log.
    ///
    /// # Errors
    /// A thread cannot be made.
    pub(crate) fn open(
        &self,
        name: &str,
        settings: &FileSettings,
        overflow: Overflow,
        metrics: &Metrics,
    ) -> std::io::Result<Journal> {
        self.open_with(name, settings, overflow, metrics, |writer| {
            std::thread::Builder::new().name(format!("journal-{name}")).spawn(move || writer.run())
        })
    }

    /// The same with a way to make the thread.
    fn open_with(
        &self,
        name: &str,
        settings: &FileSettings,
        overflow: Overflow,
        metrics: &Metrics,
        spawn: impl FnOnce(Writer) -> std::io::Result<JoinHandle<Vec<Vec<u8>>>>,
    ) -> std::io::Result<Journal> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = open.get(&settings.path).and_then(|known| known.shared.upgrade()) {
            if shared.settings.load().queue_max_lines != settings.queue_max_lines {
                tracing::warn!("a changed queue_max_lines of {} needs a restart", settings.path.display());
            }
            shared.settings.store(Arc::new(settings.clone()));
            return Ok(Journal { shared, overflow });
        }
        let (queue, messages) = mpsc::channel(settings.queue_max_lines);
        let settings_shared = Arc::new(ArcSwap::from_pointee(settings.clone()));
        let metrics = metrics.journal(name);
        let is_replaced = Arc::new(AtomicBool::new(false));
        let (hand_over, thread_before) = std::sync::mpsc::channel();
        let before = Before { thread: thread_before, is_replaced: Arc::clone(&is_replaced) };
        let writer = Writer::new(messages, Arc::clone(&settings_shared), metrics.clone(), before);
        // If there can be no new thread, the earlier one goes on.
        let thread = spawn(writer)?;
        let told = Mutex::default();
        let shared = Arc::new(Shared { queue, settings: settings_shared, metrics: metrics.clone(), told });
        let entry = Open { shared: Arc::downgrade(&shared), metrics, thread, is_replaced };
        // The earlier thread has no more senders. It must not write beside the new one, which waits for
        // its end: a reload must not wait for a disk.
        if let Some(Open { thread, metrics, is_replaced, .. }) = open.insert(settings.path.clone(), entry) {
            is_replaced.store(true, Ordering::Relaxed);
            // A new thread that has ended already needs nothing.
            let _ = hand_over.send((thread, metrics));
        }
        Ok(Journal { shared, overflow })
    }

    /// Waits until all queues are written, at most for `time`, also those of files that no
    /// configuration names any more. Reports files that are not written.
    pub async fn flush(&self, time: Duration) {
        for (path, lines) in self.unwritten_after(time).await {
            tracing::error!(
                "{lines} lines for {} are lost: they could not be written in time",
                path.display()
            );
        }
    }

    /// The files that are not written after this time, with the number of their lines.
    async fn unwritten_after(&self, time: Duration) -> Vec<(PathBuf, i64)> {
        let open: Vec<(PathBuf, Arc<Shared>)> = {
            let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            open.iter().filter_map(|(path, open)| Some((path.clone(), open.shared.upgrade()?))).collect()
        };
        let deadline = tokio::time::Instant::now() + time;
        let mut unwritten = Vec::new();
        for (path, shared) in open {
            if tokio::time::timeout_at(deadline, shared.flush()).await.is_err() {
                unwritten.push((path, shared.metrics.depth()));
            }
        }
        loop {
            let left = self.still_written();
            if left.is_empty() || tokio::time::Instant::now() >= deadline {
                unwritten.extend(left);
                return unwritten;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// The files that nobody uses any more, and whose lines are not all written; with their number.
    fn still_written(&self) -> Vec<(PathBuf, i64)> {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_left = |open: &Open| open.shared.strong_count() == 0 && !open.thread.is_finished();
        let left = open.iter().filter(|(_, open)| is_left(open));
        left.map(|(path, open)| (path.clone(), open.metrics.depth()))
            .filter(|(_, lines)| *lines > 0)
            .collect()
    }
}

/// The pause between looks at the threads of files that nobody uses any more.
const LOOK: Duration = Duration::from_millis(10);
/// The pause between reports of lost lines.
const TELL_AGAIN: Duration = Duration::from_secs(1);

impl Shared {
    /// Counts a line without room. It reports the loss, but not for each line.
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

#[cfg(test)]
mod tests {
    use metrics::MetricsSettings;

    use super::*;

    fn settings(path: PathBuf) -> FileSettings {
        FileSettings {
            path,
            queue_max_lines: 10,
            rotate_bytes: 0,
            rotate_s: 0,
            files_max: 0,
            sync: Sync::Never,
            on_write_error: OnWriteError::Retry,
        }
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_written_delays_no_reload_and_loses_no_line() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let settings = settings(folder.path().join("lines"));
        let metrics = Metrics::new(MetricsSettings { times: false, sizes: false });
        let journals = Journals::default();
        let open = || journals.open("audit", &settings, Overflow::Drop, &metrics).expect("a thread");
        // A folder stands in the way of the file.
        std::fs::create_dir(&settings.path).expect("a folder");
        for line in ["one\n", "two\n"] {
            // A configuration with the interceptor, and one without it.
            open().put_now(line.into(), None);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let last = open();
        last.put_now(b"three\n".to_vec(), None);
        std::fs::remove_dir(&settings.path).expect("an empty folder");
        journals.flush(Duration::from_mins(1)).await;
        assert_eq!(std::fs::read_to_string(&settings.path).expect("a file"), "one\ntwo\nthree\n");
        assert_eq!((last.shared.metrics.depth(), last.shared.metrics.lost_in_all()), (0, 0));
    }

    /// `logrotate` moves a file and expects that the program opens a new one.
    #[tokio::test]
    async fn a_moved_file_is_noticed_while_lines_come() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let settings = settings(folder.path().join("lines"));
        let metrics = Metrics::new(MetricsSettings { times: false, sizes: false });
        let journals = Journals::default();
        let audit = journals.open("audit", &settings, Overflow::Drop, &metrics).expect("a thread");
        audit.put_now(b"one\n".to_vec(), None);
        journals.flush(Duration::from_mins(1)).await;
        std::fs::rename(&settings.path, folder.path().join("lines.1")).expect("moved");
        for _ in 0..200 {
            audit.put_now(b"more\n".to_vec(), None);
            tokio::time::sleep(Duration::from_millis(50)).await;
            if settings.path.exists() {
                return;
            }
        }
        panic!("no new file");
    }

    #[tokio::test]
    async fn a_line_without_an_end_takes_no_other_with_it() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let settings = settings(folder.path().join("lines"));
        std::fs::write(&settings.path, "whole\nhal").expect("written");
        let metrics = Metrics::new(MetricsSettings { times: false, sizes: false });
        let journals = Journals::default();
        let audit = journals.open("audit", &settings, Overflow::Drop, &metrics).expect("a thread");
        audit.put_now(b"one\n".to_vec(), None);
        audit.put_now(b"two\n".to_vec(), None);
        journals.flush(Duration::from_mins(1)).await;
        assert_eq!(std::fs::read_to_string(&settings.path).expect("a file"), "whole\nhal\none\ntwo\n");
    }

    /// Journals with a file that cannot be written, for which a line waits. Nobody uses it any more.
    async fn left(metrics: &Metrics) -> (tempfile::TempDir, FileSettings, Journals) {
        let folder = tempfile::TempDir::new().expect("a folder");
        let settings = settings(folder.path().join("lines"));
        let journals = Journals::default();
        std::fs::create_dir(&settings.path).expect("a folder");
        journals
            .open("audit", &settings, Overflow::Drop, metrics)
            .expect("a thread")
            .put_now(b"one\n".to_vec(), None);
        tokio::time::sleep(Duration::from_millis(100)).await;
        (folder, settings, journals)
    }

    fn metrics() -> Metrics {
        Metrics::new(MetricsSettings { times: false, sizes: false })
    }

    #[tokio::test]
    async fn the_end_waits_for_lines_of_removed_interceptors_and_tells_those_that_are_lost() {
        let metrics = metrics();
        let (_folder, settings, journals) = left(&metrics).await;
        let unwritten = journals.unwritten_after(Duration::from_millis(50)).await;
        assert_eq!(unwritten, [(settings.path.clone(), 1)]);
        std::fs::remove_dir(&settings.path).expect("an empty folder");
        assert_eq!(journals.unwritten_after(Duration::from_mins(1)).await, []);
        assert_eq!(std::fs::read_to_string(&settings.path).expect("a file"), "one\n");
    }

    #[tokio::test]
    async fn without_a_new_thread_the_earlier_one_goes_on() {
        let metrics = metrics();
        let (_folder, settings, journals) = left(&metrics).await;
        let none = |_| Err(std::io::ErrorKind::WouldBlock.into());
        journals.open_with("audit", &settings, Overflow::Drop, &metrics, none).expect_err("no thread");
        tokio::time::sleep(Duration::from_millis(500)).await;
        std::fs::remove_dir(&settings.path).expect("an empty folder");
        journals.flush(Duration::from_mins(1)).await;
        assert_eq!(std::fs::read_to_string(&settings.path).expect("a file"), "one\n");
    }

    #[tokio::test]
    async fn lines_are_counted_for_the_interceptor_that_has_their_file() {
        let metrics = metrics();
        let (_folder, settings, journals) = left(&metrics).await;
        let other = journals.open("other", &settings, Overflow::Drop, &metrics).expect("a thread");
        std::fs::remove_dir(&settings.path).expect("an empty folder");
        journals.flush(Duration::from_mins(1)).await;
        assert_eq!(std::fs::read_to_string(&settings.path).expect("a file"), "one\n");
        assert_eq!((metrics.journal("audit").depth(), other.shared.metrics.depth()), (0, 0));
    }
}
