//! A worker with a task: waiting for its messages with the runtime of the calling thread, and its way back to the pool.

#![allow(unsafe_code)]

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Instant;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::runtime::{Handle, Id};
use tokio::sync::oneshot;
use wire::FromWorker;

use crate::quick::pace::Pace;
use crate::running::pool::{Event, Shared};
use crate::running::process::{Line, Received, WaitsAt};

/// A worker that has nothing to do. It stays registered with the runtime that called it last: the next call most often comes
/// from there.
#[derive(Debug)]
pub(crate) enum Idle {
    Fresh(Line),
    Registered(AsyncFd<Line>, Id),
}

impl Idle {
    pub(crate) fn pid(&self) -> u32 {
        match self {
            Idle::Fresh(line) => line.pid,
            Idle::Registered(ready, _) => ready.get_ref().pid,
        }
    }

    pub(crate) fn into_line(self) -> Line {
        match self {
            Idle::Fresh(line) => line,
            Idle::Registered(ready, _) => ready.into_inner(),
        }
    }
}

/// A worker with a task; dropped with it, it is killed.
#[derive(Debug)]
pub(crate) struct Running {
    shared: Arc<Shared>,
    /// None when the worker was given away.
    ready: Option<AsyncFd<Line>>,
    runtime: Id,
}

impl Running {
    /// Takes a worker for a task of this runtime. None if the runtime has no place for it; another worker takes its place.
    pub(crate) fn new(idle: Idle, shared: Arc<Shared>) -> Option<Self> {
        let runtime = Handle::current().id();
        let line = match idle {
            Idle::Registered(ready, known) if known == runtime => {
                return Some(Self { shared, ready: Some(ready), runtime });
            }
            other => other.into_line(),
        };
        // SAFETY: a `Line` has its socket for as long as it lives, gives always the same one, and never changes it; it
        // is in the `AsyncFd` until that is gone.
        match unsafe { AsyncFd::register_with_interest(line, Interest::READABLE) } {
            Ok(ready) => Some(Self { shared, ready: Some(ready), runtime }),
            Err(error) => {
                shared.tell(Event::Replace(error.into_parts().0));
                None
            }
        }
    }

    fn ready(&mut self) -> &mut AsyncFd<Line> {
        self.ready.as_mut().expect("the worker is only given away at the end")
    }

    pub(crate) fn line(&mut self) -> &mut Line {
        self.ready().get_mut()
    }

    /// The next message, as soon as there is one, of a worker that was rung for at that time.
    pub(crate) async fn message(&mut self, pace: &Pace, rung: Instant) -> Result<FromWorker, &'static str> {
        if self.line().waits_at() == WaitsAt::Bell {
            let received = self.line().receive_at_bell();
            pace.took(rung.elapsed());
            if !matches!(received, Received::Nothing) {
                return received.message();
            }
        }
        let ready = self.ready();
        loop {
            let mut guard = ready.readable_mut().await.map_err(|_| "the runtime is at its end")?;
            let received = guard.get_inner_mut().receive();
            // A worker says one thing at a time: there is nothing more until it is rung for. That it is gone stays known.
            guard.clear_ready();
            if !matches!(received, Received::Nothing) {
                return received.message();
            }
        }
    }

    /// Waits until a worker that waits for an answer is gone, or says something before it has the answer; gives the reason why it
    /// is not waited for any longer.
    pub(crate) async fn breaks_off(&mut self) -> &'static str {
        let ready = self.ready();
        loop {
            let Ok(mut guard) = ready.readable_mut().await else { return "the runtime is at its end" };
            match guard.get_inner_mut().receive() {
                // The runtime had noted a byte that was taken before.
                Received::Nothing => guard.clear_ready(),
                Received::Gone => return "the worker is gone",
                Received::Message(_) | Received::Bad(_) => return "the worker did not wait for an answer",
            }
        }
    }

    /// The task has ended as it should. The worker takes another one, unless it has done enough.
    pub(crate) fn finish(&mut self, tasks_max: u32) {
        let Some(mut ready) = self.ready.take() else { return };
        let line = ready.get_mut();
        line.clear();
        line.tasks += 1;
        if line.tasks >= tasks_max {
            self.shared.tell(Event::Replace(ready.into_inner()));
        } else {
            self.shared.idle.put(Idle::Registered(ready, self.runtime));
        }
    }

    /// The worker is replaced; gives how it ended.
    pub(crate) async fn gone(&mut self) -> Option<ExitStatus> {
        let line = self.ready.take()?.into_inner();
        let (answer, told) = oneshot::channel();
        self.shared.tell(Event::Gone(line, answer));
        told.await.unwrap_or_default()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(ready) = self.ready.take() {
            self.shared.tell(Event::Replace(ready.into_inner()));
        }
    }
}
