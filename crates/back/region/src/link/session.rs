//! Sessions: connections beside the first one. A session carries one request at a time, and the asking thread
//! itself waits for the answer.
//!
//! On the first connection of a link an answer goes through the thread of the links to the thread that asked.
//! That is right for programs that take long. For quick programs this detour costs more than all else. So
//! they have sessions: the asking thread writes and reads, and a thread of the other region serves only this
//! session. As at the door of a region, a thread waits only for a short time; after that its runtime waits.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use tokio::sync::Notify;
use wire::{Cargo, Name};

use super::frame::{self, Frames, Unsent};
use super::message::{Message, Request};
use crate::quick::pace::{AT_THE_BELL_MAX, Pace, Paces, QUICK_FAR_MAX};
use crate::quick::processors::{Stay, Whereabouts};

/// Bytes that are read at once.
pub(super) const READ_BYTES: usize = 64 * 1024;

/// The longest data that go over a session: the socket takes them at once, so that writing never waits.
const QUICK_DATA_MAX_BYTES: usize = 64 * 1024;

/// The pace of all commands on queues. No program has this name.
const QUEUES: Name<8> = *b"\0QUEUES\0";

/// A connection for one request at a time.
#[derive(Debug)]
pub(super) struct Session {
    socket: UnixStream,
    frames: Frames,
    /// The longest time to wait for a message; none for no limit.
    read_max: Option<Duration>,
    /// The last message that was written; kept for its memory.
    written: Vec<u8>,
    /// Where the other side knows that it is waited for.
    whereabouts: Whereabouts,
}

/// The most bytes of the write buffer that are kept for the next message.
const WRITTEN_KEPT_BYTES: usize = 1 << 20;

impl Session {
    /// A session on a socket. `frames` has the bytes that have already come. Reads and writes wait no longer
    /// than the given times.
    ///
    /// # Errors
    /// The socket does not take that.
    pub(super) fn new(
        (socket, frames): (UnixStream, Frames),
        read_max: Option<Duration>,
        write_max: Duration,
    ) -> io::Result<Self> {
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(read_max)?;
        socket.set_write_timeout(Some(write_max))?;
        Ok(Self { socket, frames, read_max, written: Vec::new(), whereabouts: Whereabouts::default() })
    }

    /// The socket once more, so that others can close the session.
    ///
    /// # Errors
    /// The process has no file descriptor left.
    pub(super) fn socket(&self) -> io::Result<UnixStream> {
        self.socket.try_clone()
    }

    /// True if a part of a message has come.
    pub(super) fn has_begun(&self) -> bool {
        self.frames.has_begun()
    }

    /// Writes a message.
    ///
    /// # Errors
    /// The other side does not have the whole of it, or it is longer than that side takes.
    pub(super) fn send(&mut self, message: &Message) -> Result<(), Unsent> {
        self.send_from(message, None)
    }

    /// Writes a message of a thread that stays where it is until the answer has come.
    fn send_from(&mut self, message: &Message, stay: Option<&Stay>) -> Result<(), Unsent> {
        self.written.clear();
        self.written.shrink_to(WRITTEN_KEPT_BYTES);
        if let Some(processor) = stay.and_then(|stay| self.whereabouts.news(stay)) {
            frame::put(&mut self.written, &Message::At { processor });
        }
        frame::put_within(&mut self.written, message, self.frames.frame_max_bytes())?;
        self.socket.write_all(&self.written).map_err(|_| Unsent::Closed)
    }

    /// Waits for a message as long as the session may; none if the time is up.
    ///
    /// # Errors
    /// The session is at its end, or has something else on it than messages: the reason for people.
    pub(super) fn receive(&mut self) -> Result<Option<Message>, String> {
        let begun = Instant::now();
        loop {
            if let Some(message) = self.frames.next_message().map_err(|bad| bad.to_string())? {
                return Ok(Some(message));
            }
            // Each read has that limit, and a message may come in many pieces.
            if self.read_max.is_some_and(|most| begun.elapsed() >= most) {
                return Ok(None);
            }
            let room = self.frames.room();
            room.reserve(READ_BYTES);
            match rustix::io::read(&self.socket, spare_capacity(room)) {
                Ok(0) => return Err("the other side has closed the session".to_owned()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    /// Waits for a message with the runtime of this thread; gives the session back with it.
    ///
    /// # Errors
    /// As [`receive`](Self::receive).
    pub(super) async fn receive_later(mut self) -> Result<(Message, Self), String> {
        let wrong = |error: io::Error| error.to_string();
        self.socket.set_nonblocking(true).map_err(wrong)?;
        let socket = tokio::net::UnixStream::from_std(self.socket).map_err(wrong)?;
        let message = loop {
            if let Some(message) = self.frames.next_message().map_err(|bad| bad.to_string())? {
                break message;
            }
            socket.readable().await.map_err(wrong)?;
            let room = self.frames.room();
            room.reserve(READ_BYTES);
            match socket.try_read_buf(room) {
                Ok(0) => return Err("the other side has closed the session".to_owned()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(wrong(error)),
            }
        };
        self.socket = socket.into_std().map_err(wrong)?;
        self.socket.set_nonblocking(false).map_err(wrong)?;
        Ok((message, self))
    }
}

/// The idle sessions of a connection, and how quick the requests over them are.
#[derive(Debug)]
pub(super) struct Sessions {
    idle: Mutex<Vec<Session>>,
    /// The number of sessions, idle and busy.
    open: AtomicUsize,
    most: usize,
    closed: AtomicBool,
    /// One more would have been of use.
    pub(super) wanted: Notify,
    paces: Paces,
}

impl Sessions {
    /// No sessions yet, and never more than `most`.
    pub(super) fn new(most: usize) -> Self {
        Self {
            idle: Mutex::default(),
            open: AtomicUsize::new(0),
            most,
            closed: AtomicBool::new(false),
            wanted: Notify::new(),
            paces: Paces::new(QUICK_FAR_MAX),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session for the request, with its pace. None if the request is not quick, or no session is free.
    pub(super) fn of(&self, request: &Request) -> Option<Quick<'_>> {
        let name = quick_name(request)?;
        if self.most == 0 {
            return None;
        }
        let pace = self.paces.of(name);
        if !pace.is_quick() {
            return None;
        }
        let Some(session) = self.idle().pop() else {
            if self.open.load(Ordering::Relaxed) < self.most {
                self.wanted.notify_one();
            }
            return None;
        };
        Some(Quick { place: Place(self), session, pace, stay: None })
    }

    /// A new session.
    pub(super) fn add(&self, session: Session) {
        self.open.fetch_add(1, Ordering::Relaxed);
        Place(self).give_back(session);
    }

    /// Ends all sessions; a busy one ends when its request has its answer.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let closed = std::mem::take(&mut *self.idle());
        self.open.fetch_sub(closed.len(), Ordering::Relaxed);
    }
}

/// A place among the open sessions.
struct Place<'s>(&'s Sessions);

impl Place<'_> {
    fn give_back(self, session: Session) {
        let mut idle = self.0.idle();
        if !self.0.closed.load(Ordering::Acquire) {
            idle.push(session);
            drop(idle);
            std::mem::forget(self);
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A session for one request. Dropped before its answer comes, it closes the session, and the request is
/// backed out.
pub(super) struct Quick<'s> {
    place: Place<'s>,
    session: Session,
    pace: &'s Pace,
    /// While its answer is waited for on this thread.
    stay: Option<Stay>,
}

/// The outcome of a wait at a session.
pub(super) enum Waited<'s> {
    Answered(Message),
    /// There is nothing yet.
    Later(Quick<'s>),
}

impl<'s> Quick<'s> {
    /// Sends a request. A request that was written only in part is not a message, so that the other region
    /// does nothing for it.
    pub(super) fn send(&mut self, request: &Message) -> Result<(), Unsent> {
        self.stay = Stay::here();
        self.session.send_from(request, self.stay.as_ref())
    }

    /// Waits for the answer on this thread, for a short time.
    ///
    /// # Errors
    /// There will be none: the reason for people.
    pub(super) fn wait(mut self) -> Result<Waited<'s>, String> {
        let begun = Instant::now();
        let received = self.session.receive()?;
        let took = begun.elapsed();
        self.stay = None;
        self.session.whereabouts.took(took);
        self.pace.took(took);
        match received {
            Some(message) => {
                self.place.give_back(self.session);
                Ok(Waited::Answered(message))
            }
            None => Ok(Waited::Later(self)),
        }
    }

    /// Waits for the answer with the runtime of this thread.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub(super) async fn wait_later(self) -> Result<Message, String> {
        let (message, session) = self.session.receive_later().await?;
        self.place.give_back(session);
        Ok(message)
    }
}

/// How long a thread waits for an answer: as at the bell of a worker.
pub(super) const WAIT_MAX: Duration = AT_THE_BELL_MAX;

/// The name that the pace of a request is kept under. None for requests that are never quick: those that wait
/// for disks, and those with much data.
fn quick_name(request: &Request) -> Option<Name<8>> {
    match request {
        Request::Link(link) => (data_bytes(&link.cargo) <= QUICK_DATA_MAX_BYTES).then_some(link.program),
        Request::Queue { .. } => Some(QUEUES),
        _ => None,
    }
}

fn data_bytes(cargo: &Cargo) -> usize {
    match cargo {
        Cargo::None => 0,
        Cargo::Commarea { data, .. } => data.len(),
        Cargo::Channel { containers, .. } => containers.iter().map(|container| container.bytes.len()).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_drips_bytes_holds_no_thread() {
        let (near, far) = UnixStream::pair().expect("sockets");
        let (read_max, write_max) = (Some(Duration::from_millis(30)), Duration::from_secs(30));
        let mut session = Session::new((near, Frames::new(1 << 20)), read_max, write_max).expect("a session");
        let dripping = std::thread::spawn(move || {
            // The beginning of a message that never ends. Each byte comes long before the limit of a read.
            let message = [&(1_u32 << 19).to_le_bytes()[..], &[0; 1_500]].concat();
            message.iter().all(|byte| {
                std::thread::sleep(Duration::from_millis(1));
                (&far).write_all(&[*byte]).is_ok()
            })
        });
        assert_eq!(session.receive(), Ok(None));
        assert!(session.has_begun());
        drop(session);
        assert!(!dripping.join().expect("it ends"), "the thread was held to the last byte");
    }
}
