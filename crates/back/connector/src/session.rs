//! A connection that many requests share: multiplexed with correlation ids, or pipelined in their order without.
//!
//! The path of a request: [`Lane::exchange`] frames the message outside of any lock, and puts it into the session's line. Whoever
//! finds that nobody writes, writes for all, many frames with one call of the system. On the session's own thread the task
//! `write` does so as soon as all who are ready have put theirs. The task `listen` reads replies and hands each to its caller, see
//! `reading`.
//!
//! Long messages of Gantry's framing go in parts that take turns, so a short message does not wait for a long one.
//!
//! A caller that leaves before its first byte is written takes its message away. Later, its reply is dropped when it comes: by its
//! correlation id, or by its place. What nobody asked for ends the session, and so does an answer that does not come to a
//! heartbeat.

mod crowd;
mod reading;

use std::collections::{HashSet, VecDeque};
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use tokio::sync::{Notify, oneshot};

use self::crowd::Crowd;
use crate::framing::{FrameType, Framing, GANTRY_HEADER_BYTES, Label};
use crate::parts::Parts;
use crate::room::Account;
use crate::settings::GroupSettings;
use crate::transport::{Connection, Exchange, Fault, Place, Progress};
use crate::wired::Wired;
use sockets::Wire;

/// Bytes of a message in one frame of Gantry's framing, at most.
const PART_BYTES: usize = 64 * 1024 - GANTRY_HEADER_BYTES;

/// Frames and bytes of one write.
const BATCH_FRAMES: usize = 32;
const BATCH_BYTES: usize = 256 * 1024;

/// Replies that nobody waits for any more, and that may still come. With more, the server has lost its way.
const LATE_MAX: usize = 10_000;

/// With more requests under way, the write waits for those that are ready, too.
const ALONE: usize = 1;

/// The right to one request on a session.
#[derive(Debug)]
pub(crate) struct Lane {
    session: Arc<Session>,
}

/// A connection that is shared.
#[derive(Debug)]
pub(crate) struct Session {
    wired: Wired,
    settings: Arc<GroupSettings>,
    /// The thread whose runtime watches it.
    owner: ThreadId,
    state: Mutex<State>,
    /// Tells the task `write` that it is its turn.
    due: Notify,
    /// Tells the reader that nobody waits any more for the reply that it reads.
    left: Notify,
    closed: Notify,
    lanes: AtomicUsize,
    next: AtomicU64,
}

#[derive(Debug)]
struct State {
    /// What is not wholly written, in the order of its turns.
    line: VecDeque<Outgoing>,
    is_writing: bool,
    crowd: Crowd,
    /// Requests without their replies, in their order.
    pending: VecDeque<Pending>,
    /// Correlation ids whose callers have left.
    late: HashSet<u64>,
    /// No new request may come: the server said so, or the connection is over.
    is_retired: bool,
    /// Why it is over.
    ended: Option<String>,
    /// A heartbeat has no answer yet.
    is_asked: bool,
    /// It counts among the sessions of its endpoint.
    place: Option<Place>,
    /// The replies of which a part has come.
    parts: Parts,
    /// What the reader's buffer holds, the next read included.
    buffer_bytes: usize,
    /// The reply whose frame is in the buffer and is not whole.
    reading: Option<u64>,
    /// The room of all that has come.
    account: Account,
}

/// A message on its way.
#[derive(Debug)]
struct Outgoing {
    id: u64,
    frame_type: FrameType,
    message: Vec<u8>,
    /// Bytes of the message in frames that are written.
    at: usize,
    /// Bytes of the message in the frame that is next, and its header.
    piece: usize,
    header: [u8; GANTRY_HEADER_BYTES],
    header_bytes: usize,
    /// Bytes of that frame that are written.
    written: usize,
    /// Who waits until it is written.
    told: Option<oneshot::Sender<Ended>>,
}

#[derive(Debug)]
struct Pending {
    id: u64,
    /// None if nobody waits for it.
    reply: Option<oneshot::Sender<Ended>>,
}

/// What comes of a request.
type Ended = Result<Vec<u8>, Lost>;

/// A request without a reply, with its message if none of it was sent.
#[derive(Debug)]
struct Lost {
    fault: Fault,
    unsent: Option<Vec<u8>>,
}

impl Outgoing {
    fn new(
        (id, frame_type): (u64, FrameType),
        message: Vec<u8>,
        framing: &Framing,
    ) -> Result<Self, (Fault, Vec<u8>)> {
        let (header, told) = ([0; GANTRY_HEADER_BYTES], None);
        let mut made =
            Self { id, frame_type, message, at: 0, piece: 0, header, header_bytes: 0, written: 0, told };
        match made.cut(framing) {
            Ok(()) => Ok(made),
            Err(fault) => Err((Fault::Unframeable(fault.0), made.message)),
        }
    }

    /// Makes the next frame.
    fn cut(&mut self, framing: &Framing) -> Result<(), crate::framing::Fault> {
        let left = self.message.len() - self.at;
        let piece = if framing.correlates() { left.min(PART_BYTES) } else { left };
        let label = Label { frame_type: self.frame_type, correlation: self.id, goes_on: piece < left };
        let around = framing.write(&self.message[self.at..self.at + piece], label)?;
        let header = around.header();
        self.header[..header.len()].copy_from_slice(header);
        (self.piece, self.header_bytes, self.written) = (piece, header.len(), 0);
        Ok(())
    }

    fn has_begun(&self) -> bool {
        self.at > 0 || self.written > 0
    }

    /// The bytes of the frame that are not written.
    fn left<'o>(&'o self, trailer: &'o [u8]) -> [&'o [u8]; 3] {
        let all = [&self.header[..self.header_bytes], &self.message[self.at..self.at + self.piece], trailer];
        let mut skip = self.written;
        all.map(|part| {
            let skipped = skip.min(part.len());
            skip -= skipped;
            &part[skipped..]
        })
    }
}

impl Session {
    /// Shares a connection: gives a lane for each request that may be under way.
    pub(crate) fn begin(connection: Connection, settings: &Arc<GroupSettings>) -> Vec<Lane> {
        let (socket, place, account) = connection.into_parts();
        let state = State {
            line: VecDeque::new(),
            is_writing: false,
            crowd: Crowd::default(),
            pending: VecDeque::new(),
            late: HashSet::new(),
            is_retired: false,
            ended: None,
            is_asked: false,
            place: Some(place),
            parts: Parts::new(settings.frame_max_bytes),
            buffer_bytes: 0,
            reading: None,
            account,
        };
        let count = settings.in_flight_max.max(1);
        let session = Arc::new(Self {
            wired: Wired::new(socket),
            settings: Arc::clone(settings),
            owner: thread::current().id(),
            state: Mutex::new(state),
            due: Notify::new(),
            left: Notify::new(),
            closed: Notify::new(),
            lanes: AtomicUsize::new(count),
            next: AtomicU64::new(1),
        });
        tokio::spawn(listen(Ends(Arc::clone(&session))));
        tokio::spawn(write(Arc::clone(&session)));
        (0..count).map(|_| Lane { session: Arc::clone(&session) }).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message into the line, and sees that it is written.
    fn submit(
        &self,
        frame_type: FrameType,
        message: Vec<u8>,
        then: Option<oneshot::Sender<Ended>>,
    ) -> Result<u64, (Fault, Vec<u8>)> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let outgoing = Outgoing::new((id, frame_type), message, &self.settings.framing)?;
        self.put(outgoing, then).map(|()| id)
    }

    fn put(
        &self,
        mut outgoing: Outgoing,
        then: Option<oneshot::Sender<Ended>>,
    ) -> Result<(), (Fault, Vec<u8>)> {
        let mut state = self.state();
        if state.is_retired {
            let why = state.ended.as_deref().unwrap_or("the connection takes no more requests");
            return Err((Fault::Broken(why.to_owned()), outgoing.message));
        }
        let frame_type = outgoing.frame_type;
        match frame_type {
            FrameType::Request => {
                state.pending.push_back(Pending { id: outgoing.id, reply: then });
            }
            _ => outgoing.told = then,
        }
        state.line.push_back(outgoing);
        if state.is_writing {
            return Ok(());
        }
        state.is_writing = true;
        let is_own = thread::current().id() == self.owner;
        let is_one_way = frame_type == FrameType::OneWay;
        let others = (is_own && state.pending.len() > ALONE) || (is_one_way && state.crowd.gathers(is_own));
        if self.wired.must_wait() || others {
            self.due.notify_one();
            return Ok(());
        }
        drop(state);
        if self.write_now() == Written::Blocked {
            // The task waits until the other side has taken some.
            self.due.notify_one();
        }
        Ok(())
    }

    /// Writes for all until the line is empty or the socket is full.
    fn write_now(&self) -> Written {
        let mut batch = VecDeque::new();
        loop {
            if !self.refill(&mut batch, false) {
                return Written::All;
            }
            match self.wired.try_write(&slices(&batch, &self.settings.framing)) {
                Ok(bytes) => self.account(&mut batch, bytes),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.put_back(&mut batch);
                    return Written::Blocked;
                }
                Err(error) => {
                    self.put_back(&mut batch);
                    self.end(&Fault::Broken(error.to_string()));
                    return Written::All;
                }
            }
        }
    }

    /// Takes the next frames out of the line; false if there is nothing to write, and then nobody writes. They may be those for
    /// which one was held back.
    fn refill(&self, batch: &mut VecDeque<Outgoing>, was_held: bool) -> bool {
        if !batch.is_empty() {
            return true;
        }
        let mut state = self.state();
        let mut bytes = 0;
        while batch.len() < BATCH_FRAMES && bytes < BATCH_BYTES {
            let Some(next) = state.line.pop_front() else { break };
            bytes += next.piece;
            batch.push_back(next);
        }
        if was_held {
            state.crowd.came(batch.len());
        }
        state.is_writing = !batch.is_empty();
        state.is_writing
    }

    /// Notes that so many bytes are written.
    fn account(&self, batch: &mut VecDeque<Outgoing>, mut bytes: usize) {
        let trailer = self.settings.framing.trailer().len();
        while let Some(first) = batch.front_mut() {
            let left = first.header_bytes + first.piece + trailer - first.written;
            if bytes < left {
                first.written += bytes;
                return;
            }
            bytes -= left;
            let Some(mut done) = batch.pop_front() else { return };
            done.at += done.piece;
            if done.at < done.message.len() {
                // What is left waits for its next turn. A part of a message can be framed as its beginning was.
                let _ = done.cut(&self.settings.framing);
                self.state().line.push_back(done);
            } else if let Some(told) = done.told.take() {
                let _ = told.send(Ok(Vec::new()));
            }
        }
    }

    /// What is not written goes back to the front of the line.
    fn put_back(&self, batch: &mut VecDeque<Outgoing>) {
        let mut state = self.state();
        while let Some(last) = batch.pop_back() {
            state.line.push_front(last);
        }
    }

    /// A caller leaves: gives its message back if none of it was sent.
    fn withdraw(&self, id: u64) -> Option<Vec<u8>> {
        let mut state = self.state();
        let waits = state.line.iter().position(|one| one.id == id && !one.has_begun());
        if let Some(outgoing) = waits.and_then(|at| state.line.remove(at)) {
            state.pending.retain(|one| one.id != id);
            return Some(outgoing.message);
        }
        let at = state.pending.iter().position(|one| one.id == id)?;
        if self.settings.framing.correlates() {
            state.pending.remove(at);
            state.late.insert(id);
            state.parts.forget(id);
            state.settle();
            state.account.look_again();
            if state.reading == Some(id) {
                self.left.notify_one();
            }
            if state.late.len() > LATE_MAX {
                drop(state);
                self.end(&Fault::BadReply("too many replies are late".to_owned()));
            }
        } else {
            // Its reply is still to come, and all others behind it.
            state.pending[at].reply = None;
            retire(&mut state);
        }
        None
    }

    /// Ends it: all who wait learn why.
    fn end(&self, fault: &Fault) {
        let mut state = self.state();
        if state.ended.is_some() {
            return;
        }
        state.ended = Some(fault.text().to_owned());
        retire(&mut state);
        let (pending, mut line) = (std::mem::take(&mut state.pending), std::mem::take(&mut state.line));
        state.parts.clear();
        state.account.end();
        drop(state);
        line.retain(|one| !one.has_begun());
        let lost = |unsent| Err(Lost { fault: fault.clone(), unsent });
        for one in pending {
            let unsent = line.iter_mut().find(|outgoing| outgoing.id == one.id);
            let unsent = unsent.map(|outgoing| std::mem::take(&mut outgoing.message));
            if let Some(reply) = one.reply {
                let _ = reply.send(lost(unsent));
            }
        }
        for outgoing in line {
            if let Some(told) = outgoing.told {
                let _ = told.send(lost(Some(outgoing.message)));
            }
        }
        self.wired.shut_down();
        self.closed.notify_waiters();
        self.closed.notify_one();
        self.due.notify_one();
    }
}

impl State {
    /// Replies or their callers have left: gives the room back that they held.
    fn settle(&mut self) {
        self.account.settle(self.buffer_bytes + self.parts.held_bytes());
    }
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    All,
    /// The socket takes no more now. The line is still this writer's.
    Blocked,
}

/// No new request comes, and the session does not count any more.
fn retire(state: &mut State) {
    state.is_retired = true;
    state.place = None;
}

/// The bytes of the frames of a batch.
fn slices<'b>(batch: &'b VecDeque<Outgoing>, framing: &'b Framing) -> Vec<IoSlice<'b>> {
    let trailer = framing.trailer();
    let parts = batch.iter().flat_map(|outgoing| outgoing.left(trailer));
    parts.filter(|part| !part.is_empty()).map(IoSlice::new).collect()
}

/// Ends a session with its reader, by whatever way.
struct Ends(Arc<Session>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end(&Fault::Broken("the connection is over".to_owned()));
    }
}

/// Reads for a session until it is over.
async fn listen(session: Ends) {
    let over = tokio::select! {
        over = session.0.hear() => over,
        () = session.0.closed.notified() => return,
    };
    if let Err(fault) = over {
        session.0.end(&fault);
    }
}

/// Writes for a session when it is this task's turn.
async fn write(session: Arc<Session>) {
    loop {
        session.due.notified().await;
        let (mut batch, mut was_held) = (VecDeque::new(), true);
        loop {
            if session.state().ended.is_some() {
                return;
            }
            if !session.refill(&mut batch, was_held) {
                break;
            }
            was_held = false;
            let written = session.wired.write(&slices(&batch, &session.settings.framing)).await;
            match written {
                Ok(bytes) => session.account(&mut batch, bytes),
                Err(error) => {
                    // What has not begun was not sent.
                    session.put_back(&mut batch);
                    session.end(&Fault::Broken(error.to_string()));
                }
            }
        }
    }
}

impl Lane {
    /// Whether a request may be sent on it.
    pub(crate) fn is_alive(&self) -> bool {
        !self.session.state().is_retired
    }

    pub(crate) fn owner(&self) -> ThreadId {
        self.session.owner
    }

    /// Which session it is of.
    pub(crate) fn session(&self) -> usize {
        Arc::as_ptr(&self.session).addr()
    }

    /// Looks whether retransmissions of the session were needless, if it is time to look.
    pub(crate) fn watch(&self, now: Instant) {
        self.session.wired.watch(now);
    }

    /// How the session fares on the wire.
    pub(crate) fn wire(&self) -> Wire {
        self.session.wired.wire()
    }

    /// Sends a request and waits for its reply; or, one way, until it is written.
    ///
    /// # Errors
    /// There is no reply. What was not sent is in the request again.
    pub(crate) async fn exchange(
        &mut self,
        exchange: Exchange<'_>,
        progress: &mut Progress,
    ) -> Result<Vec<u8>, Fault> {
        let Exchange { settings: _, request, is_kept, is_one_way } = exchange;
        let message = if is_kept { request.clone() } else { std::mem::take(request) };
        let framing = &self.session.settings.framing;
        let most = self.session.settings.frame_max_bytes;
        if message.len() + framing.around_bytes() > most {
            let bytes = message.len() + framing.around_bytes();
            *request = message;
            return Err(Fault::Unframeable(format!(
                "the frame has {bytes} bytes; at most {most} may be sent"
            )));
        }
        let (told, ended) = oneshot::channel();
        let frame_type = if is_one_way { FrameType::OneWay } else { FrameType::Request };
        let id = match self.session.submit(frame_type, message, Some(told)) {
            Ok(id) => id,
            Err((fault, message)) => {
                *request = message;
                return Err(fault);
            }
        };
        let mut waiting = Waiting { session: &self.session, id: Some(id), request, progress };
        let ended = ended.await;
        waiting.id = None;
        waiting.progress.is_sent = true;
        match ended {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(Lost { fault, unsent })) => {
                waiting.progress.is_sent = unsent.is_none();
                if let Some(message) = unsent {
                    *waiting.request = message;
                }
                Err(fault)
            }
            Err(_) => Err(Fault::Broken("the connection is over".to_owned())),
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if self.session.lanes.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.session.end(&Fault::Broken("the connection was closed".to_owned()));
        }
    }
}

/// A caller that waits. When it leaves, it says whether its message was sent.
struct Waiting<'w> {
    session: &'w Arc<Session>,
    id: Option<u64>,
    request: &'w mut Vec<u8>,
    progress: &'w mut Progress,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id else { return };
        match self.session.withdraw(id) {
            Some(message) => *self.request = message,
            None => self.progress.is_sent = true,
        }
    }
}
