//! The thread that writes one file. It takes waiting lines, writes them at once, and repeats failed
//! writes or reports losses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use tokio::sync::{mpsc, oneshot};

use super::file::LineFile;
use super::{FileSettings, Message, OnWriteError, Sync};
use metrics::{JournalMetrics, Lost};

/// The most lines of one write.
const WRITE_MAX_LINES: usize = 1_024;
/// The pause between checks of the file and reports of losses.
const LOOK: Duration = Duration::from_secs(1);
/// How long lines are gathered for one write. Waking a thread for each line costs more than the
/// line itself.
const GATHER: Duration = Duration::from_millis(2);
/// The pause between attempts to write.
const RETRY: Duration = Duration::from_millis(250);
/// The pause between reports that a file still cannot be written.
const TELL_AGAIN: Duration = Duration::from_secs(60);

pub(super) struct Writer {
    messages: mpsc::Receiver<Message>,
    settings: Arc<ArcSwap<FileSettings>>,
    metrics: JournalMetrics,
    file: LineFile,
    before: Before,
    /// When the failure of writing was last reported; none if writing works.
    failing: Option<Instant>,
    synced: Instant,
}

/// The writers of the same file before and after this one.
pub(super) struct Before {
    /// Brings the thread before this one, with the figures of its lines. If there is none, the
    /// sender is gone.
    pub(super) thread: std::sync::mpsc::Receiver<(JoinHandle<Vec<Vec<u8>>>, JournalMetrics)>,
    /// True if another thread waits for this one. Then it does not go on trying.
    pub(super) is_replaced: Arc<AtomicBool>,
}

impl Writer {
    pub(super) fn new(
        messages: mpsc::Receiver<Message>,
        settings: Arc<ArcSwap<FileSettings>>,
        metrics: JournalMetrics,
        before: Before,
    ) -> Self {
        let file = LineFile::default();
        Self { messages, settings, metrics, file, before, failing: None, synced: Instant::now() }
    }

    /// Writes until all senders are gone. Gives the lines that it could not write, if another
    /// thread is to write them.
    pub(super) fn run(mut self) -> Vec<Vec<u8>> {
        let lines = self.inherited();
        // The runtime is for its clock, because this end of the queue waits with a time limit.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        match runtime {
            Ok(runtime) => runtime.block_on(self.serve(lines)),
            Err(error) => {
                tracing::error!("no runtime for a writer: {error}");
                lines
            }
        }
    }

    /// The lines that the thread before could not write, after its end. From now on they count here.
    fn inherited(&self) -> Vec<Vec<u8>> {
        let Ok((thread, metrics)) = self.before.thread.recv() else { return Vec::new() };
        let lines = thread.join().unwrap_or_default();
        metrics.dequeued(lines.len());
        self.metrics.queued(lines.len());
        lines
    }

    /// Writes lines, and then those that come.
    async fn serve(&mut self, mut lines: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let mut messages: Vec<Message> = lines.drain(..).map(Message::Line).collect();
        let mut looked = Instant::now();
        loop {
            let received = self.messages.recv_many(&mut messages, WRITE_MAX_LINES);
            let ended = matches!(tokio::time::timeout(LOOK, received).await, Ok(0));
            self.gather(&mut messages).await;
            let mut flushes = Vec::<oneshot::Sender<()>>::new();
            for message in messages.drain(..) {
                match message {
                    Message::Line(line) => lines.push(line),
                    Message::Flush(done) => flushes.push(done),
                }
            }
            let done = self.write(&lines).await;
            lines.drain(..done);
            if !lines.is_empty() {
                return self.left(lines).await;
            }
            self.sync(!flushes.is_empty() || ended);
            for done in flushes {
                // The sender may have stopped waiting.
                let _ = done.send(());
            }
            if ended {
                return lines;
            }
            if looked.elapsed() >= LOOK {
                self.file.look(&self.settings.load().path);
                looked = Instant::now();
            }
        }
    }

    /// These lines, and all that wait behind them.
    async fn left(&mut self, mut lines: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        while let Some(message) = self.messages.recv().await {
            if let Message::Line(line) = message {
                lines.push(line);
            }
        }
        lines
    }

    /// Takes lines that come a little later, too, unless somebody waits for these.
    async fn gather(&mut self, messages: &mut Vec<Message>) {
        let waited_for = messages.iter().any(|message| matches!(message, Message::Flush(_)));
        if messages.is_empty() || waited_for || self.settings.load().sync == Sync::Write {
            return;
        }
        tokio::time::sleep(GATHER).await;
        while messages.len() < WRITE_MAX_LINES
            && let Ok(message) = self.messages.try_recv()
        {
            messages.push(message);
        }
    }

    /// Writes lines, and repeats failed writes if the policy says so. Gives how many lines are
    /// written or lost: all, unless another thread waits to write them.
    async fn write(&mut self, lines: &[Vec<u8>]) -> usize {
        let mut done = 0;
        while done < lines.len() {
            let settings = self.settings.load_full();
            let (written, result) = self.file.append(&lines[done..], &settings);
            self.metrics.written(written);
            done += written;
            match result {
                Ok(()) => self.recovered(&settings),
                Err(error) => {
                    self.metrics.write_failed();
                    let drop = settings.on_write_error == OnWriteError::Drop;
                    if drop {
                        self.metrics.dequeued(lines.len() - done);
                        self.metrics.lost(Lost::WriteError, lines.len() - done);
                    }
                    self.tell(&settings, &error);
                    if drop {
                        return lines.len();
                    }
                    if self.before.is_replaced.load(Ordering::Relaxed) {
                        return done;
                    }
                    tokio::time::sleep(RETRY).await;
                    self.file.look(&settings.path);
                }
            }
        }
        done
    }

    fn sync(&mut self, flush: bool) {
        let settings = self.settings.load();
        let due = match settings.sync {
            Sync::Never => false,
            Sync::Write => true,
            Sync::Every(time) => flush || self.synced.elapsed() >= time,
        };
        if due && let Err(error) = self.file.sync() {
            self.metrics.write_failed();
            tracing::error!("{}: cannot be synced: {error}", settings.path.display());
        }
        if due {
            self.synced = Instant::now();
        }
    }

    fn tell(&mut self, settings: &FileSettings, error: &std::io::Error) {
        if self.failing.is_none_or(|told| told.elapsed() >= TELL_AGAIN) {
            let then = match settings.on_write_error {
                OnWriteError::Retry => "it is tried again, and lines wait",
                OnWriteError::Drop => "lines are lost",
            };
            let lost = self.metrics.lost_in_all();
            let path = settings.path.display();
            tracing::error!("{path}: cannot be written: {error}; {then} ({lost} lost so far)");
            self.failing = Some(Instant::now());
        }
    }

    fn recovered(&mut self, settings: &FileSettings) {
        if self.failing.take().is_some() {
            tracing::info!("{}: is written again", settings.path.display());
        }
    }
}
