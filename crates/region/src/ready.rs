//! Waiting for a worker's messages with the runtime of the calling thread.

#![allow(unsafe_code)]

use std::sync::Arc;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::pool::{Event, Shared};
use crate::process::{Line, Received};
use crate::wire::FromWorker;

/// A worker that waits for its messages with the runtime of this thread; dropped, it is killed.
pub(crate) struct Guarded {
    ready: Option<AsyncFd<Line>>,
    shared: Arc<Shared>,
}

impl Guarded {
    pub(crate) fn new(line: Line, shared: Arc<Shared>) -> Result<Self, &'static str> {
        // SAFETY: a `Line` has its socket for as long as it lives, gives always the same one, and never changes it; it
        // is in the `AsyncFd` until that is gone.
        match unsafe { AsyncFd::register_with_interest(line, Interest::READABLE) } {
            Ok(ready) => Ok(Self { ready: Some(ready), shared }),
            Err(error) => {
                shared.tell(Event::Replace(error.into_parts().0));
                Err("the runtime does not take the worker's socket")
            }
        }
    }

    pub(crate) fn line(&mut self) -> &mut Line {
        self.ready.as_mut().expect("there until into_line").get_mut()
    }

    /// The next message, as soon as there is one.
    pub(crate) async fn message(&mut self) -> Result<FromWorker, &'static str> {
        let ready = self.ready.as_mut().expect("there until into_line");
        loop {
            let mut guard = ready.readable_mut().await.map_err(|_| "the runtime is at its end")?;
            match guard.get_inner_mut().receive() {
                Received::Nothing => guard.clear_ready(),
                Received::Message(message) => return Ok(message),
                Received::Gone => return Err("the worker is gone"),
                Received::Bad(reason) => return Err(reason),
            }
        }
    }

    /// The worker, which lives on.
    pub(crate) fn into_line(mut self) -> Line {
        self.ready.take().expect("there until into_line").into_inner()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if let Some(ready) = self.ready.take() {
            self.shared.tell(Event::Replace(ready.into_inner()));
        }
    }
}
