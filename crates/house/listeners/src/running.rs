//! The running listeners, over all configurations, and their thread.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::task::LocalSet;

use crate::dispatcher::{Listener, run};
use crate::{Around, LoadedListener};

/// All listeners of a process.
#[derive(Debug, Default)]
pub struct Listeners {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// None until the process serves.
    around: Option<Weak<dyn Around>>,
    /// The listeners of the configuration, until the process serves.
    wanted: Vec<LoadedListener>,
    running: Vec<Running>,
    /// Listeners that get no more messages, but still have some.
    ending: Vec<Running>,
    thread: Option<UnboundedSender<Begin>>,
    is_stopping: bool,
}

/// Starts a listener on the thread.
type Begin = Box<dyn FnOnce() + Send>;

#[derive(Debug)]
struct Running {
    listener: Arc<Listener>,
    /// True if it gets no more messages.
    stop: watch::Sender<bool>,
    /// Closed when it has ended.
    ended: watch::Receiver<()>,
}

impl Running {
    fn is_over(&self) -> bool {
        self.ended.has_changed().is_err()
    }
}

impl Listeners {
    /// Starts the listeners.
    ///
    /// # Errors
    /// Their thread cannot be made.
    pub fn serve(&self, around: Weak<dyn Around>) -> io::Result<()> {
        let mut state = self.state();
        state.around = Some(around);
        let wanted = std::mem::take(&mut state.wanted);
        state.apply(wanted)
    }

    /// Runs the listeners of a configuration, and no others. An unchanged listener goes on.
    ///
    /// # Errors
    /// Their thread cannot be made.
    pub fn apply(&self, loaded: Vec<LoadedListener>) -> io::Result<()> {
        self.state().apply(loaded)
    }

    /// Stops all listeners: none gets another message.
    pub fn stop(&self) {
        let mut state = self.state();
        state.is_stopping = true;
        let running = std::mem::take(&mut state.running);
        state.end(running);
    }

    /// Waits until the listeners have finished their messages, at most for `most`. True if they
    /// have.
    pub async fn drained(&self, most: Duration) -> bool {
        let ending: Vec<_> = self.state().ending.iter().map(|running| running.ended.clone()).collect();
        let all = async {
            for mut ended in ending {
                while ended.changed().await.is_ok() {}
            }
        };
        tokio::time::timeout(most, all).await.is_ok()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn apply(&mut self, loaded: Vec<LoadedListener>) -> io::Result<()> {
        let Some(around) = self.around.clone() else {
            self.wanted = loaded;
            return Ok(());
        };
        if self.is_stopping {
            return Ok(());
        }
        let mut before = std::mem::take(&mut self.running);
        let mut new = Vec::new();
        for loaded in loaded {
            match before.iter().position(|running| running.listener.plan == loaded.plan) {
                Some(place) => {
                    let same = before.swap_remove(place);
                    same.listener.set_provider(loaded.provider);
                    self.running.push(same);
                }
                None => new.push(loaded),
            }
        }
        self.end(before);
        for loaded in new {
            self.begin(loaded, &around)?;
        }
        Ok(())
    }

    fn end(&mut self, running: Vec<Running>) {
        self.ending.retain(|running| !running.is_over());
        for running in running {
            running.stop.send_replace(true);
            self.ending.push(running);
        }
    }

    fn begin(&mut self, loaded: LoadedListener, around: &Weak<dyn Around>) -> io::Result<()> {
        let (stop, stopped) = watch::channel(false);
        let (end, ended) = watch::channel(());
        let queue = &loaded.plan.queue;
        // Messages of one queue keep their order while its listener changes.
        let before = self.ending.iter().filter(|running| running.listener.plan.queue == *queue);
        let before: Vec<_> = before.map(|running| running.ended.clone()).collect();
        let listener = Arc::new(Listener::new(loaded, around.clone()));
        let runs = Arc::clone(&listener);
        let begin = move || {
            tokio::task::spawn_local(async move {
                for mut ended in before {
                    while ended.changed().await.is_ok() {}
                }
                run(runs, stopped).await;
                drop(end);
            });
        };
        let thread = match &self.thread {
            Some(thread) => thread,
            None => self.thread.insert(thread()?),
        };
        let gone = |_| io::Error::other("the thread of the listeners has ended");
        thread.send(Box::new(begin)).map_err(gone)?;
        self.running.push(Running { listener, stop, ended });
        Ok(())
    }
}

/// Starts the thread of all listeners. It ends with them.
fn thread() -> io::Result<UnboundedSender<Begin>> {
    let (sender, mut begins) = unbounded_channel::<Begin>();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    std::thread::Builder::new().name("listeners".to_owned()).spawn(move || {
        let all = LocalSet::new();
        all.block_on(&runtime, async {
            while let Some(begin) = begins.recv().await {
                begin();
            }
        });
    })?;
    Ok(sender)
}
