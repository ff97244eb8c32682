//! The way out of a link: whoever has a message writes it at once if the socket takes it; else a task writes what waits.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::Notify;

use super::frame;
use super::message::Message;

/// The other side of a connection takes nothing for so long that what waits is more than this many of the largest messages.
const WAITING_FRAMES_MAX: usize = 4;

/// What is to be sent.
pub(super) struct Outbox {
    state: Mutex<State>,
    wake: Notify,
    /// A socket of this machine, which everybody may write to.
    direct: Option<OwnedWriteHalf>,
    waiting_max_bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    /// The task has taken bytes that it has not written: nobody overtakes it.
    writing: bool,
    closed: bool,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").finish_non_exhaustive()
    }
}

impl Outbox {
    pub(super) fn new(direct: Option<OwnedWriteHalf>, frame_max_bytes: usize) -> Self {
        let waiting_max_bytes = frame_max_bytes.saturating_mul(WAITING_FRAMES_MAX);
        Self { state: Mutex::default(), wake: Notify::new(), direct, waiting_max_bytes }
    }

    /// The socket, if it is one of this machine; what waits to be sent is lost.
    pub(super) fn into_direct(self) -> Option<OwnedWriteHalf> {
        self.direct
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message. False if the connection is broken.
    pub(super) fn send(&self, message: &Message) -> bool {
        let mut state = self.state();
        if state.closed {
            return false;
        }
        let first = state.bytes.is_empty() && !state.writing;
        frame::put(&mut state.bytes, message);
        if let Some(socket) = self.direct.as_ref().filter(|_| first) {
            match socket.try_write(&state.bytes) {
                Ok(count) if count == state.bytes.len() => {
                    state.bytes.clear();
                    return true;
                }
                Ok(count) => drop(state.bytes.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => state.closed = true,
            }
        }
        if state.bytes.len() > self.waiting_max_bytes {
            state.closed = true;
        }
        let open = !state.closed;
        drop(state);
        self.wake.notify_one();
        open
    }

    /// Writes what waits now, before there is a task for it.
    pub(super) async fn write_once(&self, stream: &mut Option<Box<dyn AsyncWrite + Send + Unpin>>) {
        let bytes = std::mem::take(&mut self.state().bytes);
        let written = match (stream, &self.direct) {
            (_, _) if bytes.is_empty() => Ok(()),
            (Some(stream), _) => write_all(stream, &bytes).await,
            (None, Some(socket)) => write_directly(socket, &bytes).await,
            (None, None) => Ok(()),
        };
        if written.is_err() {
            self.state().closed = true;
        }
    }

    /// Nothing is sent any more.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.wake.notify_one();
    }

    /// Writes what could not be written at once, until the connection is closed or broken, or does not take anything for
    /// longer than `most`.
    pub(super) async fn write(&self, mut stream: Option<Box<dyn AsyncWrite + Send + Unpin>>, most: Duration) {
        let mut taken = Vec::new();
        loop {
            let closed = {
                let mut state = self.state();
                state.writing = !state.bytes.is_empty();
                std::mem::swap(&mut taken, &mut state.bytes);
                state.closed
            };
            if taken.is_empty() && closed {
                break;
            }
            if taken.is_empty() {
                self.wake.notified().await;
                continue;
            }
            let written = match (&mut stream, &self.direct) {
                (Some(stream), _) => tokio::time::timeout(most, write_all(stream, &taken)).await,
                (None, Some(socket)) => tokio::time::timeout(most, write_directly(socket, &taken)).await,
                (None, None) => break,
            };
            if !matches!(written, Ok(Ok(()))) {
                break;
            }
            taken.clear();
        }
        let mut state = self.state();
        state.closed = true;
        state.writing = false;
    }
}

async fn write_all(stream: &mut (dyn AsyncWrite + Send + Unpin), bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes).await?;
    stream.flush().await
}

async fn write_directly(socket: &OwnedWriteHalf, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        socket.writable().await?;
        match socket.try_write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
