//! The way out of a link. The sender writes a message at once if the socket takes it; otherwise the message
//! waits for a task that writes.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::frame::{self, Unsent};
use super::message::Message;

/// More than this many of the largest messages wait: the other side has taken nothing for too long.
const WAITING_FRAMES_MAX: usize = 4;

/// Messages on their way out.
pub(super) struct Outbox {
    state: Mutex<State>,
    wake: Notify,
    /// A socket of this machine, which everybody may write to.
    direct: Option<OwnedWriteHalf>,
    frame_max_bytes: usize,
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
        Self { state: Mutex::default(), wake: Notify::new(), direct, frame_max_bytes, waiting_max_bytes }
    }

    /// The socket, if it is one of this machine. Messages that wait are lost.
    pub(super) fn into_direct(self) -> Option<OwnedWriteHalf> {
        self.direct
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The connection is broken, or the other side would not take a message of this length.
    pub(super) fn send(&self, message: &Message) -> Result<(), Unsent> {
        let mut state = self.state();
        if state.closed {
            return Err(Unsent::Closed);
        }
        let (first, before) = (state.bytes.is_empty() && !state.writing, state.bytes.len());
        frame::put_within(&mut state.bytes, message, self.frame_max_bytes)?;
        if let Some(socket) = self.direct.as_ref().filter(|_| first) {
            match socket.try_write(&state.bytes) {
                Ok(count) if count == state.bytes.len() => {
                    state.bytes.clear();
                    return Ok(());
                }
                Ok(count) => drop(state.bytes.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => state.closed = true,
            }
        }
        if state.bytes.len() > self.waiting_max_bytes {
            state.closed = true;
        }
        let closed = state.closed;
        if closed {
            // The caller hears that it was not sent, so it must not be. Messages before it may still go.
            state.bytes.truncate(before);
        }
        drop(state);
        self.wake.notify_one();
        if closed { Err(Unsent::Closed) } else { Ok(()) }
    }

    /// Writes the waiting messages before a task exists for them.
    pub(super) async fn write_once(&self, stream: &mut Option<Box<dyn AsyncWrite + Send + Unpin>>) {
        let bytes = std::mem::take(&mut self.state().bytes);
        let written = match (stream, &self.direct) {
            (_, _) if bytes.is_empty() => Ok(()),
            // Saying hello has its own limit.
            (Some(stream), _) => write_all(stream, &bytes, Duration::MAX).await,
            (None, Some(socket)) => write_directly(socket, &bytes, Duration::MAX).await,
            (None, None) => Ok(()),
        };
        if written.is_err() {
            self.state().closed = true;
        }
    }

    /// Sends no further messages.
    pub(super) fn close(&self) {
        self.state().closed = true;
        self.wake.notify_one();
    }

    /// True if bytes wait because the other side has not taken them yet. [`write`](Self::write) ends if it takes none at all.
    pub(super) fn is_behind(&self) -> bool {
        let state = self.state();
        state.writing || !state.bytes.is_empty()
    }

    /// Writes waiting messages until the connection is closed or broken, or the other side takes no byte for
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
                (Some(stream), _) => write_all(stream, &taken, most).await,
                (None, Some(socket)) => write_directly(socket, &taken, most).await,
                (None, None) => break,
            };
            if written.is_err() {
                break;
            }
            taken.clear();
        }
        let mut state = self.state();
        state.closed = true;
        state.writing = false;
    }
}

/// Writes bytes as long as some of them are taken within `most`, however long all of them take.
async fn write_all(
    stream: &mut (dyn AsyncWrite + Send + Unpin),
    mut bytes: &[u8],
    most: Duration,
) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = timeout(most, stream.write(bytes)).await??;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[count..];
    }
    timeout(most, stream.flush()).await?
}

/// The same for a socket of this machine.
async fn write_directly(socket: &OwnedWriteHalf, mut bytes: &[u8], most: Duration) -> io::Result<()> {
    while !bytes.is_empty() {
        timeout(most, socket.writable()).await??;
        match socket.try_write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    const MOST: Duration = Duration::from_secs(5);

    #[tokio::test(start_paused = true)]
    async fn a_message_that_was_not_sent_does_not_arrive() {
        let outbox = Outbox::new(None, 1_000);
        let message = || Message::Refused { reason: "x".repeat(900) };
        let mut sent = 0;
        while outbox.send(&message()).is_ok() {
            sent += 1;
        }
        let (near, mut far) = tokio::io::duplex(1 << 20);
        outbox.write(Some(Box::new(near)), MOST).await;
        let mut bytes = Vec::new();
        far.read_to_end(&mut bytes).await.expect("all of it");
        let mut frames = frame::Frames::new(1_000);
        frames.room().extend(bytes);
        let mut came = 0;
        while frames.next_message().expect("messages").is_some() {
            came += 1;
        }
        assert!(!frames.has_begun());
        assert_eq!(came, sent);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_gets_all_and_one_that_has_stopped_ends_the_writing() {
        let (near, mut far) = tokio::io::duplex(1_000);
        let outbox = Outbox::new(None, 1 << 20);
        let reason = "x".repeat(10_000);
        assert_eq!(outbox.send(&Message::Refused { reason }), Ok(()));
        let bytes = outbox.state().bytes.len();
        let reads = async {
            // All of it takes more than ten times as long as the writer waits for a part.
            let mut part = [0; 100];
            for _ in 0..bytes / part.len() {
                tokio::time::sleep(MOST - Duration::from_secs(1)).await;
                far.read_exact(&mut part).await.expect("bytes");
            }
            far.read_exact(&mut part[..bytes % 100]).await.expect("the rest");
            assert_eq!(outbox.send(&Message::Ping), Ok(()), "the connection is open");
            // From here on the other side reads nothing.
            assert_eq!(outbox.send(&Message::Refused { reason: "x".repeat(10_000) }), Ok(()));
            tokio::time::sleep(MOST / 2).await;
            assert!(outbox.is_behind());
            tokio::time::sleep(MOST).await;
            assert_eq!(outbox.send(&Message::Ping), Err(Unsent::Closed), "nothing was taken for too long");
        };
        tokio::join!(outbox.write(Some(Box::new(near)), MOST), reads);
    }
}
