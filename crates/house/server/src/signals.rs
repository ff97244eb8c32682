//! Signals of the process, received from the start, so that none is lost.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::Error;

/// The signals that the process handles.
#[derive(Debug)]
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

/// The meaning of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// End the process (SIGINT, SIGTERM).
    End,
    /// Read the files again (SIGHUP).
    Reload,
}

impl Signals {
    /// Receives signals from now on.
    ///
    /// # Errors
    /// The system refuses to deliver signals.
    pub fn new() -> Result<Self, Error> {
        let describe = |error: io::Error| Error(format!("signals cannot be received: {error}"));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(describe)?,
            terminate: signal(SignalKind::terminate()).map_err(describe)?,
            hang_up: signal(SignalKind::hangup()).map_err(describe)?,
        })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::End,
            _ = self.terminate.recv() => Asked::End,
            _ = self.hang_up.recv() => Asked::Reload,
        }
    }
}
